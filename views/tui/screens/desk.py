"""What keys do to the one cursor: moves, walks, marks, playing, and the commands that need no pane.

The frame below it places the screens and passes messages on; this changes the state that they share.
"""

from abc import abstractmethod
from typing import ClassVar

from textual.binding import BindingType
from textual.reactive import reactive
from textual.screen import Screen

from getrace.store.store import Store
from views.model.find import next_error
from views.model.operators import next_of_operator, operator_of
from views.model.overview import Overview, nothing
from views.model.places import Places, between, next_mark
from views.model.play import Playing, play
from views.model.rows import number_of
from views.model.spans import Span
from views.model.steps import Step
from views.tui.feed import Feed
from views.tui.keymap import bindings
from views.tui.messages import Moved
from views.tui.plain import print_screen
from views.tui.screens.help import HelpScreen
from views.tui.screens.page import Page
from views.tui.screens.palette import Choice, PaletteScreen
from views.tui.screens.registry import tab_of
from views.tui.settings import Settings
from views.tui.widgets.prompt import Prompt
from views.tui.widgets.search_bar import SearchBar

COPY_LIMIT = 100_000
"""Characters that go to the clipboard: terminals drop longer OSC 52 sequences."""
FRAMES_PER_SECOND = 10
"""How often a log that is played moves on; more would only repaint."""
_WALKS = {"error": "error", "operator": "record of this operator", "mark": "mark"}


class Desk(Screen[None]):
    """The cursor over a store, the marks, and the state of a live run or of playing."""

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
        self.playing: Playing | None = None
        self.speed = Playing().speed
        self.notice: Span | None = None
        self.number = 0
        self.seen = 0
        self.feed = Feed(store, self.post_message, settings.ended)

    @property
    @abstractmethod
    def page(self) -> Page:
        """The page in sight."""

    @abstractmethod
    def show(self, number: int) -> None:
        """Show a page."""

    @abstractmethod
    def focus_page(self) -> None:
        """Give the keys to the page in sight."""

    @abstractmethod
    def refresh_lines(self) -> None:
        """Paint title, tabs and status anew."""

    @abstractmethod
    def keep(self) -> None:
        """Keep where one is, for another day."""

    @property
    def going(self) -> bool:
        """Whether a live run goes on; a log that is being read has no end to follow."""
        return self.settings.live and self.settings.behind is None and self.feed.verdict is None

    def tell(self, text: str) -> None:
        """Say something in the status line until the cursor moves."""
        self.notice = Span(text, "note")
        self.refresh_lines()

    def go(self, row: int) -> None:
        """Take the cursor to a row; leaving the end of a live run stops following it, coming back follows again."""
        if not self.total:
            return
        if self.following and row < self.total - 1:
            self.following, self.seen = False, self.total
        elif self.going and row == self.total - 1 and self.focused is self.page.main_pane():
            self.following = True
        self.cursor = max(min(row, self.total - 1), 0)
        self.refresh_lines()

    def move_to(self, row: int) -> None:
        """Take the cursor to a row as the user asked; a log that is played stops."""
        self.notice, self.playing = None, None
        self.go(row)

    def stop_at(self, row: int) -> None:
        """Stop following or playing at a row."""
        self.following, self.playing, self.seen = False, None, self.total
        self.cursor = max(min(row, self.total - 1), 0)
        self.tell(f"stopped at {number_of(self.store, self.cursor)}: it passes the filters")

    def action_screen(self, number: int) -> None:
        """Show a screen."""
        self.notice = None
        self.show(number)

    def action_move(self, step: str) -> None:
        """Move in the pane that has the focus."""
        self.page.move(Step(step))

    def action_step(self, direction: int) -> None:
        """Go to the next (1) or previous (-1) record, whatever the pane shows."""
        self.move_to(self.cursor + direction)

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
            self.post_message(Moved(row))
        elif what == "operator" and not operator_of(self.store, self.cursor):
            self.tell("this record names no operator")
        else:
            self.tell(f"no {'later' if direction > 0 else 'earlier'} {_WALKS[what]}")

    def action_mark(self) -> None:
        """Mark the row of the cursor, or take its mark away."""
        if self.total:
            self.places = self.places.toggled(self.cursor)
            self.tell("marked" if self.cursor in self.places.marks else "mark taken away")
            self.keep()

    def action_marker(self, number: int) -> None:
        """Set marker A (0) or B (1) at the cursor, or take it away."""
        if self.total:
            self.places = self.places.with_marker(number, self.cursor)
            self.notice = between(self.store, self.places)
            self.refresh_lines()
            self.keep()

    def action_pause(self) -> None:
        """Pause a live run or follow it again; play a log or stop."""
        if self.going:
            self.following = not self.following
            self.seen = self.total
            if self.following and self.total:
                self.cursor = self.total - 1
            self.notice = None
        elif self.total:
            self.playing = Playing(speed=self.speed) if self.playing is None else None
            self.notice = None
            if self.playing is not None:
                self.set_timer(1 / FRAMES_PER_SECOND, self._play)
        self.refresh_lines()

    def action_speed(self, direction: int) -> None:
        """Play faster (1) or slower (-1)."""
        state = (self.playing or Playing(speed=self.speed)).faster(direction)
        self.speed = state.speed
        if self.playing is None:
            self.tell(f"plays at {state.words}: Space begins")
        else:
            self.playing = state
        self.refresh_lines()

    def _play(self) -> None:
        if self.playing is None:
            return
        played = play(self.store, self.playing, self.cursor, 1 / FRAMES_PER_SECOND)
        self.playing = played.playing
        self.cursor = played.row
        if played.words:
            self.tell(played.words)
        if self.cursor >= self.total - 1:
            self.playing = None
            self.tell("the end of the log")
        else:
            self.set_timer(1 / FRAMES_PER_SECOND, self._play)
        self.refresh_lines()

    def action_palette(self) -> None:
        """Ask for a command, and run it."""
        tab = tab_of(self.number)
        where = tab.name if tab else ""
        more, ascii_only = self.page.commands(), self.settings.ascii_only
        palette = PaletteScreen(self.store, where, self.cursor, more, ascii_only=ascii_only)
        self.app.push_screen(palette, self._run)

    async def _run(self, choice: Choice | None) -> None:
        if choice is None:
            return
        if choice.find is None:
            own = hasattr(self.page, f"action_{choice.action.partition('(')[0]}")
            await (self.page if own else self).run_action(choice.action)
        elif (row := choice.find()) >= 0:
            self.move_to(row)

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
        """Close what one types in, or leave."""
        bar = self.query_one(SearchBar)
        if isinstance(self.focused, Prompt):
            self.focused.give_up()
        elif bar.is_open:
            bar.hide(back=True)
            self.focus_page()
        else:
            self.app.exit()
