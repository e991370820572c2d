"""The table of keys: what each does, in one place, for the screens, the help, the palette and a remapping.

Only keys that arrive in every terminal. They are those of less, vim, lnav and Perfetto, so that a user of those is not
surprised. An action belongs everywhere, or to one screen; a screen's key may be another screen's, but never one of
everywhere.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from textual.binding import Binding

from getrace.errors import UsageError

EVERYWHERE = ""


class Action(NamedTuple):
    """An action: its stable ``name`` for remapping, textual's action, its keys, and what the help says.

    ``where`` is the name of the screen that has it, in small letters, or ``EVERYWHERE``.
    """

    name: str
    action: str
    keys: tuple[str, ...]
    words: str
    group: str
    where: str = EVERYWHERE


ACTIONS: tuple[Action, ...] = (
    Action("filter", "filter", ("f",), "filter: level>=warning, op~add, size>1M, -text ...", "Events", "events"),
    Action("filter-drop", "filter_drop", ("x",), "take the last filter away", "Events", "events"),
    Action("filter-switch", "filter_switch", ("F",), "switch the filters off and on", "Events", "events"),
    Action("context", "context", ("c",), "rows of context around each hit: 0, 1, 3, 10", "Events", "events"),
    Action("fold", "fold", ("z",), "fold repeats into one line, with their count", "Events", "events"),
    Action("stop", "stop", ("b",), "stop at the next record that passes (live or playing)", "Events", "events"),
    Action("columns", "columns", ("v",), "other columns: usual, streams, memory, log", "Events", "events"),
    Action("since", "since", ("D",), "times since the line before, the operator, marker A", "Events", "events"),
    Action("raw", "raw", ("r",), "the log as it stands, or the record in full", "Events", "events"),
    Action("zoom-in", "zoom(1)", ("w",), "zoom in around the cursor", "Timeline", "timeline"),
    Action("zoom-out", "zoom(-1)", ("s",), "zoom out", "Timeline", "timeline"),
    Action("pan-back", "pan(-1)", ("a",), "earlier", "Timeline", "timeline"),
    Action("pan-on", "pan(1)", ("d",), "later", "Timeline", "timeline"),
    Action("slice-next", "slice(1)", ("full_stop",), "next slice or mark of the lane", "Timeline", "timeline"),
    Action("slice-back", "slice(-1)", ("comma",), "previous slice or mark of the lane", "Timeline", "timeline"),
    Action("focus", "focus", ("f",), "close on A to B or on the slice; again for all", "Timeline", "timeline"),
    Action("down", "move('down')", ("j", "down"), "next line", "Move"),
    Action("up", "move('up')", ("k", "up"), "previous line", "Move"),
    Action("page-down", "move('page_down')", ("pagedown", "ctrl+f"), "next page", "Move"),
    Action("page-up", "move('page_up')", ("pageup", "ctrl+b"), "previous page", "Move"),
    Action("first", "move('first')", ("g", "home"), "first line", "Move"),
    Action("last", "move('last')", ("G", "end"), "last line; follows a live run", "Move"),
    Action("step-back", "step(-1)", ("left_square_bracket",), "one record back, on any screen", "Move"),
    Action("step-on", "step(1)", ("right_square_bracket",), "one record on, on any screen", "Move"),
    Action("search", "search", ("slash",), "search the lines (regular expression)", "Find"),
    Action("search-next", "search_again(1)", ("n",), "next hit", "Find"),
    Action("search-back", "search_again(-1)", ("N",), "previous hit", "Find"),
    Action("error-next", "walk('error', 1)", ("e",), "next error", "Find"),
    Action("error-back", "walk('error', -1)", ("E",), "previous error", "Find"),
    Action("operator-next", "walk('operator', 1)", ("o",), "next record of the same operator", "Find"),
    Action("operator-back", "walk('operator', -1)", ("O",), "previous record of the same operator", "Find"),
    Action("mark", "mark", ("m",), "mark the line, or take the mark away", "Mark"),
    Action("mark-next", "walk('mark', 1)", ("u",), "next mark", "Mark"),
    Action("mark-back", "walk('mark', -1)", ("U",), "previous mark", "Mark"),
    Action("marker-a", "marker(0)", ("A",), "set marker A here; again takes it away", "Mark"),
    Action("marker-b", "marker(1)", ("B",), "set marker B here; the status line says the time between", "Mark"),
    Action("overview", "screen(1)", ("1",), "overview: what failed, what ran, what the log lacks", "Screens"),
    Action("events", "screen(2)", ("2",), "events: every record", "Screens"),
    Action("timeline", "screen(3)", ("3",), "timeline: threads and streams over time", "Screens"),
    Action("memory", "screen(4)", ("4",), "memory: curve, blocks, leaks", "Screens"),
    Action("streams", "screen(5)", ("5",), "streams: sends and waits", "Screens"),
    Action("graphs", "screen(6)", ("6",), "graphs: Init, Main, DeInit", "Screens"),
    Action("sources", "screen(7)", ("7",), "sources: files and what could not be read", "Screens"),
    Action("compare", "screen(8)", ("8",), "compare: two runs side by side", "Screens"),
    Action("pane-next", "next_pane(1)", ("tab",), "next pane of a screen", "Screens"),
    Action("pane-back", "next_pane(-1)", ("shift+tab",), "previous pane of a screen", "Screens"),
    Action("open", "open", ("enter",), "open or close a line, or go where it points", "Screens"),
    Action("curve-next", "curve(1)", ("c",), "next curve: all memory, each stream, each pool", "Memory", "memory"),
    Action("curve-back", "curve(-1)", ("C",), "previous curve", "Memory", "memory"),
    Action("leaks", "leaks", ("l",), "list the lost blocks only, or all", "Memory", "memory"),
    Action("node-left", "aside(-1)", ("left",), "node to the left", "Graphs", "graphs"),
    Action("node-right", "aside(1)", ("right",), "node to the right", "Graphs", "graphs"),
    Action("stage", "stage", ("v",), "next graph of this dump: Init, Main, DeInit", "Graphs", "graphs"),
    Action("pass-next", "turn(1)", ("p",), "same graph after the next pass", "Graphs", "graphs"),
    Action("pass-back", "turn(-1)", ("P",), "same graph after the pass before", "Graphs", "graphs"),
    Action("heat", "heat", ("h",), "heat by count, time, bytes, errors, or none", "Graphs", "graphs"),
    Action("image", "image", ("i",), "draw around the node as an image, if the terminal can", "Graphs", "graphs"),
    Action("right-run-next", "turn_run(1, 1)", ("full_stop",), "next run at the right", "Compare", "compare"),
    Action("right-run-back", "turn_run(1, -1)", ("comma",), "previous run at the right", "Compare", "compare"),
    Action("left-run-next", "turn_run(0, 1)", ("greater_than_sign",), "next run at the left", "Compare", "compare"),
    Action("left-run-back", "turn_run(0, -1)", ("less_than_sign",), "previous run at the left", "Compare", "compare"),
    Action("differences", "differences", ("d",), "list what differs only, or all", "Compare", "compare"),
    Action("pause", "pause", ("space",), "pause or follow a live run; play or stop a log", "Play"),
    Action("faster", "speed(1)", ("plus",), "play faster", "Play"),
    Action("slower", "speed(-1)", ("minus",), "play slower", "Play"),
    Action("palette", "palette", ("colon", "ctrl+p"), "palette: any command; line, time, #record, 0xaddress", "Other"),
    Action("copy", "copy", ("y",), "copy the line", "Other"),
    Action("print", "plain", ("ctrl+l",), "print the screen as plain text", "Other"),
    Action("help", "help", ("question_mark", "f1"), "this help", "Other"),
    Action("back", "back", ("q", "escape"), "back, or quit", "Other"),
)

_KEY_WORDS = {
    "slash": "/",
    "colon": ":",
    "plus": "+",
    "minus": "-",
    "comma": ",",
    "full_stop": ".",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "escape": "Esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "home": "Home",
    "end": "End",
    "enter": "Enter",
    "space": "Space",
    "tab": "Tab",
    "shift+tab": "Shift+Tab",
    "f1": "F1",
}


def bindings(where: str = EVERYWHERE) -> list[Binding]:
    """Give textual's bindings of a screen; the id of a binding is the action's name."""
    return [
        Binding(",".join(action.keys), action.action, action.words, show=False, id=action.name)
        for action in ACTIONS
        if action.where == where
    ]


def remapped(keys: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Check a user's keys (action name: keys) and give them as textual's keymap.

    Raises:
        UsageError: an action is unknown, or a key would mean two things on one screen.
    """
    chosen = {action.name: action.keys for action in ACTIONS}
    unknown = sorted(set(keys) - set(chosen))
    if unknown:
        raise UsageError(f"no such action: {', '.join(unknown)}", f"the actions are {', '.join(chosen)}")
    for where in {action.where for action in ACTIONS}:
        _refuse_doubles(
            {
                action.name: keys.get(action.name, action.keys)
                for action in ACTIONS
                if action.where in {EVERYWHERE, where}
            }
        )
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
