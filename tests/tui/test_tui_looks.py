"""Overview, Events, Timeline and Sources over a real log: two sizes; dark, light, without colour, in ASCII."""

import re
from pathlib import Path

import pytest
from textual.color import Color
from tui_pictures import SamePicture
from view_screens import frame, opened, press

from getrace.replay import open_store
from views.tui.app import GetraceApp
from views.tui.plain import screen_text
from views.tui.settings import Settings

pytestmark = pytest.mark.real

SIZES = ((80, 24), (200, 60))
SCREENS = {
    "overview": (1, "j"),
    "events": (2, "e"),
    "timeline": (3, "e f w"),
    "sources": (7, ""),
}
DRESSES = {
    "dark": Settings("case-01"),
    "light": Settings("case-01", light=True),
    "plain": Settings("case-01", no_colour=True),
    "ascii": Settings("case-01", ascii_only=True),
}
_COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])")


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("size", SIZES)
async def test_each_screen_in_each_dress(
    dress: str,
    size: tuple[int, int],
    case_01: Path,
    monkeypatch: pytest.MonkeyPatch,
    same_picture: SamePicture,
) -> None:
    # The picture holds the path of the source: it must not depend on where the cases lie.
    monkeypatch.chdir(case_01.parent)
    store = open_store([case_01.name])
    async with opened(store, size, DRESSES[dress], screen=1) as pilot:
        for name, (number, keys) in SCREENS.items():
            await press(pilot, str(number), *keys.split())
            assert frame(pilot).number == number
            text = screen_text(pilot.app)
            if dress == "ascii":
                assert text.isascii()
            assert isinstance(pilot.app, GetraceApp)
            assert (Color.parse(pilot.app.current_theme.background or "").brightness > 0.5) == (dress == "light")
            painted = "".join(
                segment.style.render(segment.text) if segment.style else segment.text
                for strip in pilot.app.screen._compositor.render_strips()
                for segment in strip
            )
            assert (_COLOUR.search(painted) is None) == (dress == "plain")
            if dress in {"dark", "ascii"}:
                same_picture(pilot, f"look-{name}-{dress}-{size[0]}x{size[1]}", outline=True)
