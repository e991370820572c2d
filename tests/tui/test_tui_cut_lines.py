"""What does not fit into a line: the sign of a cut where words are lost, and whole sentences where they must not be."""

import pytest
from rich.style import Style

from views.model.spans import Span, plain
from views.tui.paint import strip_of
from views.tui.screens.help import help_lines
from views.tui.screens.registry import TABS


@pytest.mark.parametrize(
    ("text", "ascii_only", "painted"),
    [
        ("as wide as it is", False, "as wide as it is"),
        ("as wide as it is ...", False, "as wide as it i…"),
        ("as wide as it is ...", True, "as wide as it i~"),
        ("as wide as it is    ", False, "as wide as it is"),
        ("narrow", False, "narrow          "),
        ("一二三四五六七八九", False, "一二三四五六七 …"),
    ],
)
def test_a_line_that_is_cut_says_so(text: str, ascii_only: bool, painted: str) -> None:
    assert strip_of([Span(text)], 16, Style(), ascii_only=ascii_only).text == painted


@pytest.mark.parametrize("width", [50, 70])
def test_the_help_says_every_key_to_the_end(width: int) -> None:
    for tab in TABS:
        for line in help_lines(tab.name, ascii_only=False, width=width):
            assert len(plain(line)) <= width
    told = " ".join(plain(line).strip() for line in help_lines(ascii_only=False, width=50))
    assert "set marker B here; the status line says the time between" in told
