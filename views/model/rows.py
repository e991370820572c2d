"""The event table: which columns a width has room for, and the cells of a row.

Only the rows that are looked at come here. A cell is a span in exactly its column's width, so a table is aligned
whatever a log holds.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from getrace.clock import plog_time
from getrace.events import Event, Level
from getrace.events.text import LogLine
from getrace.ids import split_kernel_name
from getrace.printable import cell_width, fit, printable
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.outline import Outline
from views.model.spans import Span
from views.model.style import FAMILY_MARKS, LEVELS, family_of
from views.model.words import short, value_text


class Column(NamedTuple):
    """A column: ``width`` in cells (0 shares the rest), shown from ``needs`` cells of table width on.

    ``many`` columns are for stores with several processes only; ``store`` names the column of the store behind it,
    whose numbers are shown as they are, as hex or as bytes.
    """

    key: str
    title: str
    width: int
    needs: int = 0
    right: bool = False
    many: bool = False
    store: str = ""


COLUMNS: tuple[Column, ...] = (
    Column("line", "line", 7, right=True),
    Column("time", "time", 16, needs=64),
    Column("delta", "delta", 8, needs=88, right=True),
    Column("level", "lvl", 5),
    Column("pid", "process", 7, right=True, many=True, store="pid"),
    Column("thread", "thread", 8, needs=130, right=True, store="tid"),
    Column("stage", "stage", 8, needs=100),
    Column("kernel", "kernel", 0),
    Column("event", "event", 0),
    Column("stream", "stream", 6, right=True, store="stream"),
    Column("rt", "rt", 4, right=True, store="rt_stream"),
    Column("task", "task", 7, right=True, store="task"),
    Column("id", "event", 5, right=True, store="event_id"),
    Column("addr", "address", 14, right=True, store="addr"),
    Column("size", "size", 9, right=True, store="size"),
    Column("asked", "asked for", 9, right=True, store="asked"),
    Column("raw", "record", 0),
)
LAYOUTS: dict[str, tuple[str, ...]] = {
    "usual": ("line", "time", "delta", "level", "pid", "thread", "stage", "kernel", "event"),
    "streams": ("line", "time", "delta", "pid", "stream", "rt", "task", "id", "kernel", "event"),
    "memory": ("line", "time", "delta", "pid", "stream", "addr", "size", "asked", "kernel", "event"),
    "log": ("line", "delta", "raw"),
}
"""Which columns stand together; a table shows one of these, or columns of the user's choice."""
_ROLES = {"raw": "text", "size": "text", "addr": "number"}
_COLUMN = {column.key: column for column in COLUMNS}
GAP = " "
_KERNEL_SHARE = 0.4
_LEAST_REST = 20
"""Cells that kernel and event need together; columns of numbers give way to them."""


class Placed(NamedTuple):
    """A column with the width it has in this table."""

    key: str
    title: str
    width: int
    right: bool


def choose(width: int, *, many: bool = False, keys: Sequence[str] = LAYOUTS["usual"]) -> tuple[Placed, ...]:
    """Choose the columns for a table of ``width`` cells out of ``keys``, and share the rest between the open ones.

    ``many`` says that there are several processes.
    """
    chosen = [
        column for column in map(_COLUMN.__getitem__, keys) if width >= column.needs and (many or not column.many)
    ]
    while len(chosen) > 2 and _rest(chosen, width) < _LEAST_REST:
        chosen.remove(next(column for column in reversed(chosen) if column.width))
    rest = max(_rest(chosen, width), 2)
    kernel = min(max(int(rest * _KERNEL_SHARE), min(10, rest // 2)), 40)
    if not any(column.key == "kernel" for column in chosen):
        kernel = 0
    shared = {"kernel": kernel, "event": rest - kernel, "raw": rest}
    return tuple(Placed(c.key, c.title, c.width or shared[c.key], c.right) for c in chosen)


def _rest(columns: Sequence[Column], width: int) -> int:
    return width - sum(column.width for column in columns) - len(GAP) * (len(columns) - 1)


def heading(columns: tuple[Placed, ...], since: str = "delta") -> list[Span]:
    """Give the line of titles; ``since`` is that of the differences of time."""
    titles = {"delta": since}
    return _joined([[Span(fit(titles.get(c.key, c.title), c.width, right=c.right), "heading")] for c in columns])


class Look(NamedTuple):
    """What the cells of a row depend on beside the row.

    ``before`` is the row that its difference of time is told to, or -1; ``times`` how many rows the line stands for.
    A ``faint`` row is context: it did not pass the filters.
    """

    outline: Outline | None = None
    before: int = -1
    times: int = 1
    faint: bool = False
    ascii_only: bool = False


def cells(store: Store, row: int, columns: tuple[Placed, ...], look: Look | None = None) -> list[Span]:
    """Give the spans of one row, each column exactly as wide as it is placed."""
    look = look or Look(before=row - 1)
    event = store.event(row)
    level = Level(int(store.column("level")[row]))
    bad = f"level:{level.name}" if level.name in {"ERROR", "CRITICAL", "EXCEPTION", "WARNING"} else ""
    made: list[list[Span]] = []
    for column in columns:
        if column.key == "event":
            made.append(_event_cell(event, column.width, bad, look))
        elif column.key == "kernel":
            made.append(_kernel_cell(store, row, event, column.width))
        else:
            text = _text(store, row, column.key, level, look)
            role = _ROLES.get(column.key, "dim") if column.key != "level" or not bad else bad
            made.append([Span(fit(text, column.width, right=column.right), role)])
    line = _joined(made)
    return [Span(span.text, "dim") for span in line] if look.faint else line


def number_of(store: Store, row: int) -> int:
    """Give the number a row is called by: its line in its source, or its place in a live run, from 1."""
    return int(store.column("line")[row]) or row + 1


def delta_text(nanoseconds: int) -> str:
    """Spell a short span of time in at most eight cells: ``+12us``, ``+1.25ms``, ``-3.0s``."""
    sign, size = ("-", -nanoseconds) if nanoseconds < 0 else ("+", nanoseconds)
    if size < 1_000_000:
        return f"{sign}{size // 1000}us"
    if size < 1_000_000_000:
        return f"{sign}{size / 1e6:.2f}ms"
    return f"{sign}{size / 1e9:.1f}s" if size < 100_000_000_000_000 else f"{sign}{size // 86_400_000_000_000}d"


def clock_text(store: Store, row: int) -> str:
    """Spell the time of day of a row; nothing for a record without a time."""
    time = store.time_or_none(row)
    return "" if time is None else plog_time(time)[11:]


def since_text(store: Store, row: int, other: int) -> str:
    """Spell how long after another row a row stands; nothing when there is no such row or one has no time."""
    time, before = store.time_or_none(row), store.time_or_none(other) if other >= 0 else None
    return "" if time is None or before is None else delta_text(time - before)


def _text(store: Store, row: int, key: str, level: Level, look: Look) -> str:
    if _COLUMN[key].store:
        return _number_text(store, row, _COLUMN[key].store)
    if key == "level":
        return f"{LEVELS[level].sign(ascii_only=look.ascii_only)} {LEVELS[level].word}"
    return _TEXTS[key](store, row, look)


def _stage_text(store: Store, row: int, look: Look) -> str:
    if look.outline is None:
        return ""
    return look.outline.stage_of(row, int(store.column("pid")[row]), int(store.column("tid")[row]))


def _number_text(store: Store, row: int, column: str) -> str:
    value = store.value(column, row)
    return "" if value == none_of(column) else value_text(column, value)


_TEXTS: dict[str, Callable[[Store, int, Look], str]] = {
    "line": lambda store, row, _: str(number_of(store, row)),
    "time": lambda store, row, _: clock_text(store, row),
    "delta": lambda store, row, look: since_text(store, row, look.before),
    "stage": _stage_text,
    "raw": lambda store, row, _: printable(store.text(row).split("\n", 1)[0]),
}


def _kernel_cell(store: Store, row: int, event: Event, width: int) -> list[Span]:
    kernel = store.kernel(row)
    if not kernel:
        module = store.names.text(int(store.column("module")[row]))
        said = f"{module} {event.func}" if isinstance(event, LogLine) else module
        return [Span(fit(printable(said, 200), width), "dim")]
    name = split_kernel_name(kernel)
    kernel_type, node = printable(name.type, 200), printable(name.node, 200)
    if not node:
        return [Span(fit(kernel_type, width), "text")]
    # The node says more than the end of a long type: it keeps up to half of the cell.
    of_node = min(cell_width(node), width // 2)
    of_type = min(cell_width(kernel_type), width - of_node - 1)
    return [Span(fit(kernel_type, of_type) + " "), Span(fit(node, width - of_type - 1), "name")]


def _event_cell(event: Event, width: int, bad: str, look: Look) -> list[Span]:
    family = family_of(type(event))
    sign = FAMILY_MARKS[family].sign(ascii_only=look.ascii_only)
    times = f"x{look.times:,} " if look.times > 1 else ""
    words = fit(short(event, max(2 * width, 8)), max(width - 2 - len(times), 0))
    return [Span(f"{sign} ", f"family:{family}"), Span(times, "note"), Span(words, bad or f"family:{family}")]


def _joined(made: list[list[Span]]) -> list[Span]:
    line: list[Span] = []
    for place, spans in enumerate(made):
        if place:
            line.append(Span(GAP))
        line.extend(spans)
    return line
