"""The screens over a real log of a failed run."""

from pathlib import Path

import pytest
from tui_pictures import SamePicture
from view_screens import LARGE, SMALL, frame, opened, press

from getrace.replay import open_store
from views.tui.settings import Settings

pytestmark = pytest.mark.real


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize(
    ("name", "keys", "line"),
    [
        ("first-error", "e", 8363),
        ("peak", "4 pagedown", 8276),
        ("last-launch", "5 g j", 8331),
        ("main", "6 G k enter", 8243),
    ],
)
async def test_a_real_failure(
    name: str,
    keys: str,
    line: int,
    size: tuple[int, int],
    case_01: Path,
    monkeypatch: pytest.MonkeyPatch,
    same_picture: SamePicture,
) -> None:
    # The picture holds the path of the source: it must not depend on where the cases lie.
    monkeypatch.chdir(case_01.parent)
    store = open_store([case_01.name])
    async with opened(store, size, Settings(case_01.name)) as pilot:
        await press(pilot, *keys.split())
        assert store.column("line")[frame(pilot).cursor] == line
        same_picture(pilot, f"case-01-{name}-{size[0]}x{size[1]}", outline=True)


async def test_a_search_walks_over_the_matching_lines_of_a_real_log(case_01: Path) -> None:
    store = open_store([str(case_01)])
    found = []
    async with opened(store) as pilot:
        await press(pilot, "slash", *"kernel", "space", *"execute", "space", *"failed", "enter")
        for _ in range(2):
            found.append(int(store.column("line")[frame(pilot).cursor]))
            await press(pilot, "n")
    assert found == [8381, 8429]
