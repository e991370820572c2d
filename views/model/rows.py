"""The event table: which columns a width has room for, and the cells of a row.

Only the rows that are looked at come here. A cell is a span in exactly its column's width, so a table is aligned
whatever a log holds.
"""

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
from views.model.words import short


class Column(NamedTuple):
    """A column: ``width`` in cells (0 shares the rest), shown from ``needs`` cells of table width on.

    ``many`` columns are for stores with several processes only.
    """

    key: str
    title: str
    width: int
    needs: int = 0
    right: bool = False
    many: bool = False


COLUMNS: tuple[Column, ...] = (
    Column("line", "line", 7, right=True),
    Column("time", "time", 16, needs=64),
    Column("delta", "delta", 8, needs=88, right=True),
    Column("level", "lvl", 5),
    Column("pid", "process", 7, right=True, many=True),
    Column("thread", "thread", 8, needs=130, right=True),
    Column("stage", "stage", 8, needs=100),
    Column("kernel", "kernel", 0),
    Column("event", "event", 0),
)
GAP = " "
_KERNEL_SHARE = 0.4


class Placed(NamedTuple):
    """A column with the width it has in this table."""

    key: str
    title: str
    width: int
    right: bool


def choose(width: int, *, many: bool = False) -> tuple[Placed, ...]:
    """Choose the columns for a table of ``width`` cells, and share the rest between kernel and event.

    ``many`` says that there are several processes.
    """
    chosen = [column for column in COLUMNS if width >= column.needs and (many or not column.many)]
    rest = max(width - sum(column.width for column in chosen) - len(GAP) * (len(chosen) - 1), 2)
    kernel = min(max(int(rest * _KERNEL_SHARE), min(10, rest // 2)), 40)
    shared = {"kernel": kernel, "event": rest - kernel}
    return tuple(Placed(c.key, c.title, c.width or shared[c.key], c.right) for c in chosen)


def heading(columns: tuple[Placed, ...]) -> list[Span]:
    """Give the line of titles."""
    return _joined([[Span(fit(column.title, column.width, right=column.right), "heading")] for column in columns])


def cells(
    store: Store, row: int, columns: tuple[Placed, ...], outline: Outline | None = None, *, ascii_only: bool = False
) -> list[Span]:
    """Give the spans of one row, each column exactly as wide as it is placed; ``ascii_only`` means ASCII signs only."""
    event = store.event(row)
    level = Level(int(store.column("level")[row]))
    bad = f"level:{level.name}" if level.name in {"ERROR", "CRITICAL", "EXCEPTION", "WARNING"} else ""
    made: list[list[Span]] = []
    for column in columns:
        if column.key == "event":
            made.append(_event_cell(event, column.width, bad, ascii_only=ascii_only))
        elif column.key == "kernel":
            made.append(_kernel_cell(store, row, event, column.width))
        else:
            text = _text(store, row, column.key, level, outline, ascii_only=ascii_only)
            role = (bad or "dim") if column.key == "level" else "dim"
            made.append([Span(fit(text, column.width, right=column.right), role)])
    return _joined(made)


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


def since_text(store: Store, row: int) -> str:
    """Spell how long after the row before it a row stands; nothing when one of the two has no time."""
    time, before = store.time_or_none(row), store.time_or_none(row - 1) if row else None
    return "" if time is None or before is None else delta_text(time - before)


def _text(store: Store, row: int, key: str, level: Level, outline: Outline | None, *, ascii_only: bool) -> str:
    if key == "line":
        return str(number_of(store, row))
    if key == "time":
        return clock_text(store, row)
    if key == "delta":
        return since_text(store, row)
    if key == "level":
        mark = LEVELS[level]
        return f"{mark.sign(ascii_only=ascii_only)} {mark.word}"
    pid, tid = int(store.column("pid")[row]), int(store.column("tid")[row])
    if key == "stage":
        return outline.stage_of(row, pid, tid) if outline else ""
    number = pid if key == "pid" else tid
    return "" if number == none_of("pid") else str(number)


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


def _event_cell(event: Event, width: int, bad: str, *, ascii_only: bool) -> list[Span]:
    family = family_of(type(event))
    sign = FAMILY_MARKS[family].sign(ascii_only=ascii_only)
    words = fit(short(event, max(2 * width, 8)), max(width - 2, 0))
    return [Span(f"{sign} ", f"family:{family}"), Span(words, bad or f"family:{family}")]


def _joined(made: list[list[Span]]) -> list[Span]:
    line: list[Span] = []
    for place, spans in enumerate(made):
        if place:
            line.append(Span(GAP))
        line.extend(spans)
    return line
