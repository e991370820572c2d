"""All that is known of shapes, from a log with the dumps beside it, or from a text.

Each part is told by who knows it best: a dump before the log's lines. What is missing is told with the switch.
"""

from bisect import bisect_right
from collections.abc import Sequence

from getrace.analysis.runs import Stage, graph_runs
from getrace.analysis.shapes.dumped import dumped_reasons, graph_kinds, has_inputs
from getrace.analysis.shapes.facts import Compiled, Cost, Gears, Operated, Shapes, Unknown
from getrace.analysis.shapes.fresh import new_shapes
from getrace.analysis.shapes.gears import (
    dumped_gears,
    gear_words_without_table,
    told_gears,
    unknown_gears,
    with_uses,
)
from getrace.analysis.shapes.mismatch import DUMP_SWITCH, mismatches
from getrace.analysis.shapes.observed import observe
from getrace.analysis.shapes.printed import changing_inputs, kernel_reasons, told_kinds
from getrace.analysis.shapes.steps import Run, gather, steps_of
from getrace.analysis.shapes.strangers import told_and_strange, unknown_of
from getrace.analysis.shapes.words import Word, read_words, words_of_text
from getrace.analysis.switches import GE_SWITCH
from getrace.dumps.snapshot import GraphSnapshot
from getrace.store.store import Store

STEPS = 200
NEW = 100
REASONS = 200
COMPILED = 200
PARTS = 5
"""How many of each are told; of a compilation the longest parts, before each step."""

_SIMULATOR = ",getrace):"
"""The process name of a simulated run: what it measures is simulated time."""


def shapes_of(store: Store) -> Shapes:
    """Say what a log, and the dumps beside it, tell of shapes. Rows are those of the store as it stands."""
    runs = graph_runs(store)
    observed = observe(store, runs)
    words, unread = read_words(store, runs)
    told = gather(store, runs, observed)
    last = {name: each for run in told for name, each in (*run.inputs.items(), *run.operated.items())}
    shapes = _from_words(words)
    shapes.compiled = _compiled(words, told)
    snapshots, strange = told_and_strange(store)
    _from_dumps(snapshots, shapes)
    _from_trace(store, shapes, told)
    tables = [*(gears for each in snapshots for gears in dumped_gears(each)), *shapes.gears]
    _add_gears(store, shapes, tables, words, told)
    shapes.mismatches = mismatches(words, snapshots, last, store)
    steps = sum(run.stage is Stage.MAIN for run in runs) - len(shapes.steps) if told else 0
    _leave_out(shapes, steps=steps, shape_records=observed.unread, ordinary_lines=unread)
    shapes.unknown.extend(_missing(snapshots, shapes, last))
    shapes.unknown.extend(unknown_of(strange))
    return shapes


def shapes_of_text(file: str, lines: Sequence[str]) -> Shapes:
    """Say what a text without records tells of shapes."""
    words = words_of_text(file, lines)
    shapes = _from_words(words)
    _add_gears(None, shapes, shapes.gears, words, [])
    shapes.mismatches = mismatches(words, [], {}, None)
    return shapes


def _from_words(words: Sequence[Word]) -> Shapes:
    return Shapes(kinds=list(told_kinds(words)), gears=list(told_gears(words)))


def _from_dumps(snapshots: Sequence[GraphSnapshot], shapes: Shapes) -> None:
    for snapshot in snapshots:
        shapes.kinds.extend(graph_kinds(snapshot))
        shapes.dynamic.extend(dumped_reasons(snapshot))


def _from_trace(store: Store, shapes: Shapes, told: Sequence[Run]) -> None:
    named = {reason.name for reason in shapes.dynamic}
    by_dump = bool(shapes.dynamic)
    for reason in (*changing_inputs(store, told), *kernel_reasons(store)):
        if not (by_dump and (reason.name in named or reason.shape_class is None)) or reason.kind == "value":
            shapes.dynamic.append(reason)
    _leave_out(shapes, reasons=max(0, len(shapes.dynamic) - REASONS))
    del shapes.dynamic[REASONS:]
    shapes.steps = list(steps_of(store, told, STEPS))
    shapes.fresh, count = new_shapes(store, told, shapes.compiled, NEW)
    _leave_out(shapes, new_shapes=count - len(shapes.fresh))


def _add_gears(
    store: Store | None, shapes: Shapes, tables: Sequence[Gears], words: Sequence[Word], told: Sequence[Run]
) -> None:
    named = list(tables) or list(gear_words_without_table(words))
    shapes.gears, left = with_uses(store, named, words, told)
    _leave_out(shapes, gear_uses=left)
    shapes.unknown.extend(unknown_gears(shapes.gears))


def _compiled(words: Sequence[Word], told: Sequence[Run]) -> list[Compiled]:
    """Give the longest parts that GE measured before each step, in line order."""
    starts = {pid: [run for run in told if run.run.pid == pid] for pid in {run.run.pid for run in told}}
    before: dict[tuple[int, int] | None, list[Compiled]] = {}
    for word in words:
        if word.id == "compile":
            own = starts.get(word.pid, [])
            at = bisect_right(own, word.place.row, key=lambda run: run.run.start)
            step = (own[at].model, own[at].run.iteration) if at < len(own) else None
            made = "simulated" if _SIMULATOR in word.place.text else "measured"
            cost = Cost((word.number("us") or 0) * 1000, made)
            before.setdefault(step, []).append(Compiled(word.values["what"], cost, word.place, step))
    longest = [each for parts in before.values() for each in sorted(parts, key=_length, reverse=True)[:PARTS]]
    return sorted(longest, key=lambda each: each.place.row)[:COMPILED]


def _length(compiled: Compiled) -> int:
    return compiled.cost.ns or 0


def _leave_out(shapes: Shapes, **counts: int) -> None:
    for name, count in counts.items():
        if count > 0:
            shapes.left_out[name] = shapes.left_out.get(name, 0) + count


def _missing(snapshots: Sequence[GraphSnapshot], shapes: Shapes, last: dict[str, Operated]) -> list[Unknown]:
    """Say what cannot be told of a log in which something is dynamic."""
    if not shapes.speaks:
        return []
    missing = []
    if not snapshots:
        what = "which input dimensions are open, which operator first opens one"
        missing.append(Unknown(what, "no dump of the compute graph is here", DUMP_SWITCH))
    if not last:
        missing.append(Unknown("the shapes of a step", "no KernelTrace line prints one", GE_SWITCH))
    elif not any(step.inputs for step in shapes.steps) and (not snapshots or any(map(has_inputs, snapshots))):
        missing.append(Unknown("the shapes of the model's inputs", "no kernel of an input prints its size"))
    return missing
