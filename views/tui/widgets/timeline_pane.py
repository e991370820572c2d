"""The lanes of a timeline: one line a lane, those in sight drawn for the window of time."""

from typing import Any

from textual.reactive import reactive

from getrace.store.store import Store
from views.model.draw_timeline import (
    MARGIN,
    Cell,
    axis_line,
    draw_arrows,
    host_cells,
    label,
    legend,
    spans_of,
    stream_cells,
)
from views.model.lacks import NO_LANES, why
from views.model.places import Places
from views.model.spans import Line
from views.model.steps import Step, moved
from views.model.timeline import Timeline
from views.model.window import Window
from views.tui.messages import LaneChosen
from views.tui.widgets.line_pane import LinePane


class TimelinePane(LinePane):
    """Lanes of ``timeline`` in ``window``; ``lane`` is the chosen one, ``cursor`` the row that is marked."""

    head = 2
    cursor: reactive[int] = reactive(0)
    places: reactive[Places] = reactive(Places)
    timeline: reactive[Timeline | None] = reactive(None, always_update=True)
    window: reactive[Window] = reactive(Window(0, 0))
    lane: reactive[int] = reactive(0)

    def __init__(self, store: Store, *, ascii_only: bool = False) -> None:
        super().__init__("Timeline", pane_id="lanes-of-time", ascii_only=ascii_only)
        self._store = store
        self._drawn_for: Any = None
        self._cells: dict[int, list[Cell]] = {}

    @property
    def chosen(self) -> int:
        """The chosen lane."""
        return self.lane if self.timeline and self.timeline.count else -1

    @property
    def across(self) -> int:
        """Cells of a lane without its label."""
        return max(self.width - MARGIN, 4)

    def count(self) -> int:
        """Give the number of lanes; without any, the lines that say so."""
        return (self.timeline.count if self.timeline else 0) or len(self._empty(self.width))

    def line(self, index: int, width: int) -> Line:
        """Give the legend, the axis, or a lane."""
        timeline = self.timeline
        if index == -2:
            return legend(width, ascii_only=self.ascii_only)
        if timeline is None or not timeline.count:
            return [] if index < 0 else self._empty(width)[index]
        if index < 0:
            times = [self._store.time_or_none(row) if row >= 0 else None for row in self.places.markers]
            return axis_line(self.window, self.across, (times[0], times[1]))
        host, stream = timeline.host(index), timeline.stream(index)
        name = host.label if host else stream.label if stream else "?"
        return [label(name), *spans_of(self._lane_cells(timeline, index), self._cursor_cell())]

    def _empty(self, width: int) -> list[Line]:
        return why("Reading the timeline ..." if self.timeline is None else NO_LANES, width)

    def _cursor_cell(self) -> int:
        time = self._store.time_or_none(self.cursor) if self.cursor < self._store.rows else None
        return -1 if time is None else self.window.cell(time, self.across)

    def _lane_cells(self, timeline: Timeline, index: int) -> list[Cell]:
        wanted = (id(timeline), self.window, self.across, self._arrow_row(timeline))
        if wanted != self._drawn_for:
            self._drawn_for, self._cells = wanted, {}
        if index not in self._cells:
            host = timeline.host(index)
            if host is not None:
                self._cells[index] = host_cells(self._store, host, self.window, self.across, ascii_only=self.ascii_only)
            else:
                self._draw_streams(timeline)
        return self._cells[index]

    def _draw_streams(self, timeline: Timeline) -> None:
        lanes = [
            stream_cells(lane, self.window, self.across, ascii_only=self.ascii_only) for lane in timeline.streams or ()
        ]
        draw_arrows(lanes, timeline.arrows, self.window, self.cursor, ascii_only=self.ascii_only)
        self._cells.update({len(timeline.hosts) + place: cells for place, cells in enumerate(lanes)})

    def _arrow_row(self, timeline: Timeline) -> int:
        """Give the cursor when an arrow begins or ends at it: its picture differs."""
        lane = timeline.stream(self.lane)
        return self.cursor if lane is not None else -1

    def move(self, step: Step) -> None:
        """Choose another lane."""
        if self.timeline and self.timeline.count:
            self.post_message(LaneChosen(moved(self.lane, self.timeline.count, self.page, step)))

    def watch_timeline(self) -> None:
        """Draw what is new."""
        self.relay()

    def watch_window(self) -> None:
        """Draw another window."""
        self.refresh()

    def watch_cursor(self) -> None:
        """Move the mark."""
        self.refresh()

    def watch_places(self) -> None:
        """Move A and B."""
        self.refresh()

    def watch_lane(self) -> None:
        """Keep the chosen lane in sight."""
        self.bring_in_sight(self.lane)
        self.refresh()
