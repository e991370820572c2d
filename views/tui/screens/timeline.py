"""Timeline: threads and streams over time, the memory below, and what stands at the cursor."""

from collections.abc import Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive

from getrace.store.store import Store
from views.model.draw_timeline import memory_lines
from views.model.explain import broken, explain
from views.model.lacks import NO_KERNELS, why
from views.model.lookup import place_of
from views.model.spans import Line
from views.model.timeline import Timeline, span_at, timelines
from views.model.window import Window, around
from views.tui.keymap import bindings
from views.tui.messages import LaneChosen, Moved, Tell
from views.tui.screens.page import Page
from views.tui.settings import Settings
from views.tui.widgets.drawn import Drawn
from views.tui.widgets.timeline_pane import TimelinePane


class TimelinePage(Page):
    """Lanes above the memory curve, both over ``window``. The cursor's row stays in sight."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("timeline")]
    reads = True

    window: reactive[Window] = reactive(Window(0, 0), init=False)
    lane: reactive[int] = reactive(0, init=False)

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__(store, settings)
        self._asked = -1
        self._whole = Window(0, 0)

    def readings(self, store: Store) -> Iterator[Timeline]:
        """Read hosts, streams and memory one after the other."""
        return timelines(store)

    def compose(self) -> ComposeResult:
        """Place the panes."""
        here, ascii_only = TimelinePage, self.settings.ascii_only
        yield TimelinePane(self.store, ascii_only=ascii_only).data_bind(
            here.cursor, here.places, here.window, here.lane, timeline=here.reading
        )
        yield Drawn("Memory of these moments", self._memory, pane_id="strip", ascii_only=ascii_only)
        yield Drawn("Here", self._here, pane_id="here", ascii_only=ascii_only)

    def watch_reading(self, timeline: Timeline | None) -> None:
        """Show what is read: all of it at first; later the window stays, unless it showed all there was."""
        if timeline is None:
            return
        if self.window in {Window(0, 0), self._whole}:
            self.window = timeline.whole.inside(timeline.whole)
        self._whole = timeline.whole.inside(timeline.whole)
        self._asked = -1
        self.watch_cursor()

    def watch_cursor(self) -> None:
        """Bring the cursor in sight, and choose its lane unless it was moved along one."""
        timeline: Timeline | None = self.reading
        if timeline is None or self.cursor >= self.store.rows:
            return
        time = self.store.time_or_none(self.cursor)
        if time is not None and not self.window.holds(time):
            self.window = self.window.centred(time, self._whole)
        if self.cursor != self._asked:
            lane = timeline.lane_of(self.store, self.cursor)
            self.lane = lane if lane >= 0 else min(self.lane, max(timeline.count - 1, 0))
        self._draw()

    def watch_window(self) -> None:
        """Draw the strip below for another window."""
        self._draw()

    def watch_lane(self) -> None:
        """Tell of another lane."""
        self._draw()

    def watch_places(self) -> None:
        """Tell of the markers."""
        self._draw()

    @on(LaneChosen)
    def _lane_chosen(self, message: LaneChosen) -> None:
        message.stop()
        self._asked = self.cursor
        self.lane = message.number

    def action_zoom(self, closer: int) -> None:
        """Zoom in (1) or out (-1) around the cursor."""
        time = self.store.time_or_none(self.cursor) if self.cursor < self.store.rows else None
        middle = self.window.start + self.window.length // 2
        self.window = self.window.zoomed(middle if time is None else time, self._whole, closer=closer > 0)

    def action_pan(self, direction: int) -> None:
        """Move the window later (1) or earlier (-1)."""
        self.window = self.window.moved(direction, self._whole)

    def action_slice(self, direction: int) -> None:
        """Take the cursor to the next (1) or previous (-1) slice or mark of the lane."""
        timeline: Timeline | None = self.reading
        if timeline is None:
            return
        ordered = timeline.ordered_rows(self.lane)
        place = place_of(ordered, self.cursor, "right") if direction > 0 else place_of(ordered, self.cursor) - 1
        if not 0 <= place < len(ordered):
            self.post_message(Tell("nothing later on this lane" if direction > 0 else "nothing earlier on this lane"))
            return
        self._asked = int(ordered[place])
        self.post_message(Moved(self._asked))

    def action_focus(self) -> None:
        """Show what lies between A and B, else the slice at the cursor closely; all when that is in sight already."""
        wanted = self._focus()
        self.window = self._whole if wanted is None or wanted == self.window else wanted

    def _focus(self) -> Window | None:
        times = [self.store.time_or_none(row) for row in self.places.markers if row >= 0]
        if len(times) == 2 and times[0] is not None and times[1] is not None:
            return around(times[0], times[1], self._whole)
        timeline: Timeline | None = self.reading
        span = None if timeline is None else span_at(timeline, self.lane, self.cursor)
        return None if span is None else around(*span, self._whole)

    def _draw(self) -> None:
        for pane in self.query(Drawn):
            pane.draw()

    def _memory(self, width: int, height: int) -> list[Line]:
        if self.reading is None:
            return []
        return memory_lines(self.reading, self.window, width, height, ascii_only=self.settings.ascii_only)

    def _here(self, width: int, height: int) -> list[Line]:
        del height
        timeline: Timeline | None = self.reading
        if timeline is None:
            return []
        lacks = why(NO_KERNELS, width) if timeline.count and not timeline.hosts else []
        told = explain(self.store, timeline, self.lane, self.cursor, self.places)
        return [*(piece for line in told for piece in broken(line, width)), *lacks]
