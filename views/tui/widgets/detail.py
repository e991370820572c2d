"""The selected row in full."""

from textual.reactive import reactive

from getrace.store.store import Store
from views.model.facts import facts_of, lines_of
from views.model.spans import Line, Span
from views.model.steps import Step, moved
from views.tui.widgets.line_pane import LinePane

EMPTY = "Nothing is selected: there is no row yet."


class Detail(LinePane):
    """Fields and line of the row ``cursor``. Scrolls by lines; laid out when the row or the width changes."""

    marked = False
    cursor: reactive[int] = reactive(0)
    total: reactive[int] = reactive(0)

    def __init__(self, store: Store, *, ascii_only: bool = False) -> None:
        super().__init__("Record", pane_id="detail", ascii_only=ascii_only)
        self._store = store
        self._lines: list[Line] = []
        self._laid_for = (-1, -1)

    def count(self) -> int:
        """Give the number of lines."""
        return len(self._lines)

    def line(self, index: int, width: int) -> Line:
        """Give a line; who asks for another width than the lines were broken for has them broken anew."""
        if width != self._laid_for[1]:
            self.call_later(self._lay)
        return self._lines[index]

    def move(self, step: Step) -> None:
        """Scroll."""
        top = moved(self.scroll_offset.y, max(self.count() - self.page + 1, 1), self.page, step)
        self.scroll_to(y=top, animate=False, immediate=True, force=True)

    def watch_cursor(self) -> None:
        """Show another row from its top."""
        self._lay()
        self.scroll_to(y=0, animate=False, immediate=True, force=True)

    def watch_total(self) -> None:
        """Show the first row when it comes."""
        self._lay()

    def on_resize(self) -> None:
        """Break the lines anew."""
        self._lay()

    def _lay(self) -> None:
        wanted = (self.cursor if self.total else -1, self.width)
        if wanted == self._laid_for:
            return
        self._laid_for = wanted
        row, width = wanted
        self._lines = lines_of(facts_of(self._store, row), width) if row >= 0 else [[Span(EMPTY, "dim")]]
        self.relay()
        self.call_after_refresh(self._lay)  # a scroll bar that came or went has changed the width
