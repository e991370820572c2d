"""The selected row told in full: where it stands, what it says field by field, and its line as the log has it."""

from dataclasses import dataclass

from getrace.clock import plog_time
from getrace.ids import split_kernel_name
from getrace.printable import cell_width, fit, printable, tail, wrap
from getrace.store.columns import CUT, JOINED
from getrace.store.store import Entry, Store
from views.model.rows import since_text
from views.model.spans import Line, Span, plain
from views.model.style import FAMILY_MARKS, family_of
from views.model.words import fields, value_text

RAW_LIMIT = 20_000
"""Characters of a line that are shown; the rest is counted."""
FIELD_LIMIT = 2_000
_LABEL = 12
_TWO_COLUMNS = 76
_SHORT = 4
"""Lines of a record that may stand above its fields."""


@dataclass(frozen=True, slots=True)
class Facts:
    """``facts`` are (label, value) pairs, printable; ``raw`` the printable lines of the record."""

    title: str
    place: str
    facts: tuple[tuple[str, str], ...]
    raw: tuple[str, ...]
    note: str


def facts_of(store: Store, row: int) -> Facts:
    """Tell a row in full. Values are cut at 2,000 characters and the raw record at 20,000; a cut is said."""
    entry = store.entry(row)
    kind, family = entry.event.kind.replace("_", " "), FAMILY_MARKS[family_of(type(entry.event))].word
    told = [
        (name, printable(value_text(name, value), FIELD_LIMIT))
        for name, value in fields(entry.event)
        if value is not None
    ]
    text = store.text(row)
    lines = text[:RAW_LIMIT].split("\n")
    return Facts(
        title=kind if kind == family else f"{kind} ({family})",
        place=place_of(store, entry),
        facts=(*_where(entry, _since(store, entry)), *told),
        raw=tuple(printable(line, RAW_LIMIT) for line in lines),
        note=_note(len(text) - RAW_LIMIT, int(store.column("flags")[row])),
    )


def place_of(store: Store, entry: Entry) -> str:
    """Say where a row stands: ``path:line``, or its number in a live run."""
    source = printable(store.sources[entry.source].path, 400) if entry.source < len(store.sources) else "?"
    return f"{source}:{entry.line}" if entry.line else f"{source} event {entry.row + 1}"


def lines_of(facts: Facts, width: int) -> list[Line]:
    """Lay the facts out in lines of at most ``width`` cells."""
    place = tail(facts.place, max(width - cell_width(facts.title) - 2, 12))
    lines: list[Line] = [[Span(facts.title, "heading"), Span("  " + place, "dim")]]
    raw: list[Line] = [[Span(piece)] for text in facts.raw for piece in wrap(text, max(width, 8))]
    # A short record stands first, for it is what one searches and quotes; a long one must not push the fields away.
    if len(raw) <= _SHORT:
        lines += raw
    lines += _fact_lines(facts, width)
    if len(raw) > _SHORT:
        lines += [[Span("line", "heading")], *raw]
    if facts.note:
        lines.append([Span(facts.note, "note")])
    return lines


def _fact_lines(facts: Facts, width: int) -> list[Line]:
    lines: list[Line] = []
    half = (width - 2) // 2 if width >= _TWO_COLUMNS else 0
    waiting: Line = ()
    for label, value in facts.facts:
        if half and cell_width(value) <= half - _LABEL - 1:
            cell = [Span(fit(label, _LABEL), "dim"), Span(" " + value)]
            if waiting:
                lines.append([*waiting, Span("  " + " " * (half - cell_width(plain(waiting)))), *cell])
                waiting = ()
            else:
                waiting = cell
            continue
        if waiting:
            lines.append(waiting)
            waiting = ()
        lines.extend(_pieces(label, value, width))
    if waiting:
        lines.append(waiting)
    return lines


def _pieces(label: str, value: str, width: int) -> list[Line]:
    first, *more = wrap(value, max(width - _LABEL - 1, 8))
    head: Line = [Span(fit(label, _LABEL), "dim"), Span(" " + first)]
    return [head, *([Span(" " * (_LABEL + 1) + piece)] for piece in more)]


def _where(entry: Entry, since: str) -> list[tuple[str, str]]:
    time = "not said" if entry.time_ns is None else plog_time(entry.time_ns)
    told = [("time", time), ("since last", since), ("said by", _speaker(entry))]
    if entry.kernel:
        name = split_kernel_name(entry.kernel)
        node = f" of {name.node}" if name.node else ""
        told.append(("kernel", printable(f"{name.type}{node}" + (f", id {name.id}" if name.id >= 0 else ""), 400)))
    return told


def _since(store: Store, entry: Entry) -> str:
    return (since_text(store, entry.row, entry.row - 1) or "not known") if entry.row else "first row"


def _speaker(entry: Entry) -> str:
    return f"{entry.level.name} {printable(entry.module, 80)}, process {_id(entry.pid)}, thread {_id(entry.tid)}"


def _id(number: int) -> str:
    return str(number) if number >= 0 else "?"


def _note(more: int, flags: int) -> str:
    said = []
    if more > 0:
        said.append(f"{more:,} more characters are not shown.")
    if flags & CUT:
        said.append("GE cut this line: its end is lost.")
    if flags & JOINED:
        said.append("A later piece of a message that GE split; its event stands at the first piece.")
    return " ".join(said)
