"""The frame around the eight screens: one store, one cursor, one search, and what goes between them.

State is the store, the cursor, the marks and a few flags; it is bound downward into the page in sight, and pages answer
with messages. A page is made when it is first asked for, so opening a log costs one of them.
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
from views.model.operators import next_of_operator, operator_of
from views.model.overview import Overview, nothing, overview_of
from views.model.places import Places, between, next_mark
from views.model.rows import number_of
from views.model.spans import Line, Span
from views.model.status import Feeding, status_line, title_line
from views.model.steps import Step
from views.model.tabs import tab_line
from views.tui.feed import POLLS_PER_SECOND, Feed
from views.tui.keymap import bindings
from views.tui.messages import (
    Ended,
    Grew,
    Moved,
    OverviewReady,
    OverviewStale,
    SearchEnded,
    SearchRan,
    ShowScreen,
    Tell,
)
from views.tui.plain import print_screen
from views.tui.screens.help import HelpScreen
from views.tui.screens.page import Page
from views.tui.screens.registry import TABS, tab_of
from views.tui.settings import Settings
from views.tui.widgets.prompt import Prompt
from views.tui.widgets.search_bar import SearchBar
from views.tui.widgets.span_line import SpanLine

SMALLEST = (60, 15)
WIDE = (110, 32)
"""From this size on pages show more panes at once."""
COPY_LIMIT = 100_000
"""Characters that go to the clipboard: terminals drop longer OSC 52 sequences."""


class Frame(Screen[None]):
    """Title, tabs, the page in sight, the search and the status of a store."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    cursor: reactive[int] = reactive(0, init=False)
    total: reactive[int] = reactive(0, init=False)
    overview: reactive[Overview] = reactive(nothing, init=False, always_update=True)
    places: reactive[Places] = reactive(Places, init=False)

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__()
        self.store = store
        self.settings = settings
        self.following = settings.live and settings.at is None
        self.notice: Span | None = None
        self.number = 0
        self._pages: dict[int, Page] = {}
        self._seen = 0
        self._computing = False
        self._computed = self.overview
        self._feed = Feed(store, self.post_message, settings.ended)

    def compose(self) -> ComposeResult:
        """Place the lines; ``app.tcss`` says where."""
        yield SpanLine(lambda _: [Span(self._too_small(), "note")], line_id="too-small")
        yield SpanLine(self._title, line_id="title")
        yield SpanLine(self._tabs, line_id="tabs")
        yield SpanLine(lambda _: [Span(" " + printable(self._verdict, 400), "strong")], line_id="verdict")
        yield Container(id="body")
        with Horizontal(id="search-line"):
            yield SpanLine(lambda _: [Span(" /", "heading")], line_id="slash")
            yield SearchBar(self.store)
        yield SpanLine(self._status, line_id="status")

    def on_mount(self) -> None:
        """Read what is there already, and begin to poll."""
        self.set_class(bool(self._verdict), "-judged")
        self._feed.tick()
        self.show(self.settings.first_screen)
        self.call_after_refresh(self._feed.tick)
        self.set_interval(1 / POLLS_PER_SECOND, self._feed.tick)

    def on_resize(self, event: Resize) -> None:
        """Choose the arrangement for a size."""
        width, height = event.size
        self.set_class(width < SMALLEST[0] or height < SMALLEST[1], "-small")
        self.set_class(width >= WIDE[0] and height >= WIDE[1], "-wide")

    @property
    def page(self) -> Page:
        """The page in sight."""
        return self._pages[self.number]

    def show(self, number: int) -> None:
        """Show a page; it is made at the first time."""
        tab = tab_of(number)
        if tab is None:
            self.tell(f"this release has no screen {number}")
            return
        if number not in self._pages:
            page = self._pages[number] = tab.page(self.store, self.settings)
            page.id = tab.name
            self.query_one("#body").mount(page)
        for other, page in self._pages.items():
            page.display = other == number
        self.number = number
        self._bring_up_to_date()
        self.call_after_refresh(self._focus_page)
        self._refresh_lines()

    def _focus_page(self) -> None:
        pane = self.page.main_pane()
        if pane is not None and not self.query_one(SearchBar).is_open:
            pane.focus()

    def _bring_up_to_date(self) -> None:
        page = self.page
        page.total, page.overview = self.total, self.overview
        page.cursor, page.places = self.cursor, self.places
        page.read_again()

    @on(Grew)
    def _grew(self, message: Grew) -> None:
        first = self.total == 0 < message.number
        self.total = message.number
        if self._pages:
            self.page.total = self.total
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
        self.page.read_again()
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
        self.page.overview = self.overview
        self._refresh_lines()

    @on(Moved)
    def _moved(self, message: Moved) -> None:
        self.notice = None
        self._go(message.number)

    @on(Tell)
    def _told(self, message: Tell) -> None:
        self.tell(message.text)

    @on(ShowScreen)
    def _asked_for(self, message: ShowScreen) -> None:
        self.show(message.number)

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

    @on(Input.Submitted, "#search")
    def _search_kept(self) -> None:
        self.query_one(SearchBar).hide(back=False)
        self._focus_page()

    def action_screen(self, number: int) -> None:
        """Show a screen."""
        self.notice = None
        self.show(number)

    def action_move(self, step: str) -> None:
        """Move in the pane that has the focus."""
        self.page.move(Step(step))

    def action_step(self, direction: int) -> None:
        """Go to the next (1) or previous (-1) record, whatever the pane shows."""
        self._moved(Moved(self.cursor + direction))

    def action_next_pane(self, step: int) -> None:
        """Give the focus to the next (1) or previous (-1) pane of the page."""
        self.page.next_pane(step)

    def action_open(self) -> None:
        """Open or close a line of the page."""
        self.page.open()

    def action_search(self) -> None:
        """Ask for a pattern."""
        self.query_one(SearchBar).show(self.cursor)

    def action_search_again(self, direction: int) -> None:
        """Look for the last pattern again."""
        self.query_one(SearchBar).look(self.cursor + direction, direction)

    def action_walk(self, what: str, direction: int) -> None:
        """Go to the next (1) or previous (-1) error, record of the same operator, or mark."""
        if not self.total:
            return
        row = {
            "error": lambda: next_error(self.store, self.cursor, direction),
            "operator": lambda: next_of_operator(self.store, self.cursor, direction),
            "mark": lambda: next_mark(self.places, self.cursor, direction),
        }[what]()
        if row >= 0:
            self._moved(Moved(row))
        elif what == "operator" and not operator_of(self.store, self.cursor):
            self.tell("this record names no operator")
        else:
            words = {"error": "error", "operator": "record of this operator", "mark": "mark"}[what]
            self.tell(f"no {'later' if direction > 0 else 'earlier'} {words}")

    def action_mark(self) -> None:
        """Mark the row of the cursor, or take its mark away."""
        if self.total:
            self.places = self.places.toggled(self.cursor)
            self.tell("marked" if self.cursor in self.places.marks else "mark taken away")

    def action_marker(self, number: int) -> None:
        """Set marker A (0) or B (1) at the cursor, or take it away."""
        if self.total:
            self.places = self.places.with_marker(number, self.cursor)
            self.notice = between(self.store, self.places)
            self._refresh_lines()

    def action_pause(self) -> None:
        """Pause a live run, or follow it again."""
        if not self.settings.live:
            self.tell("this log is not live: nothing to pause")
            return
        if not self._going:
            self.tell("the run is over: nothing to pause")
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
            self.tell("there is no line to copy")
            return
        # A record may hold bytes that are no UTF-8; they cannot travel, their escapes can.
        text = self.store.text(self.cursor)[:COPY_LIMIT].encode("utf-8", "backslashreplace").decode()
        self.app.copy_to_clipboard(text)
        self.tell(f"copied line {number_of(self.store, self.cursor)}, {len(text):,} characters")

    def action_plain(self) -> None:
        """Leave the screen, print it as plain text, and come back."""
        if not print_screen(self.app):
            self.tell("this terminal cannot show the plain screen")

    def action_help(self) -> None:
        """Show the keys."""
        tab = tab_of(self.number)
        self.app.push_screen(HelpScreen(tab.name if tab else "", ascii_only=self.settings.ascii_only))

    def action_back(self) -> None:
        """Close the search, or leave."""
        bar = self.query_one(SearchBar)
        if isinstance(self.focused, Prompt):
            self.focused.give_up()
        elif bar.is_open:
            bar.hide(back=True)
            self._focus_page()
        else:
            self.app.exit()

    def watch_cursor(self) -> None:
        """Tell the page and the status line."""
        if self._pages:
            self.page.cursor = self.cursor
        self._refresh_lines()

    def watch_places(self) -> None:
        """Tell the page."""
        self.page.places = self.places

    def _go(self, row: int) -> None:
        if not self.total:
            return
        if self.following and row < self.total - 1:
            self.following, self._seen = False, self.total
        elif self._going and row == self.total - 1 and self.focused is self.page.main_pane():
            self.following = True
        self.cursor = max(min(row, self.total - 1), 0)
        self._refresh_lines()

    def tell(self, text: str) -> None:
        """Say something in the status line until the cursor moves."""
        self.notice = Span(text, "note")
        self._refresh_lines()

    def _refresh_lines(self) -> None:
        for line in self.query(SpanLine):
            line.refresh()

    def _title(self, width: int) -> Line:
        return title_line(self.settings.title, self.store, self.overview.errors, width)

    def _tabs(self, width: int) -> Line:
        return tab_line([(tab.number, tab.title) for tab in TABS], self.number, width)

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
