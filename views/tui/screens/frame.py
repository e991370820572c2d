"""The frame around the eight screens: one store, one cursor, one search, and what goes between them.

State is the store, the cursor, the marks and a few flags; it is bound downward into the page in sight, and pages answer
with messages. A page is made when it is first asked for, so opening a log costs one of them.
"""

import time
from contextlib import suppress

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.events import Resize
from textual.widgets import Input

from getrace.printable import printable
from getrace.store.store import Store
from views.model.overview import overview_of
from views.model.pace import Pace
from views.model.spans import Line, Span
from views.model.status import Feeding, status_line, title_line
from views.model.tabs import tab_line
from views.tui.background import Failed, in_background
from views.tui.feed import POLLS_PER_SECOND
from views.tui.messages import (
    Ended,
    Grew,
    Moved,
    OverviewReady,
    OverviewStale,
    SearchEnded,
    SearchRan,
    ShowScreen,
    Stopped,
    Tell,
)
from views.tui.pauses import PERIOD, give_back, set_aside
from views.tui.screens.desk import Desk
from views.tui.screens.keeping import Keeping
from views.tui.screens.page import Page
from views.tui.screens.registry import TABS, tab_of
from views.tui.settings import Settings
from views.tui.terminal import SMALLEST
from views.tui.widgets.search_bar import SearchBar
from views.tui.widgets.span_line import SpanLine

WIDE = (110, 32)
"""From this size on pages show more panes at once."""


class Frame(Desk):
    """Title, tabs, the page in sight, the search and the status of a store."""

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__(store, settings)
        self._pages: dict[int, Page] = {}
        self._begun = False
        self._computing = False
        self._computed = self.overview
        self._settled: tuple[int, ...] = ()
        self._pace = Pace(settings.behind() if settings.behind is not None else 0)
        self._keeping = Keeping(store, settings.session)
        self._arrived = not settings.goes_on

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
        self.feed.tick()
        first = self.settings.first_screen
        self.show(self._keeping.screen or first if self.settings.goes_on else first)
        self.call_after_refresh(self.feed.tick)
        self.set_interval(1 / POLLS_PER_SECOND, self.feed.tick)
        self.call_after_refresh(set_aside)
        self.set_interval(PERIOD, self._set_aside)

    def on_unmount(self) -> None:
        """Leave nothing behind."""
        give_back()

    def _set_aside(self) -> None:
        """Set aside what was read in the last second, if anything was."""
        state = (self.number, self.total, self.overview.rows, self.page.read_rows)
        if state != self._settled or self._computing or not self.page.is_read:
            self._settled = state
            set_aside()

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
            # A file of another release, or one that somebody has edited, must not keep the log from being opened.
            with suppress(ValueError, TypeError, AttributeError):
                page.restore(self._keeping.page(tab.name))
            self.query_one("#body").mount(page)
        for other, page in self._pages.items():
            page.display = other == number
        self.number = number
        self._bring_up_to_date()
        self.call_after_refresh(self.focus_page)
        self.refresh_lines()

    def focus_page(self) -> None:
        """Give the keys to the page in sight."""
        pane = self.page.main_pane()
        if pane is not None and not self.query_one(SearchBar).is_open:
            pane.focus()

    def _bring_up_to_date(self) -> None:
        page = self.page
        page.total, page.overview = self.total, self.overview
        page.cursor, page.places = self.cursor, self.places
        if self._begun:
            page.read_again()

    @on(Grew)
    def _grew(self, message: Grew) -> None:
        first = self.total == 0 < message.number
        self.total = message.number
        if self._pages:
            self.page.total = self.total
        if self.following:
            self.seen = self.total
            self.cursor = self.total - 1
        elif first:
            self.cursor = max(min(self.settings.at or 0, self.total - 1), 0)
        self._go_on()
        self.refresh_lines()

    def _go_on(self) -> None:
        """Bring marks back, and the cursor unless the user has moved it or asked for another place."""
        over = not self.settings.live or self.feed.verdict is not None
        found = self._keeping.found(self.places, over=over)
        if found is None:
            return
        self.places = found.places
        if not self._arrived and not self.following and found.row >= 0:
            self._arrived = True
            self.cursor = found.row
        if found.words and self.settings.goes_on:
            self.tell(found.words)

    def keep(self) -> None:
        """Keep where one is, for another day."""
        pages = {page.id or "": page.kept() for page in self._pages.values()}
        trouble = self._keeping.save(self.cursor, self.number, self.places, pages)
        if trouble:
            self.tell(trouble)

    def move_to(self, row: int) -> None:
        """Take the cursor to a row as the user asked: it does not go back to where it was another day."""
        self._arrived = True
        super().move_to(row)

    @on(Ended)
    def _over(self) -> None:
        self.following = False
        self.set_class(bool(self._verdict), "-judged")
        self._go_on()
        self.refresh_lines()

    @on(OverviewStale)
    def _stale(self) -> None:
        self._begun = True
        self.page.read_again()
        # One at a time: over a huge store the next one would begin before this one ends.
        if not self._computing:
            self._computing = True
            in_background(self, self._compute)

    @on(Failed)
    def _failed(self, message: Failed) -> None:
        raise message.error

    def _compute(self) -> None:
        self._computed = overview_of(self.store)
        self.post_message(OverviewReady(self._computed.rows))

    @on(OverviewReady)
    def _ready(self) -> None:
        self._computing = False
        self.overview = self._computed
        self.page.overview = self.overview
        self.refresh_lines()

    @on(Moved)
    def _moved(self, message: Moved) -> None:
        self.move_to(message.number)

    @on(Stopped)
    def _stopped(self, message: Stopped) -> None:
        self.stop_at(message.number)

    @on(Tell)
    def _told(self, message: Tell) -> None:
        self.tell(message.text)

    @on(ShowScreen)
    def _asked_for(self, message: ShowScreen) -> None:
        self.show(message.number)

    @on(SearchRan)
    def _search_ran(self) -> None:
        self.notice = self.query_one(SearchBar).notice
        self.refresh_lines()

    @on(SearchEnded)
    def _search_ended(self, message: SearchEnded) -> None:
        self.notice = self.query_one(SearchBar).notice
        if message.number >= 0:
            self.go(message.number)
        self.refresh_lines()

    @on(Input.Submitted, "#search")
    def _search_kept(self) -> None:
        self.query_one(SearchBar).hide(back=False)
        self.focus_page()

    def watch_cursor(self) -> None:
        """Tell the page and the status line."""
        if self._pages:
            self.page.cursor = self.cursor
        self.refresh_lines()

    def watch_places(self) -> None:
        """Tell the page."""
        self.page.places = self.places

    def refresh_lines(self) -> None:
        """Paint title, tabs and status anew."""
        for line in self.query(SpanLine):
            line.refresh()

    def _title(self, width: int) -> Line:
        return title_line(self.settings.title, self.store, self.overview.errors, width)

    def _tabs(self, width: int) -> Line:
        return tab_line([(tab.number, tab.title) for tab in TABS], self.number, width)

    def _status(self, width: int) -> Line:
        unseen = 0 if self.following else self.total - self.seen
        ended = self.feed.verdict is not None
        playing = "" if self.playing is None else self.playing.words
        behind, live = self.settings.behind, self.settings.live and self.settings.behind is None
        reading = "" if behind is None or ended else self._pace.words(behind(), time.monotonic())
        feeding = Feeding(live, self.following, unseen, self.settings.dropped(), ended, playing, reading)
        return status_line(self.store, min(self.cursor, max(self.total - 1, 0)), feeding, self.notice, width)

    @property
    def _verdict(self) -> str:
        return self.settings.verdict if self.feed.verdict is None else self.feed.verdict

    def _too_small(self) -> str:
        width, height = self.app.size
        return f"{width}x{height} is too small: getrace needs {SMALLEST[0]}x{SMALLEST[1]}. q quits."
