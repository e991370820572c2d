"""Streams: a lane for each, and below the numbers of each, pairs of send and wait, what is left over, and hazards."""

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from getrace.analysis.failure import diagnose
from getrace.analysis.hangs.model import Hang
from getrace.analysis.stream_report import StreamReport, stream_report
from getrace.store.store import Store
from views.model.lanes import Lanes, lanes_of
from views.model.stream_lists import hazard_list, left_list, other_use, pair_list, partner, stream_list, wait_list
from views.model.table import Table
from views.tui.keymap import bindings
from views.tui.messages import Chosen, Moved
from views.tui.screens.deck import Deck
from views.tui.settings import Settings
from views.tui.widgets.list_pane import ListPane
from views.tui.widgets.stream_lanes import StreamLanes


class _Reading(NamedTuple):
    """Read part by part: a part that is not there yet is None."""

    lanes: Lanes
    report: StreamReport | None = None
    hangs: tuple[Hang, ...] | None = None


class StreamsPage(Deck):
    """The pairs follow the cursor; Enter goes from one end of a pair, or of a hazard, to the other."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("streams")]
    reads = True
    above = "lanes"

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__(store, settings)
        self._report: StreamReport | None = None

    def readings(self, store: Store) -> Iterator[_Reading]:
        """Read the lanes, then the report, then who waits: the last as ``getrace diagnose`` tells it."""
        reading = _Reading(lanes_of(store))
        yield reading
        reading = reading._replace(report=stream_report(store))
        yield reading
        yield reading._replace(hangs=diagnose(store).hangs.streams)

    def compose(self) -> ComposeResult:
        """Place the panes."""
        plain = self.settings.ascii_only
        yield StreamLanes(self.store, ascii_only=plain).data_bind(StreamsPage.cursor)
        yield ListPane("Streams", pane_id="numbers", ascii_only=plain)
        yield ListPane("Pairs", pane_id="pairs", ascii_only=plain)
        yield ListPane("Left over", pane_id="left", ascii_only=plain)
        yield ListPane("Waits", pane_id="waits", ascii_only=plain)
        yield ListPane("Order", pane_id="hazards", ascii_only=plain)

    def open(self) -> None:
        """Go to the other end of the pair or hazard, or to the chosen line's row."""
        focused, report = self.screen.focused, self._report
        if not isinstance(focused, ListPane) or report is None or focused.listing.count == 0:
            return
        row = -1
        if focused.id == "pairs":
            row = partner(report, self.cursor)
        elif focused.id == "hazards":
            row = other_use(report, self.cursor, focused.chosen)
        if row >= 0:
            self.post_message(Moved(row))
        else:
            focused.go()

    def watch_reading(self, reading: _Reading | None) -> None:
        """Show what was read."""
        if reading is None:
            return
        self.query_one(StreamLanes).lanes = reading.lanes
        if reading.hangs is not None:
            self._show("waits", f"Waits at the end: {len(reading.hangs):,}", wait_list(self.store, reading.hangs))
        if reading.report is not None:
            self._show_report(reading.report)

    def _show_report(self, report: StreamReport) -> None:
        self._report = report
        self._show("numbers", f"Streams: {len(report.streams)}", stream_list(self.store, report))
        self._show("pairs", f"Pairs: {len(report.pairing.pairs):,}", pair_list(self.store, report))
        self._show("left", f"Left over: {len(report.pairing.unmatched):,}", left_list(self.store, report))
        self._show("hazards", f"Hazards: {len(report.order.hazards):,}", hazard_list(self.store, report))
        self.watch_cursor()

    def watch_cursor(self) -> None:
        """Follow the cursor in the lists that the user is not in."""
        if self._report is None:
            return
        for pane_id in ("pairs", "left", "hazards"):
            pane = self.query_one(f"#{pane_id}", ListPane)
            if self.screen.focused is not pane and pane.listing.count:
                pane.choose(pane.listing.at_row(self.cursor))

    @on(Chosen)
    def _line_chosen(self, message: Chosen) -> None:
        message.stop()

    def _show(self, pane_id: str, title: str, listing: Table) -> None:
        pane = self.query_one(f"#{pane_id}", ListPane)
        pane.entitle(title)
        pane.show(listing)
