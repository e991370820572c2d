"""The table of keys: what each does, in one place, for the screen, the help and a later remapping.

Only keys that arrive in every terminal. They are those of less, vim and lnav, so that a user of those is not
surprised.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from textual.binding import Binding

from getrace.errors import UsageError


class Action(NamedTuple):
    """An action: its stable ``name`` for remapping, textual's action, its keys, and what the help says."""

    name: str
    action: str
    keys: tuple[str, ...]
    words: str
    group: str


ACTIONS: tuple[Action, ...] = (
    Action("down", "move('down')", ("j", "down"), "next line", "Move"),
    Action("up", "move('up')", ("k", "up"), "previous line", "Move"),
    Action("page-down", "move('page_down')", ("pagedown", "ctrl+f"), "next page", "Move"),
    Action("page-up", "move('page_up')", ("pageup", "ctrl+b"), "previous page", "Move"),
    Action("first", "move('first')", ("g", "home"), "first line", "Move"),
    Action("last", "move('last')", ("G", "end"), "last line; follows a live run", "Move"),
    Action("search", "search", ("slash",), "search the lines (regular expression)", "Find"),
    Action("search-next", "search_again(1)", ("n",), "next hit", "Find"),
    Action("search-back", "search_again(-1)", ("N",), "previous hit", "Find"),
    Action("error-next", "error(1)", ("e",), "next error", "Find"),
    Action("error-back", "error(-1)", ("E",), "previous error", "Find"),
    Action("events", "pane(1)", ("1",), "events", "Panes"),
    Action("detail", "pane(2)", ("2",), "the selected event in full", "Panes"),
    Action("outline", "pane(3)", ("3",), "outline: Init, Main, DeInit", "Panes"),
    Action("memory", "pane(4)", ("4",), "memory; j k go from change to change", "Panes"),
    Action("streams", "pane(5)", ("5",), "streams; j k go from mark to mark", "Panes"),
    Action("pane-next", "next_pane(1)", ("tab",), "next pane", "Panes"),
    Action("pane-back", "next_pane(-1)", ("shift+tab",), "previous pane", "Panes"),
    Action("open", "open", ("enter",), "open or close a line of the outline", "Panes"),
    Action("pause", "pause", ("space",), "pause or follow a live run", "Other"),
    Action("copy", "copy", ("y",), "copy the line", "Other"),
    Action("print", "plain", ("ctrl+l",), "print the screen as plain text", "Other"),
    Action("help", "help", ("question_mark", "f1"), "this help", "Other"),
    Action("back", "back", ("q", "escape"), "back, or quit", "Other"),
)

_KEY_WORDS = {
    "slash": "/",
    "question_mark": "?",
    "escape": "Esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "down": "↓",
    "up": "↑",
    "home": "Home",
    "end": "End",
    "enter": "Enter",
    "space": "Space",
    "tab": "Tab",
    "shift+tab": "Shift+Tab",
    "f1": "F1",
}


def bindings() -> list[Binding]:
    """Give textual's bindings of the table; the id of a binding is the action's name."""
    return [
        Binding(",".join(action.keys), action.action, action.words, show=False, id=action.name) for action in ACTIONS
    ]


def remapped(keys: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Check a user's keys (action name: keys) and give them as textual's keymap.

    Raises:
        UsageError: an action is unknown, or a key would mean two things.
    """
    chosen = {action.name: action.keys for action in ACTIONS}
    unknown = sorted(set(keys) - set(chosen))
    if unknown:
        raise UsageError(f"no such action: {', '.join(unknown)}", f"the actions are {', '.join(chosen)}")
    _refuse_doubles(chosen | dict(keys))
    return {name: ",".join(own) for name, own in keys.items()}


def key_words(keys: Iterable[str]) -> str:
    """Spell keys for a person: ``/``, ``PgDn``, ``Ctrl+L``."""
    return " ".join(_KEY_WORDS.get(key, key.replace("ctrl+", "Ctrl+") if "ctrl+" in key else key) for key in keys)


def _refuse_doubles(chosen: Mapping[str, tuple[str, ...]]) -> None:
    owner: dict[str, str] = {}
    for name, keys in chosen.items():
        for key in keys:
            if key in owner:
                raise UsageError(f"the key {key} means both {owner[key]} and {name}", "give one of them another key")
            owner[key] = name
