"""Taking all colour off what textual paints: bold and the signs stay, and they say everything that colour does."""

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter


class Colourless(LineFilter):
    """Removes every colour, where textual's own answer to NO_COLOR turns them to greys."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Give the segments without colour."""
        del background
        return [Segment(text, _plain(style), control) for text, style, control in segments]


def _plain(style: Style | None) -> Style | None:
    return None if style is None else Style(bold=style.bold, underline=style.underline, reverse=style.reverse)
