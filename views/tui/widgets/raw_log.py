"""The log as it stands, beside the table: every record's first line, the cursor's in the middle."""

from textual.reactive import reactive

from getrace.printable import cell_width, printable
from getrace.store.store import Store
from views.model.rows import number_of
from views.model.spans import Line, Span
from views.model.steps import Step, moved
from views.model.style import level_role
from views.tui.messages import Moved
from views.tui.widgets.line_pane import LinePane

_NUMBER = 8


class RawLog(LinePane):
    """All records in their order, filtered or not; a step here is a step of the one cursor."""

    cursor: reactive[int] = reactive(0)
    total: reactive[int] = reactive(0)

    def __init__(self, store: Store, *, ascii_only: bool = False) -> None:
        super().__init__("Log as it stands", pane_id="raw", ascii_only=ascii_only)
        self._store = store

    @property
    def chosen(self) -> int:
        """The row of the cursor."""
        return self.cursor if self.total else -1

    def count(self) -> int:
        """Give the number of records."""
        return self.total

    def line(self, index: int, width: int) -> Line:
        """Give the first line of a record, and how many more it has."""
        more = int(self._store.column("lines")[index]) - 1
        behind = f" +{more} lines" if more > 0 else ""
        number = f"{number_of(self._store, index):>{_NUMBER - 1}} "
        text = printable(self._store.text(index).split("\n", 1)[0], max(width, 8))
        return [
            Span(number, "dim"),
            Span(text, level_role(int(self._store.column("level")[index]))),
            Span(behind if cell_width(text) + _NUMBER + len(behind) <= width else "", "note"),
        ]

    def move(self, step: Step) -> None:
        """Ask for another row."""
        if self.total:
            self.post_message(Moved(moved(self.cursor, self.total, self.page, step)))

    def watch_total(self) -> None:
        """Grow."""
        self.relay()

    def watch_cursor(self) -> None:
        """Keep the cursor in sight."""
        if self.display:
            self.bring_in_sight(self.cursor)
            self.refresh()

    def on_show(self) -> None:
        """Catch up."""
        self.watch_cursor()

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.call_after_refresh(self.watch_cursor)
