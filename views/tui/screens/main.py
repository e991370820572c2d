"""The main screen: all panes over one store, one cursor for all of them.

State is the store, the cursor and a few flags; it is bound downward into the panes, and they answer with messages.
"""

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.events import Resize
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Input

from getrace.printable import printable
from getrace.store.store import Store
from views.model.find import next_error
from views.model.overview import Overview, nothing, overview_of
from views.model.rows import number_of
from views.model.spans import Line, Span
from views.model.status import Feeding, status_line, title_line
from views.model.steps import Step
from views.tui.feed import POLLS_PER_SECOND, Feed
from views.tui.keymap import bindings
from views.tui.messages import Ended, Grew, Moved, OverviewReady, OverviewStale, SearchEnded, SearchRan
from views.tui.plain import print_screen
from views.tui.screens.help import HelpScreen
from views.tui.settings import Settings
from views.tui.widgets.detail import Detail
from views.tui.widgets.event_table import EventTable
from views.tui.widgets.line_pane import LinePane
from views.tui.widgets.memory_curve import MemoryCurve
from views.tui.widgets.outline_tree import OutlineTree
from views.tui.widgets.search_bar import SearchBar
from views.tui.widgets.span_line import SpanLine
from views.tui.widgets.stream_lanes import StreamLanes

PANES = ("events", "detail", "outline", "memory", "streams")
SMALLEST = (60, 15)
WIDE = (110, 32)
"""From this size on all panes are in sight; below, one of the lower four at a time."""
COPY_LIMIT = 100_000
"""Characters that go to the clipboard: terminals drop longer OSC 52 sequences."""


class MainScreen(Screen[None]):
    """Events, detail, outline, memory and streams of a store."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    cursor: reactive[int] = reactive(0, init=False)
    total: reactive[int] = reactive(0, init=False)
    overview: reactive[Overview] = reactive(nothing, init=False, always_update=True)

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__()
        self.store = store
        self.settings = settings
        self.following = settings.live and settings.at is None
        self.notice: Span | None = None
        self._seen = 0
        self._computing = False
        self._computed = self.overview
        self._feed = Feed(store, self.post_message, settings.ended)

    def compose(self) -> ComposeResult:
        """Place the panes; ``app.tcss`` says where, for each class of size."""
        ascii_only, here = self.settings.ascii_only, MainScreen
        yield SpanLine(lambda _: [Span(self._too_small(), "note")], line_id="too-small")
        yield SpanLine(self._title, line_id="title")
        yield SpanLine(lambda _: [Span(" " + printable(self._verdict, 400), "strong")], line_id="verdict")
        with Container(id="body"):
            yield OutlineTree(self.store, ascii_only=ascii_only).data_bind(here.cursor, here.overview)
            yield EventTable(self.store, ascii_only=ascii_only).data_bind(here.cursor, here.total, here.overview)
            yield Detail(self.store, ascii_only=ascii_only).data_bind(here.cursor, here.total)
            yield MemoryCurve(ascii_only=ascii_only).data_bind(here.cursor, here.overview)
            yield StreamLanes(self.store, ascii_only=ascii_only).data_bind(here.cursor, here.overview)
        with Horizontal(id="search-line"):
            yield SpanLine(lambda _: [Span(" /", "heading")], line_id="slash")
            yield SearchBar(self.store)
        yield SpanLine(self._status, line_id="status")

    def on_mount(self) -> None:
        """Read what is there already, and begin to poll."""
        self.set_class(bool(self._verdict), "-judged")
        self._lower("detail")
        self.query_one(EventTable).focus()
        self._feed.tick()
        self.call_after_refresh(self._feed.tick)
        self.set_interval(1 / POLLS_PER_SECOND, self._feed.tick)

    def on_resize(self, event: Resize) -> None:
        """Choose the arrangement for a size."""
        width, height = event.size
        self.set_class(width < SMALLEST[0] or height < SMALLEST[1], "-small")
        self.set_class(width >= WIDE[0] and height >= WIDE[1], "-wide")

    @on(Grew)
    def _grew(self, message: Grew) -> None:
        first = self.total == 0 < message.number
        self.total = message.number
        if self.following:
            self._seen = self.total
            self.cursor = self.total - 1
        elif first:
            self.cursor = max(min(self.settings.at or 0, self.total - 1), 0)
        self._refresh_lines()

    @on(Ended)
    def _over(self) -> None:
        self.following = False
        self.set_class(bool(self._verdict), "-judged")
        self._refresh_lines()

    @on(OverviewStale)
    def _stale(self) -> None:
        # One at a time: over a huge store the next one would begin before this one ends.
        if not self._computing:
            self._computing = True
            self._compute()

    @work(thread=True, group="overview")
    def _compute(self) -> None:
        self._computed = overview_of(self.store)
        self.post_message(OverviewReady(self._computed.rows))

    @on(OverviewReady)
    def _ready(self) -> None:
        self._computing = False
        self.overview = self._computed
        self._refresh_lines()

    @on(Moved)
    def _moved(self, message: Moved) -> None:
        self.notice = None
        self._go(message.number)

    @on(SearchRan)
    def _search_ran(self) -> None:
        self.notice = self.query_one(SearchBar).notice
        self._refresh_lines()

    @on(SearchEnded)
    def _search_ended(self, message: SearchEnded) -> None:
        self.notice = self.query_one(SearchBar).notice
        if message.number >= 0:
            self._go(message.number)
        self._refresh_lines()

    @on(Input.Submitted)
    def _search_kept(self) -> None:
        self.query_one(SearchBar).hide(back=False)
        self.query_one(EventTable).focus()

    def action_move(self, step: str) -> None:
        """Move in the pane that has the focus."""
        pane = self.focused if isinstance(self.focused, LinePane) else self.query_one(EventTable)
        pane.move(Step(step))

    def action_pane(self, number: int) -> None:
        """Go to a pane by its number, from 1."""
        if number > 1:
            self._lower(PANES[number - 1])
        self.query_one(f"#{PANES[number - 1]}").focus()

    def action_next_pane(self, step: int) -> None:
        """Go to the next (1) or previous (-1) pane."""
        here = PANES.index(self.focused.id) if self.focused and self.focused.id in PANES else 0
        self.action_pane((here + step) % len(PANES) + 1)

    def action_open(self) -> None:
        """Open or close a line of the outline."""
        if isinstance(self.focused, OutlineTree):
            self.focused.toggle()

    def action_search(self) -> None:
        """Ask for a pattern."""
        self.query_one(SearchBar).show(self.cursor)

    def action_search_again(self, direction: int) -> None:
        """Look for the last pattern again."""
        self.query_one(SearchBar).look(self.cursor + direction, direction)

    def action_error(self, direction: int) -> None:
        """Go to the next or previous error."""
        row = next_error(self.store, self.cursor, direction)
        if row < 0:
            self._tell("no later error" if direction > 0 else "no earlier error")
        else:
            self._moved(Moved(row))

    def action_pause(self) -> None:
        """Pause a live run, or follow it again."""
        if not self.settings.live:
            self._tell("this log is not live: nothing to pause")
            return
        if not self._going:
            self._tell("the run is over: nothing to pause")
            return
        self.following = not self.following
        self._seen = self.total
        if self.following and self.total:
            self.cursor = self.total - 1
        self.notice = None
        self._refresh_lines()

    def action_copy(self) -> None:
        """Copy the row's record to the clipboard of the terminal (OSC 52)."""
        if not self.total:
            self._tell("there is no line to copy")
            return
        # A record may hold bytes that are no UTF-8; they cannot travel, their escapes can.
        text = self.store.text(self.cursor)[:COPY_LIMIT].encode("utf-8", "backslashreplace").decode()
        self.app.copy_to_clipboard(text)
        self._tell(f"copied line {number_of(self.store, self.cursor)}, {len(text):,} characters")

    def action_plain(self) -> None:
        """Leave the screen, print it as plain text, and come back."""
        if not print_screen(self.app):
            self._tell("this terminal cannot show the plain screen")

    def action_help(self) -> None:
        """Show the keys."""
        self.app.push_screen(HelpScreen(ascii_only=self.settings.ascii_only))

    def action_back(self) -> None:
        """Close the search, or leave."""
        bar = self.query_one(SearchBar)
        if bar.is_open:
            bar.hide(back=True)
            self.query_one(EventTable).focus()
        else:
            self.app.exit()

    def watch_cursor(self) -> None:
        """Tell the position."""
        self._refresh_lines()

    def _go(self, row: int) -> None:
        if not self.total:
            return
        if self.following and row < self.total - 1:
            self.following, self._seen = False, self.total
        elif (
            self.settings.live
            and self._feed.verdict is None
            and row == self.total - 1
            and self.focused is self.query_one(EventTable)
        ):
            self.following = True
        self.cursor = max(min(row, self.total - 1), 0)
        self._refresh_lines()

    def _lower(self, name: str) -> None:
        for pane in PANES[1:]:
            self.set_class(pane == name, f"-shows-{pane}")

    def _tell(self, text: str) -> None:
        self.notice = Span(text, "note")
        self._refresh_lines()

    def _refresh_lines(self) -> None:
        for line in self.query(SpanLine):
            line.refresh()

    def _title(self, width: int) -> Line:
        return title_line(self.settings.title, self.store, self.overview.errors, width)

    def _status(self, width: int) -> Line:
        unseen = 0 if self.following else self.total - self._seen
        ended = self._feed.verdict is not None
        feeding = Feeding(self.settings.live, self.following, unseen, self.settings.dropped(), ended)
        return status_line(self.store, min(self.cursor, max(self.total - 1, 0)), feeding, self.notice, width)

    @property
    def _going(self) -> bool:
        """Whether a live run goes on."""
        return self.settings.live and self._feed.verdict is None

    @property
    def _verdict(self) -> str:
        return self.settings.verdict if self._feed.verdict is None else self._feed.verdict

    def _too_small(self) -> str:
        width, height = self.app.size
        return f"{width}x{height} is too small: getrace needs {SMALLEST[0]}x{SMALLEST[1]}. q quits."
