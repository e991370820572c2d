"""The Compare screen in lines: both runs at a glance, kernel beside kernel, and the changes by operator."""

from collections.abc import Sequence
from typing import NamedTuple

from getrace.printable import printable, wrap
from getrace.store.store import Store
from views.model.compare import FACTS, Comparison, Kernel, Pairing, Party, Side, peak_of, side_text
from views.model.lacks import why
from views.model.rows import number_of
from views.model.spans import Line, Span
from views.model.table import Cells, Head, Table, rows_array
from views.model.words import byte_text, duration_text

KERNELS: tuple[Head, ...] = (
    Head("", 1),
    Head("left", 8, right=True),
    Head("right", 8, right=True),
    Head("kernel", name=True),
    Head("what differs"),
)
OPERATORS: tuple[Head, ...] = (
    Head("operator", name=True),
    Head("kernels", 9, right=True),
    Head("bytes", 20, right=True),
    Head("what differs"),
)
NO_RUNS = "nothing to compare: a log needs two runs, or `getrace open A --compare B` two logs"
_FIRST = "first difference: "
NOTHING = Table(KERNELS, 0, lambda _: (), empty=NO_RUNS)
"""The lists where there are no two runs."""
SAME = "the two runs agree in all that the log says"
_SIGNS = {
    "same": (" ", "dim"),
    "changed": ("~", "note"),
    "left": ("<", "bad"),
    "right": (">", "bad"),
    "moved": ("^", "note"),
}


class OperatorChange(NamedTuple):
    """The kernels of an operator in both runs; ``row`` is that of the first difference in the left run, else right."""

    operator: str
    kernels: tuple[int, int]
    bytes: tuple[int, int]
    facts: tuple[str, ...]
    row: int
    right_row: int


def state_of(pair: Pairing) -> str:
    """Give ``same``, ``changed``, ``moved``, ``left`` or ``right``."""
    if pair.left is None or pair.right is None:
        return "right" if pair.left is None else "left"
    return "same" if pair.same else ("changed" if pair.changed else "moved")


def kernel_list(parties: Sequence[Party], found: Comparison, *, all_kernels: bool) -> tuple[Table, Sequence[int]]:
    """List the kernels, those that differ or all; gives the list, and for each of its lines the index of its pair."""
    shown = range(len(found.pairs)) if all_kernels else found.parted
    stores = (parties[found.left.party].store, parties[found.right.party].store)

    def cells(index: int) -> Cells:
        pair = found.pairs[shown[index]]
        state = state_of(pair)
        sign, role = _SIGNS[state]
        kernel_type, node, which = pair.key
        nth = f" #{which + 1}" if which else ""
        return (
            Span(sign, role),
            Span(_line(stores[0], pair.left), "number" if pair.left else "dim"),
            Span(_line(stores[1], pair.right), "number" if pair.right else "dim"),
            Span(f"{node} {kernel_type}{nth}".strip(), "name" if state == "same" else "strong"),
            Span(difference(pair), role),
        )

    return Table(KERNELS, len(shown), cells, rows_array([_row(found.pairs[at]) for at in shown]), SAME), shown


def difference(pair: Pairing) -> str:
    """Say in words what differs between the two kernels of a pair."""
    state = state_of(pair)
    if state in {"left", "right"}:
        return f"only in the {state} run"
    told = [f"{fact} {_value(pair.left, fact)} -> {_value(pair.right, fact)}" for fact in pair.changed]
    return "; ".join(told + ["in another order"] * pair.moved)


def operator_list(found: Comparison) -> Table:
    """List the operators of which something differs, in the order of the left run."""
    changes = operator_changes(found)

    def cells(index: int) -> Cells:
        change = changes[index]
        before, now = change.bytes
        size = byte_text(before) if before == now else f"{byte_text(before)} -> {byte_text(now)}"
        count = (
            str(change.kernels[0]) if len(set(change.kernels)) == 1 else f"{change.kernels[0]} -> {change.kernels[1]}"
        )
        return (
            Span(change.operator or "(no operator)", "strong"),
            Span(count, "note" if len(set(change.kernels)) > 1 else "text"),
            Span(size, "note" if before != now else "text"),
            Span(", ".join(change.facts), "note"),
        )

    return Table(OPERATORS, len(changes), cells, rows_array([change.row for change in changes]), SAME)


def operator_changes(found: Comparison) -> list[OperatorChange]:
    """Sum the pairs up by operator; operators without a difference are left out."""
    grouped: dict[str, list[Pairing]] = {}
    for pair in found.pairs:
        grouped.setdefault(pair.key[1], []).append(pair)
    changes = []
    for operator, pairs in grouped.items():
        parted = [pair for pair in pairs if not pair.same]
        if not parted:
            continue
        kernels = (sum(pair.left is not None for pair in pairs), sum(pair.right is not None for pair in pairs))
        sizes = (sum(_bytes(pair.left) for pair in pairs), sum(_bytes(pair.right) for pair in pairs))
        facts = [fact for fact in FACTS if any(fact in pair.changed for pair in parted)]
        facts += ["order"] * any(pair.moved for pair in parted)
        facts += [f"only {side}" for side in ("left", "right") if any(state_of(pair) == side for pair in parted)]
        left = next((pair.left.row for pair in parted if pair.left is not None), -1)
        right = next((pair.right.row for pair in parted if pair.right is not None), -1)
        changes.append(OperatorChange(operator, kernels, sizes, tuple(facts), left, right))
    return changes


def summary_lines(parties: Sequence[Party], found: Comparison | None, width: int) -> list[Line]:
    """Say which runs are compared, and where they first part, in lines of at most ``width`` cells."""
    if found is None:
        return why(NO_RUNS, width)
    lines: list[Line] = []
    for name, side in (("left", found.left), ("right", found.right)):
        lines.append([Span(f"{name:<6}", "heading"), *_glance(parties, side)])
    lines += _first(parties, found, width)
    parted = [state_of(found.pairs[at]) for at in found.parted]
    counts = ", ".join(f"{parted.count(state)} {word}" for state, word in _COUNTED if state in parted)
    lines.append([Span("in all ", "dim"), Span(counts or SAME, "note" if counts else "text")])
    if found.unread or found.beyond:
        told = f"{found.beyond:,} kernels and {found.unread:,} records of these long runs were not looked at"
        lines.append([Span(told, "note")])
    return lines


_COUNTED = (
    ("changed", "changed"),
    ("left", "only left"),
    ("right", "only right"),
    ("moved", "in another order"),
)


def _glance(parties: Sequence[Party], side: Side) -> list[Span]:
    party = parties[side.party]
    run, store = party.runs[side.run], party.store
    start, end = store.time_or_none(run.start), store.time_or_none(run.last)
    passed = "" if start is None or end is None else f", {duration_text(end - start)} (measured)"
    count = int((party.owner[party.executions.first] == side.run).sum())
    lines = f"line {number_of(store, run.start)} to {number_of(store, run.last)}"
    ended = "" if run.complete else ", no end"
    told = f"  {lines}, {count} kernels, peak {byte_text(peak_of(party, run))}{passed}"
    return [Span(printable(side_text(parties, side), 400), "strong"), Span(told), Span(ended, "bad")]


def _first(parties: Sequence[Party], found: Comparison, width: int) -> list[Line]:
    if found.first < 0:
        return [[Span("first difference: none", "text")]]
    pair = found.pairs[found.first]
    kernel_type, node, _ = pair.key
    stores = (parties[found.left.party].store, parties[found.right.party].store)
    lines = " and ".join(_line(store, kernel) for store, kernel in zip(stores, (pair.left, pair.right), strict=True))
    name = printable(f"{node} {kernel_type}".strip(), 200)
    before = f"; {found.common} kernels before it stand alike"
    told = wrap(printable(f"{name} at line {lines}: {difference(pair)}{before}", 2000), max(width - len(_FIRST), 8))
    rest: list[Line] = [[Span(" " * len(_FIRST) + piece, "note")] for piece in told[1:3]]
    return [[Span(_FIRST, "dim"), Span(told[0], "note")], *rest]


def _line(store: Store, kernel: Kernel | None) -> str:
    return "-" if kernel is None else str(number_of(store, kernel.row))


def _row(pair: Pairing) -> int:
    kernel = pair.left or pair.right
    return -1 if kernel is None else kernel.row


def _bytes(kernel: Kernel | None) -> int:
    return int(kernel.facts.get("bytes", "0")) if kernel is not None else 0


def _value(kernel: Kernel | None, fact: str) -> str:
    value = "?" if kernel is None else kernel.facts.get(fact, "none")
    return byte_text(int(value)) if fact == "bytes" and value.isdecimal() else value
