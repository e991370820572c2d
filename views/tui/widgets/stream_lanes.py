"""A lane per stream."""

from textual.reactive import reactive

from getrace.store.store import Store
from views.model.draw_lanes import Picture, draw_lanes, lane_lines, step_in_lanes
from views.model.overview import Overview, nothing
from views.model.spans import Line
from views.model.steps import Step
from views.tui.messages import Moved
from views.tui.widgets.line_pane import LinePane


class StreamLanes(LinePane):
    """Launches, sends, waits and errors of each stream, with the time of the row ``cursor`` as a vertical line."""

    marked = False
    cursor: reactive[int] = reactive(0)
    overview: reactive[Overview] = reactive(nothing, always_update=True)

    def __init__(self, store: Store, *, ascii_only: bool = False) -> None:
        super().__init__("5 Streams", pane_id="streams", ascii_only=ascii_only)
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
        target = step_in_lanes(self.overview.lanes, row, direction)
        if 0 <= target < self._store.rows:
            self.post_message(Moved(target))

    def watch_cursor(self) -> None:
        """Move the vertical line."""
        self._show()

    def watch_overview(self) -> None:
        """Paint what is new."""
        self._draw()

    def on_resize(self) -> None:
        """Paint for the new size."""
        self._draw()

    def _draw(self) -> None:
        size = self.scrollable_content_region
        self._picture = draw_lanes(self.overview.lanes, size.width, size.height)
        self._show()

    def _show(self) -> None:
        time_ns = int(self._store.column("time")[self.cursor]) if self.cursor < self._store.rows else -1
        self._lines = lane_lines(self.overview.lanes, self._picture, time_ns, ascii_only=self.ascii_only)
        self.relay()
