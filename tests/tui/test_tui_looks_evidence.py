"""Memory, Streams, Graphs and Compare over a real failed run: two sizes; dark, light, without colour, in ASCII.

Dark, light and no colour show the same text, so they are compared with one picture; ASCII has one of its own.
"""

from pathlib import Path

import pytest
from tui_pictures import SamePicture
from view_screens import SMALL, frame, opened, press

from getrace.replay import open_store
from views.tui.plain import screen_text
from views.tui.settings import Settings

pytestmark = pytest.mark.real

HUGE = (200, 60)
DUMP = "04-ge_onnx_00000001_graph_11_Build.pbtxt"
LAUNCH = 8331
"""The line of the launch that failed."""

SCREENS = [(4, "memory", ""), (5, "streams", ""), (6, "graphs", "h"), (8, "compare", "d")]


@pytest.mark.parametrize("look", ["dark", "light", "no-colour", "ascii"])
@pytest.mark.parametrize("size", [SMALL, HUGE])
@pytest.mark.parametrize(("number", "name", "keys"), SCREENS)
async def test_a_real_failure_looks_the_same(
    number: int,
    name: str,
    keys: str,
    size: tuple[int, int],
    look: str,
    case_01: Path,
    monkeypatch: pytest.MonkeyPatch,
    same_picture: SamePicture,
) -> None:
    monkeypatch.chdir(case_01.parent)
    store = open_store([case_01.name, DUMP])
    row = int((store.column("line") == LAUNCH).argmax())
    plain, light, ascii_only = (look == name for name in ("no-colour", "light", "ascii"))
    settings = Settings(case_01.name, at=row, no_colour=plain, light=light, ascii_only=ascii_only)
    async with opened(store, size, settings, screen=number) as pilot:
        await press(pilot, *keys.split())
        assert frame(pilot).cursor == row
        if look == "ascii":
            assert screen_text(pilot.app).isascii()
        drawn = "ascii" if look == "ascii" else "look"
        same_picture(pilot, f"case-01-{name}-{drawn}-{size[0]}x{size[1]}", outline=True)


async def test_the_failed_launch_lights_its_operator_in_the_dumped_graph(case_01: Path) -> None:
    store = open_store([str(case_01), str(case_01.parent / DUMP)])
    row = int((store.column("line") == LAUNCH).argmax())
    async with opened(store, HUGE, Settings("case", at=row), screen=6) as pilot:
        assert ">GatherV2<" in screen_text(pilot.app)
