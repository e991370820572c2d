"""The outline: stages and their kernels, to open, close and jump."""

from bisect import bisect_right

from textual.reactive import reactive

from getrace.printable import cell_width, fit, printable
from getrace.store.store import Store
from views.model.lacks import NO_RUNS, why
from views.model.outline import GRAPH_KEY, Item, items
from views.model.overview import Overview, nothing
from views.model.spans import Line, Span
from views.model.steps import Step, moved
from views.tui.messages import Moved
from views.tui.widgets.line_pane import LinePane


class OutlineTree(LinePane):
    """Lines of the outline. A line with a row moves the cursor there."""

    cursor: reactive[int] = reactive(0)
    overview: reactive[Overview] = reactive(nothing, always_update=True)

    def __init__(self, store: Store, *, ascii_only: bool = False) -> None:
        super().__init__("Outline", pane_id="outline", ascii_only=ascii_only)
        self._store = store
        self._opened: frozenset[str] = frozenset()
        self._items: list[Item] = []
        self._placed: list[tuple[int, int]] = []
        self._node_lines: dict[str, int] = {}
        self._place = 0
        self._asked = -1

    @property
    def chosen(self) -> int:
        """The line the outline is at."""
        return self._place if self._items else -1

    def count(self) -> int:
        """Give the number of lines; without any, those of the sentence that says so."""
        return len(self._items) or len(why(NO_RUNS, self.width))

    def line(self, index: int, width: int) -> Line:
        """Give a line: a sign, the label, and a note at the right."""
        if not self._items:
            return why(NO_RUNS, width)[index]
        item = self._items[index]
        note = printable(item.note, 60)
        room = max(width - 2 - 2 * item.depth - cell_width(note) - 1, 4)
        label = fit(printable(item.label, 400), room)
        role = "bad" if item.bad else ("text" if item.depth else "strong")
        return [
            Span("  " * item.depth + self._sign(item) + " ", "dim"),
            Span(label, role),
            Span(" " + note, "bad" if item.bad else "dim"),
        ]

    def move(self, step: Step) -> None:
        """Choose another line, and take the cursor to its row."""
        if not self._items:
            return
        self._place = moved(self._place, len(self._items), self.page, step)
        self.bring_in_sight(self._place)
        self.refresh()
        row = self._items[self._place].row
        if row >= 0:
            self._asked = row
            self.post_message(Moved(row))

    def toggle(self) -> None:
        """Open or close the chosen line."""
        if self._items and self._items[self._place].children:
            self._opened ^= {self._items[self._place].key}
            self._list()

    def watch_overview(self) -> None:
        """List what is new; what is open stays open."""
        self._list()

    def watch_cursor(self) -> None:
        """Follow the cursor, unless it comes where this outline sent it: several lines may have one row."""
        if self.cursor == self._asked or not self._items:
            return
        self._asked = -1
        found = self._node_at_cursor()
        if found is None:
            before = bisect_right(self._placed, (self.cursor, len(self._items))) - 1
            found = self._placed[before][1] if before >= 0 else None
        if found is not None:
            self._place = found
            self.bring_in_sight(found)
        self.refresh()

    def _node_at_cursor(self) -> int | None:
        """Give the node of the cursor's kernel for a user who is among the graphs, None for one among the runs."""
        if not self._items[self._place].key.startswith(GRAPH_KEY) or self.cursor >= self._store.rows:
            return None
        return self._node_lines.get(self._store.kernel(self.cursor) or "", self._place)

    def _list(self) -> None:
        self._items = items(self.overview.outline, self._store, self._opened)
        in_graphs = [item.key.startswith(GRAPH_KEY) for item in self._items]
        self._node_lines = {item.label: index for index, item in enumerate(self._items) if in_graphs[index]}
        self._placed = sorted(
            (item.row, index) for index, item in enumerate(self._items) if item.row >= 0 and not in_graphs[index]
        )
        self._place = min(self._place, max(len(self._items) - 1, 0))
        self.relay()
        self.watch_cursor()

    def _sign(self, item: Item) -> str:
        if not item.children:
            return " "
        opened = item.key in self._opened
        return ("-" if opened else "+") if self.ascii_only else ("▾" if opened else "▸")
