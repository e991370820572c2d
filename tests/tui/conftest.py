"""Pictures of screens, stored beside the tests and compared with what is drawn now."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from views.tui.plain import screen_text

PICTURES = Path(__file__).parent / "snapshots"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-screens", action="store_true", help="store the pictures of screens anew")


@pytest.fixture
def same_picture(request: pytest.FixtureRequest) -> Callable[[Pilot[None], str], None]:
    """Compare the screen with its stored picture: its text, and where a SVG is stored, that, which holds the colours.

    A new SVG is stored by making an empty file of its name first; most pictures are told by their text.
    """
    update = bool(request.config.getoption("update_screens", default=False))

    def compare(pilot: Pilot[None], name: str) -> None:
        seen = {f"{name}.txt": screen_text(pilot.app), f"{name}.svg": pilot.app.export_screenshot() + "\n"}
        for file, text in seen.items():
            stored = PICTURES / file
            if file.endswith(".svg") and not stored.exists():
                continue
            if update:
                PICTURES.mkdir(exist_ok=True)
                stored.write_text(text, encoding="utf-8")
            assert stored.exists(), f"no picture {file}: run pytest tests/tui --update-screens"
            assert text == stored.read_text(encoding="utf-8"), f"{file} differs: run pytest tests/tui --update-screens"

    return compare
