"""The palette: every command by a few letters of it, and jumps to what one types."""

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Input

from getrace.printable import cell_width, fit, printable
from getrace.store.store import Store
from views.model.fuzzy import best
from views.model.jumps import jumps, nothing_there, operators, row_of_operator
from views.model.spans import Line, Span
from views.model.steps import Step, moved
from views.tui.keymap import ACTIONS, EVERYWHERE, key_words
from views.tui.widgets.line_pane import LinePane

SHOWN = 50
EMPTY = "nothing fits: type a line, #record, time, 0xaddress or operator"
_HIDDEN = frozenset({"palette", "back"})


class Choice(NamedTuple):
    """A command: its words, its key or kind, and textual's action; or, with ``find``, a row to look up and go to."""

    words: str
    note: str
    action: str = ""
    find: Callable[[], int] | None = None


def choices(where: str, more: Sequence[tuple[str, str]]) -> list[tuple[str, Choice]]:
    """Give (words, command) of everything a screen can do; ``more`` are its (words, action) beside the keys."""
    made = [
        Choice(action.words, key_words(action.keys[:1]), action.action)
        for action in sorted(ACTIONS, key=lambda action: action.where == EVERYWHERE)
        if action.where in {EVERYWHERE, where} and action.name not in _HIDDEN
    ]
    made += [Choice(words, where, action) for words, action in more]
    return [(choice.words, choice) for choice in made]


class Choices(LinePane):
    """The commands that fit, the best first."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__("Palette", pane_id="choices", ascii_only=ascii_only)
        self.border_subtitle = "Enter runs it, Esc closes"
        self.found: list[Choice] = []
        self.place = 0
        self._empty = EMPTY

    @property
    def chosen(self) -> int:
        """The line one is at."""
        return self.place if self.found else -1

    def count(self) -> int:
        """Give the number of commands; without any, one line that says so."""
        return len(self.found) or 1

    def line(self, index: int, width: int) -> Line:
        """Give a command and its key."""
        if not self.found:
            return [Span(fit(printable(self._empty, 400), width), "dim")]
        choice = self.found[index]
        room = max(width - cell_width(choice.note) - 1, 4)
        return [Span(fit(printable(choice.words, 400), room) + " "), Span(choice.note, "note")]

    def move(self, step: Step) -> None:
        """Choose another command."""
        self.place = moved(self.place, len(self.found), self.page, step) if self.found else 0
        self.bring_in_sight(self.place)
        self.refresh()

    def show(self, found: list[Choice], empty: str = "") -> None:
        """Show other commands; ``empty`` says why there are none."""
        self.found, self.place, self._empty = found, 0, empty or EMPTY
        self.relay()
        self.bring_in_sight(0)


class PaletteScreen(ModalScreen[Choice | None]):
    """Lies over the frame. Gives the choice made, or None; ``where`` is the name of the screen in sight."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", show=False),
        Binding("down", "move('down')", show=False),
        Binding("up", "move('up')", show=False),
        Binding("pagedown", "move('page_down')", show=False),
        Binding("pageup", "move('page_up')", show=False),
    ]

    def __init__(
        self, store: Store, where: str, cursor: int, more: Sequence[tuple[str, str]], *, ascii_only: bool
    ) -> None:
        super().__init__()
        self._store = store
        self._cursor = cursor
        self._ascii_only = ascii_only
        self._commands = choices(where, more)
        self._operators: list[str] | None = None

    def compose(self) -> ComposeResult:
        """Make the line to type in, and the list."""
        typing = Input(placeholder="a command, line, #record, time, 0xaddress or operator", compact=True, id="wish")
        typing.cursor_blink = False
        yield typing
        yield Choices(ascii_only=self._ascii_only)

    def on_mount(self) -> None:
        """Show everything."""
        self.query_one(Choices).show([choice for _, choice in self._commands])
        self.query_one(Input).focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(Choices).show(self.fitting(event.value), nothing_there(self._store, event.value, self._cursor))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        pane = self.query_one(Choices)
        self.dismiss(pane.found[pane.place] if pane.found else None)

    def fitting(self, typed: str) -> list[Choice]:
        """Give what fits a typed text: places first, then commands and operators."""
        if not typed.strip():
            return [choice for _, choice in self._commands]
        places = [
            Choice(f"go to {jump.words}", "jump", find=_there(jump.row))
            for jump in jumps(self._store, typed, self._cursor)
        ]
        if self._operators is None:
            self._operators = operators(self._store)
        named = [
            (name, Choice(f"go to operator {name}", "operator", find=self._finder(name))) for name in self._operators
        ]
        return [*places, *best(typed, [*self._commands, *named], SHOWN)]

    def _finder(self, name: str) -> Callable[[], int]:
        return lambda: row_of_operator(self._store, name)

    def action_move(self, step: str) -> None:
        """Choose another line."""
        self.query_one(Choices).move(Step(step))

    def action_give_up(self) -> None:
        """Close without a choice."""
        self.dismiss(None)


def _there(row: int) -> Callable[[], int]:
    return lambda: row
