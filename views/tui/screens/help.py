"""The help, made from the key table."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from getrace.printable import fit
from views.model.cards import wrap_words
from views.model.spans import Line, Span
from views.model.steps import Step, moved
from views.model.style import LANE_MARKS, LEVELS
from views.tui.keymap import ACTIONS, EVERYWHERE, key_words
from views.tui.widgets.line_pane import LinePane

_KEYS = 16
_OF_THE_TERMINAL = (("Ctrl+Z", "lend the terminal to the shell; fg comes back"), ("Ctrl+C", "leave at once"))
"""Keys that a shell would take; they cannot be remapped."""


def help_lines(where: str = EVERYWHERE, *, ascii_only: bool, width: int = 80) -> list[Line]:
    """Give the lines of the help: the keys of the screen ``where``, those of everywhere by group, and the signs.

    Words are broken at ``width`` cells: of a help, the end of a sentence is what one needs.
    """
    lines: list[Line] = []
    group = ""
    for action in sorted((a for a in ACTIONS if a.where in {EVERYWHERE, where}), key=lambda a: a.where == EVERYWHERE):
        if action.group != group:
            group = action.group
            lines += [[], [Span(group, "heading")]]
        lines += _told(key_words(action.keys), action.words, width)
    for keys, words in _OF_THE_TERMINAL:
        lines += _told(keys, words, width)
    lines += [[], [Span("Signs", "heading")]]
    for name, mark in LANE_MARKS.items():
        lines.append([Span("  " + fit(mark.sign(ascii_only=ascii_only), _KEYS), f"lane:{name}"), Span(mark.word)])
    for level, mark in LEVELS.items():
        sign = fit(f"{mark.sign(ascii_only=ascii_only)} {mark.word}", _KEYS)
        lines.append([Span("  " + sign, f"level:{level.name}"), Span(f"level {level.name}")])
    return lines[1:]


def _told(keys: str, words: str, width: int) -> list[Line]:
    first, *more = wrap_words(words, max(width - 2 - _KEYS, 12))
    head: Line = [Span("  " + fit(keys, _KEYS), "note"), Span(first)]
    return [head, *([Span(" " * (2 + _KEYS) + piece)] for piece in more)]


class HelpPane(LinePane):
    """The lines of the help, to scroll."""

    marked = False

    def __init__(self, where: str, *, ascii_only: bool = False) -> None:
        super().__init__("Keys", pane_id="help", ascii_only=ascii_only)
        self.border_subtitle = "q closes"
        self._where = where
        self._lines = help_lines(where, ascii_only=ascii_only)

    def on_resize(self) -> None:
        """Break the words anew."""
        self._lines = help_lines(self._where, ascii_only=self.ascii_only, width=self.width)
        self.relay()

    def count(self) -> int:
        """Give the number of lines."""
        return len(self._lines)

    def line(self, index: int, width: int) -> Line:
        """Give a line."""
        del width
        return self._lines[index]

    def move(self, step: Step) -> None:
        """Scroll."""
        top = moved(self.scroll_offset.y, max(self.count() - self.page + 1, 1), self.page, step)
        self.scroll_to(y=top, animate=False, immediate=True, force=True)


class HelpScreen(ModalScreen[None]):
    """Lies over the frame; ``where`` is the name of the screen in sight."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(",".join(a.keys), a.action, show=False) for a in ACTIONS if a.action.startswith("move(")),
        Binding("q,escape,question_mark,f1", "dismiss", show=False),
    ]

    def __init__(self, where: str, *, ascii_only: bool = False) -> None:
        super().__init__()
        self._where = where
        self._ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        """Make the pane."""
        yield HelpPane(self._where, ascii_only=self._ascii_only)

    def action_move(self, step: str) -> None:
        """Scroll the help."""
        self.query_one(HelpPane).move(Step(step))
