"""A pane of cards: lines to read, some of which lead to a row."""

from collections.abc import Callable

from textual.reactive import reactive

from views.model.cards import Told
from views.model.spans import Line
from views.model.steps import Step, moved
from views.tui.messages import Moved
from views.tui.widgets.line_pane import LinePane


class Cards(LinePane):
    """Shows the lines that ``give`` makes for a width. A step goes to the next line, and where it leads."""

    cursor: reactive[int] = reactive(0)

    def __init__(self, title: str, give: Callable[[int], list[Told]], *, pane_id: str, ascii_only: bool) -> None:
        super().__init__(title, pane_id=pane_id, ascii_only=ascii_only)
        self._give = give
        self._lines: list[Told] = []
        self._place = 0

    @property
    def chosen(self) -> int:
        """The line one is at."""
        return self._place

    @property
    def target(self) -> int:
        """The row that the line leads to, or -1."""
        return self._lines[self._place].row if self._lines else -1

    def count(self) -> int:
        """Give the number of lines."""
        return len(self._lines)

    def line(self, index: int, width: int) -> Line:
        """Give a line."""
        del width
        return self._lines[index].line

    def move(self, step: Step) -> None:
        """Go to another line; the cursor goes where it leads."""
        if not self._lines:
            return
        self._place = moved(self._place, len(self._lines), self.page, step)
        self.bring_in_sight(self._place)
        self.refresh()
        if self.target >= 0:
            self.post_message(Moved(self.target))

    def lay(self) -> None:
        """Make the lines anew."""
        self._lines = self._give(self.width)
        self._place = min(self._place, max(len(self._lines) - 1, 0))
        self.relay()

    def on_resize(self) -> None:
        """Break the lines anew."""
        self.lay()
