"""A pane of lines that are drawn for its size: it asks for them anew when the size changes."""

from collections.abc import Callable, Sequence

from views.model.spans import Line
from views.model.steps import Step, moved
from views.tui.widgets.line_pane import LinePane

Draw = Callable[[int, int], Sequence[Line]]
"""Gives the lines for a width and a height in cells."""


class TextPane(LinePane):
    """Shows what ``draw`` gives; scrolls when that is longer than the pane."""

    marked = False

    def __init__(self, title: str, *, pane_id: str, ascii_only: bool = False) -> None:
        super().__init__(title, pane_id=pane_id, ascii_only=ascii_only)
        self._draw: Draw = lambda _width, _height: ()
        self._lines: Sequence[Line] = ()

    def count(self) -> int:
        """Give the number of lines."""
        return len(self._lines)

    def line(self, index: int, width: int) -> Line:
        """Give a line."""
        del width
        return self._lines[index]

    def show(self, draw: Draw) -> None:
        """Show something else."""
        self._draw = draw
        self.again()

    def again(self) -> None:
        """Draw for the size of now."""
        size = self.scrollable_content_region
        self._lines = self._draw(size.width, size.height) if size.width and size.height else ()
        self.relay()

    def move(self, step: Step) -> None:
        """Scroll."""
        last = max(self.count() - self.page + 1, 1)
        self.scroll_to(y=moved(self.scroll_offset.y, last, self.page, step), animate=False, immediate=True, force=True)

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.again()
