"""A pane that is drawn whole: it asks for its lines when its size or what it shows has changed."""

from collections.abc import Callable

from views.model.spans import Line
from views.model.steps import Step
from views.tui.widgets.line_pane import LinePane


class Drawn(LinePane, can_focus=False):
    """Shows the lines that ``give`` makes for a width and a height; they begin where those of lanes beside it do."""

    def __init__(
        self, title: str, give: Callable[[int, int], list[Line]], *, pane_id: str, ascii_only: bool = False
    ) -> None:
        super().__init__(title, pane_id=pane_id, ascii_only=ascii_only)
        self._give = give
        self._lines: list[Line] = []

    def count(self) -> int:
        """Give the number of lines."""
        return len(self._lines)

    def line(self, index: int, width: int) -> Line:
        """Give a line."""
        del width
        return self._lines[index]

    def move(self, step: Step) -> None:
        """Stay: it never has the focus."""

    def draw(self) -> None:
        """Draw anew."""
        self._lines = self._give(self.width, self.page)
        self.relay()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.draw()
