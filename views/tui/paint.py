"""From spans to textual's strips: the only place where a role becomes a colour of the terminal."""

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from getrace.printable import CUT
from views.model.spans import Line
from views.model.style import colours


@lru_cache(maxsize=256)
def role_style(role: str, *, dark: bool) -> Style:
    """Give the style of a role, foreground only: the background is the widget's."""
    found = colours(role)
    return Style(color=found.dark if dark else found.light, bold=found.bold)


_ASCII = str.maketrans({"…": "~", "─": "-", "│": "|"})


def strip_of(line: Line, width: int, base: Style, *, dark: bool = True, ascii_only: bool = False) -> Strip:
    """Paint a line on the background of ``base``, in exactly ``width`` cells (blank cells are filled, too).

    A line that is longer ends in the sign of a cut, as its cells do: a sentence that only stops looks whole.
    """
    segments = [
        Segment(span.text.translate(_ASCII) if ascii_only else span.text, base + role_style(span.role, dark=dark))
        for span in line
        if span.text
    ]
    strip = Strip(segments)
    if strip.cell_length > width > 0 and strip.crop(width).text.strip():
        sign = Segment(CUT.translate(_ASCII) if ascii_only else CUT, base + role_style("dim", dark=dark))
        strip = Strip([*strip.crop(0, width - 1), sign])
    return strip.adjust_cell_length(width, base)
