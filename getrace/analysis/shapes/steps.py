"""From single rows to steps: the shapes of each operator and of the model's inputs, per execution of a Main graph.

Which model a run is of is told by ``runs``: were it told here again, the two could count differently.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from getrace.analysis.places import place
from getrace.analysis.runs import GraphRun
from getrace.analysis.shapes.facts import Operated, Shape, Step
from getrace.analysis.shapes.observed import Observed, Said
from getrace.events import Level
from getrace.events.shapes import NodeType
from getrace.ids import split_kernel_name
from getrace.store.store import Store

_FEEDS = frozenset({"SplitDataTensor"})
"""Kernel types that open a tensor of the caller: their operator is an input of the model (spec/lowering.md 11.F)."""

_CUSTOM = "ExecuteCustomOp"


@dataclass(slots=True)
class Run:
    """One Main execution with its shapes. ``operated`` maps an operator to its shapes; a loop's last round counts.

    ``inputs`` are the model's: what each gives is its only output.
    """

    index: int
    run: GraphRun
    operated: dict[str, Operated] = field(default_factory=dict)
    inputs: dict[str, Operated] = field(default_factory=dict)
    asked: tuple[Shape, int] | None = None

    @property
    def model(self) -> int:
        """The number of its model."""
        return self.run.model

    @property
    def input_shapes(self) -> dict[str, Shape]:
        """The shapes of the model's inputs, by name."""
        return {name: each.outputs[0] for name, each in self.inputs.items() if each.outputs}


def gather(store: Store, runs: Sequence[GraphRun], observed: Observed) -> list[Run]:
    """Put what was said together, by run, in their order; a run without any shape is left out."""
    feeds, types = _feeds(store), operator_types(store)
    failed = store.column("level") >= Level.ERROR
    found: dict[int, Run] = {}
    for said in observed.said:
        if failed[said.row] and said.told.inputs is None:
            continue  # a kernel that failed left no result: what it prints as its outputs is what lay there
        if said.run not in found:
            found[said.run] = Run(said.run, runs[said.run])
        _take(found[said.run], said, types, feeds)
    return [found[index] for index in sorted(found)]


def _take(run: Run, said: Said, types: dict[str, str], feeds: frozenset[str]) -> None:
    node, told = said.node, said.told
    if told.asked is not None:
        run.asked = (told.asked, said.row)
    elif told.tensor is not None:
        if node in feeds:
            run.inputs.setdefault(node, Operated(node, None, None, (told.tensor,), said.row))
    elif node:
        known = run.operated.get(node)
        if known is None or told.inputs is not None:
            run.operated[node] = Operated(node, types.get(node), told.inputs, told.outputs, said.row, told.dtypes)
        else:
            kept = (known.inputs, told.outputs or known.outputs, known.row, told.dtypes or known.dtypes)
            run.operated[node] = Operated(node, known.type, *kept)


def _feeds(store: Store) -> frozenset[str]:
    """Give the inputs of the models of a log: what opens a tensor, other than a custom operator's output."""
    names = [split_kernel_name(store.names.text(number)) for number in range(len(store.names))]
    custom = {name.node for name in names if name.type.startswith(_CUSTOM)}
    return frozenset(name.node for name in names if name.type in _FEEDS and name.node) - custom


def operator_types(store: Store) -> dict[str, str]:
    """Give the type of each operator as ``node_type`` records print it; one is read for each kernel."""
    types: dict[str, str] = {}
    seen: set[int] = set()
    rows = store.rows_of(NodeType)
    for row, kernel in zip(rows.tolist(), store.column("kernel")[rows].tolist(), strict=True):
        if kernel in seen:
            continue
        seen.add(kernel)
        event, node = store.event(row), split_kernel_name(store.kernel(row) or "").node
        if isinstance(event, NodeType) and node:
            types.setdefault(node, event.type)
    return types


def steps_of(store: Store, runs: Sequence[Run], limit: int) -> Iterator[Step]:
    """Give the first ``limit`` steps, each with what changed since the step before of its model."""
    before: dict[int, Run] = {}
    for run in runs[:limit]:
        last = before.get(run.model)
        known = {} if last is None else last.operated
        changed = [
            each for name, each in run.operated.items() if name not in known or known[name].shapes != each.shapes
        ]
        before[run.model] = run
        yield Step(
            model=run.model,
            pid=run.run.pid,
            iteration=run.run.iteration,
            start=place(store, run.run.start),
            inputs=run.input_shapes,
            operators=len(run.operated),
            changed=tuple(changed),
            asked=None if run.asked is None else run.asked[0],
            asked_row=None if run.asked is None else run.asked[1],
        )
