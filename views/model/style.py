"""One table of colours, glyphs and words, for the terminal and for Graphviz.

Colour is never the only sign: each mark has a glyph and a word too, and each glyph an ASCII one. The colours are told
apart by people who see red and green alike (after Okabe and Ito), on a dark screen and on white paper. Were they
chosen by widgets, an error would be red in one pane and orange in the next.
"""

from typing import NamedTuple

from getrace.events import FAMILIES, Event, Level


class Mark(NamedTuple):
    """How a kind of thing looks: ``dark`` is its colour on a dark screen, ``light`` on white paper."""

    word: str
    glyph: str
    ascii: str
    dark: str
    light: str

    def sign(self, *, ascii_only: bool) -> str:
        """Give the glyph, or its ASCII form."""
        return self.ascii if ascii_only else self.glyph


class Role(NamedTuple):
    """How a piece of text looks that is no mark: a label, a value, a heading."""

    dark: str
    light: str
    bold: bool = False


_GREY = ("#8b95a5", "#5b6470")
_BLUE = ("#6cb6ff", "#0072b2")
_GREEN = ("#5fd0a5", "#00795c")
_YELLOW = ("#f0d264", "#8a6d00")
_ORANGE = ("#f0a05a", "#b35c00")
_PINK = ("#e79bc4", "#a8457a")
_RED = ("#ff7a66", "#c0321a")
_TEXT = ("#d7dde6", "#1c2128")

LEVELS: dict[Level, Mark] = {
    Level.DEBUG: Mark("DBG", "·", ".", *_GREY),
    Level.INFO: Mark("INF", " ", " ", *_GREY),
    Level.WARNING: Mark("WRN", "▲", "!", *_YELLOW),
    Level.ERROR: Mark("ERR", "✗", "X", *_RED),
    Level.NULL: Mark("NUL", " ", " ", *_GREY),
    Level.EVENT: Mark("EVT", "◆", "*", *_BLUE),
    Level.TRACE: Mark("TRC", "·", ".", *_GREY),
    Level.CRITICAL: Mark("CRT", "✗", "X", *_RED),
    Level.EXCEPTION: Mark("EXC", "✗", "X", *_RED),
    Level.OPLOG: Mark("OPL", " ", " ", *_GREY),
    Level.UNKNOWN: Mark("???", "?", "?", *_GREY),
}

ERROR_LEVELS = (Level.ERROR, Level.CRITICAL, Level.EXCEPTION)

FAMILY_MARKS: dict[str, Mark] = {
    "text": Mark("log line", " ", " ", *_TEXT),
    "markers": Mark("marker", "●", "o", *_TEXT),
    "memory": Mark("memory", "■", "m", *_GREEN),
    "allocators": Mark("allocator", "□", "a", *_GREEN),
    "streams": Mark("stream", "↔", "s", *_BLUE),
    "shapes": Mark("shape", "◇", "#", *_YELLOW),
    "tiling": Mark("tiling", "▦", "t", *_YELLOW),
    "launch": Mark("launch", "▶", ">", *_ORANGE),
    "aicpu": Mark("AI CPU", "▷", ">", *_ORANGE),
    "engines": Mark("engine", "▷", "e", *_ORANGE),
    "models": Mark("static model", "▣", "d", *_PINK),
    "pools": Mark("pool", "▤", "p", *_GREEN),
    "device": Mark("device", "◉", "@", *_PINK),
    "failures": Mark("failure", "✗", "X", *_RED),
    "graphs": Mark("graph", "◈", "g", *_BLUE),
}

LANE_MARKS: dict[str, Mark] = {
    "launch": Mark("launch", "▮", "|", *_ORANGE),
    "send": Mark("send", "▲", "^", *_BLUE),
    "wait": Mark("wait", "▼", "v", *_PINK),
    "error": Mark("error", "✗", "X", *_RED),
}
"""What a lane shows, in the order in which one hides another in the same cell: the last wins."""

SLICE_MARKS: dict[str, Mark] = {
    "infer_shape": Mark("shape", "I", "I", *_YELLOW),
    "tiling": Mark("tiling", "T", "T", *_YELLOW),
    "alloc": Mark("alloc", "A", "A", *_GREEN),
    "free": Mark("free", "F", "F", *_GREEN),
    "copy": Mark("copy", "C", "C", *_PINK),
    "launch": Mark("launch", "L", "L", *_ORANGE),
    "stream": Mark("event", "E", "E", *_BLUE),
    "sync": Mark("sync", "S", "S", *_BLUE),
    "execute": Mark("other", "x", "x", *_TEXT),
}
"""What a slice of a host thread does, by the phase of its kernel (``getrace.analysis.failure.phases``)."""

ROLES: dict[str, Role] = {
    "text": Role(*_TEXT),
    "strong": Role(*_TEXT, bold=True),
    "dim": Role(*_GREY),
    "heading": Role(*_BLUE, bold=True),
    "number": Role(*_BLUE),
    "name": Role(*_GREEN),
    "note": Role(*_YELLOW),
    "bad": Role(*_RED, bold=True),
    "curve": Role(*_GREEN),
    "peak": Role(*_ORANGE, bold=True),
    "cursor": Role(*_YELLOW, bold=True),
    "tab": Role(*_YELLOW, bold=True),
}

_FAMILY_OF = {module.__name__: family for family, module in FAMILIES.items()}


def level_role(level: int) -> str:
    """Give the role of a line of a level: its colour from WARNING on, else that of plain text."""
    name = Level(level).name
    return f"level:{name}" if name in {"ERROR", "CRITICAL", "EXCEPTION", "WARNING"} else "text"


def family_of(kind: type[Event]) -> str:
    """Give the family of an event kind, a key of ``FAMILY_MARKS``; ``text`` for a kind outside the closed list."""
    family = _FAMILY_OF.get(kind.__module__, "text")
    return family if family in FAMILY_MARKS else "text"


def colours(role: str) -> Role:
    """Give the colours of a role: a key of ``ROLES``, or a table and a name: ``level:ERROR``, ``slice:launch``.

    Raises:
        KeyError: no table knows the role.
    """
    table, _, name = role.partition(":")
    if not name:
        return ROLES[role]
    mark = {
        "level": lambda: LEVELS[Level[name]],
        "family": lambda: FAMILY_MARKS[name],
        "lane": lambda: LANE_MARKS[name],
        "slice": lambda: SLICE_MARKS[name],
    }[table]()
    return Role(mark.dark, mark.light, bold=name in {"ERROR", "CRITICAL", "EXCEPTION", "error"})
