"""A lane per stream."""

from textual.reactive import reactive

from getrace.store.store import Store
from views.model.draw_lanes import Picture, draw_lanes, lane_lines, step_in_lanes
from views.model.lanes import Lanes
from views.model.spans import Line, Span
from views.model.steps import Step
from views.tui.messages import Moved
from views.tui.widgets.line_pane import LinePane


class StreamLanes(LinePane):
    """Launches, sends, waits and errors of each stream, with the time of the row ``cursor`` as a vertical line."""

    marked = False
    cursor: reactive[int] = reactive(0)
    lanes: reactive[Lanes | None] = reactive(None, always_update=True)

    def __init__(self, store: Store, *, ascii_only: bool = False) -> None:
        super().__init__("Streams", pane_id="lanes", ascii_only=ascii_only)
        self._store = store
        self._lines: list[Line] = []
        self._picture = Picture((), (), 0, 0)

    def count(self) -> int:
        """Give the number of lines."""
        return len(self._lines)

    def line(self, index: int, width: int) -> Line:
        """Give a line."""
        del width
        return self._lines[index]

    def move(self, step: Step) -> None:
        """Go to the mark before or behind the cursor, or to the first or last one."""
        starts = {Step.FIRST: (-1, 1), Step.LAST: (self._store.rows, -1)}
        row, direction = starts.get(step, (self.cursor, 1 if step in {Step.DOWN, Step.PAGE_DOWN} else -1))
        target = -1 if self.lanes is None else step_in_lanes(self.lanes, row, direction)
        if 0 <= target < self._store.rows:
            self.post_message(Moved(target))

    def watch_cursor(self) -> None:
        """Move the vertical line."""
        self._show()

    def watch_lanes(self) -> None:
        """Paint what is new."""
        self._draw()

    def on_resize(self) -> None:
        """Paint for the new size."""
        self._draw()

    def _draw(self) -> None:
        if self.lanes is None:
            self._lines = [[Span("Reading the streams of the log ...", "dim")]]
            self.relay()
            return
        size = self.scrollable_content_region
        self._picture = draw_lanes(self.lanes, size.width, size.height)
        self._show()

    def _show(self) -> None:
        if self.lanes is None:
            return
        time_ns = int(self._store.column("time")[self.cursor]) if self.cursor < self._store.rows else -1
        self._lines = lane_lines(self.lanes, self._picture, time_ns, ascii_only=self.ascii_only)
        self.relay()
