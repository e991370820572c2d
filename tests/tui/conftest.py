"""Pictures of screens, stored beside the tests and compared with what is drawn now.

A picture over a real log is stored as an outline: its letters and digits are replaced and a digest of the true text is
added, so that nothing of the log is copied here and every change still shows.
"""

import hashlib
import re
from pathlib import Path

import pytest
from textual.pilot import Pilot
from tui_pictures import SamePicture

from views.tui.plain import screen_text

PICTURES = Path(__file__).parent / "snapshots"

_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-screens", action="store_true", help="store the pictures of screens anew")


def _outline(text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{_DIGIT.sub('0', _LETTER.sub('a', text))}\nsha256 of the true text: {digest}\n"


def _drawn(pilot: Pilot[None], *, outline: bool) -> dict[str, str]:
    """Give the screen as text, and with colours as SVG without the fonts that a browser would fetch."""
    if outline:
        return {"txt": _outline(screen_text(pilot.app))}
    return {"txt": screen_text(pilot.app), "svg": _FONT.sub("", pilot.app.export_screenshot()) + "\n"}


@pytest.fixture
def same_picture(request: pytest.FixtureRequest) -> SamePicture:
    """Compare the screen with its stored picture: its text, and where a SVG is stored, that, which holds the colours.

    A new SVG is stored by making an empty file of its name first; most pictures are told by their text.
    """
    update = bool(request.config.getoption("update_screens", default=False))

    def compare(pilot: Pilot[None], name: str, *, outline: bool = False) -> None:
        for ending, text in _drawn(pilot, outline=outline).items():
            stored = PICTURES / f"{name}.{ending}"
            if ending == "svg" and not stored.exists():
                continue
            if update:
                PICTURES.mkdir(exist_ok=True)
                stored.write_text(text, encoding="utf-8")
            assert stored.exists(), f"no picture {stored.name}: run pytest tests/tui --update-screens"
            same = text == stored.read_text(encoding="utf-8")
            assert same, f"{stored.name} differs: run pytest tests/tui --update-screens"

    return compare
