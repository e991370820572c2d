"""Lines: an event with its time, origin and level, as GE's log library prints it.

The header of a line (place, thread, function) is spelled by the record layer once for each place and thread; the hot
path is one formatted string.
"""

from functools import cache
from typing import NamedTuple

from getrace.clock import NS_PER_SECOND, plog_second
from getrace.events import Event, Level, Origin, Place
from getrace.events.text import LogLine
from getrace.plog.codec import spell
from getrace.plog.codes import FAILED, REASONS
from getrace.plog.prefix import Prefix
from getrace.plog.record import Record, spell_body
from getrace.plog.row import GE, RT2_2026, RUNTIME, TRACER
from getrace.plog.table import VISIBLE_LIMIT, piece_size

_TRACE_END = len("[KernelTrace][]")

# Body layouts of a module: at ERROR, and at every other level.
_LAYOUTS = {GE: ("ge-error", "plain"), RUNTIME: ("plain", "runtime"), "ASCENDCL": ("plain", "runtime")}


# The same, where an allocator speaks.
_SPOKEN = {"ge-error": "allocator-error", "plain": "allocator"}


class _Header(NamedTuple):
    """What decides the header of a line."""

    module: str
    place: Place
    tid: int
    allocator: str | None
    code: int
    is_error: bool


@cache
def _head(header: _Header) -> str:
    error, plain = _LAYOUTS.get(header.module, ("plain", "plain"))
    layout = error if header.is_error else plain
    if header.allocator is not None:
        layout = _SPOKEN[layout]
    record = Record(
        Prefix(Level.INFO, header.module, 0, "", 0, 6, tidy=True, outer=""),
        layout,
        "",
        file=header.place.file,
        src_line=header.place.line,
        tid=header.tid,
        func=header.place.func,
        allocator=header.allocator,
        code=header.code,
        reason=REASONS.get(header.code, ""),
    )
    return spell_body(record, "")


@cache
def _second(seconds: int) -> str:
    return plog_second(seconds)


def _time(time_ns: int) -> str:
    seconds, rest = divmod(time_ns, NS_PER_SECOND)
    micros = rest // 1000
    return f"{_second(seconds)}.{micros // 1000:03d}.{micros % 1000:03d}"


def spell_lines(
    time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, dialect: str = RT2_2026
) -> list[str]:
    """Write an event as its lines, without newlines: one, or several when GE splits the message (spec 1.7)."""
    row, text = spell(event, kernel, dialect)
    module = row.scope if row is not None and row.scope == RUNTIME else GE
    place, code = (TRACER, FAILED) if row is None else (row.place, row.code)
    place = origin.place or place
    if isinstance(event, LogLine):
        module, code = event.module, FAILED if event.code is None else event.code
        place = Place(event.file, event.line, event.func)
    allocator: str | None = getattr(event, "allocator", None) if row is not None and row.spoken else None
    head = _head(_Header(module, place, origin.tid, allocator, code, level == Level.ERROR))
    front = f"[{level.name}] {module}({origin.pid},{origin.process}):{_time(time_ns)} {head}"
    if kernel and place.func == TRACER.func and len(text) > _TRACE_END + piece_size(""):
        return [_cut(front + piece) for piece in _pieces(kernel, text)]
    return [_cut(front + text)]


def _pieces(kernel: str, text: str) -> list[str]:
    """Split a long message as the tracer does: each piece behind the header of its own."""
    header = f"[KernelTrace][{kernel}]"
    message = text[len(header) :].encode("utf-8", "surrogateescape")
    size = piece_size(kernel)
    if size <= 0:
        return [text]
    parts = [message[start : start + size] for start in range(0, len(message), size)]
    return [header + part.decode("utf-8", "surrogateescape") for part in parts]


def _cut(line: str) -> str:
    """Cut a line to the bytes that the log library keeps (spec 1.6)."""
    if len(line) * 4 <= VISIBLE_LIMIT:
        return line
    data = line.encode("utf-8", "surrogateescape")
    return line if len(data) <= VISIBLE_LIMIT else data[:VISIBLE_LIMIT].decode("utf-8", "surrogateescape")


def spell_line(time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event) -> str:
    """Write an event as one text; a split message is shown as its lines."""
    return "\n".join(spell_lines(time_ns, origin, level, kernel, event))
