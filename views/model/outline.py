"""The outline of a run: Init, Main and DeInit with what they hold, and which stage a row belongs to.

Which execution belongs to which stage is decided in ``getrace.analysis.runs``; this makes lines of it. Lowered graphs
are listed below the runs when the store has them, with the graphs that their nodes own.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.analysis.block_columns import narrow
from getrace.analysis.runs import GraphRun, Stage, graph_runs
from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.processes import process_text, processes

STAGES = ("Init", "Main", "DeInit")

GRAPH_KEY = "graph:"
"""How keys of lines about lowered graphs begin; the row of such a line is where its kernel speaks first."""

_TITLES = dict(zip(Stage, STAGES, strict=True))


class Run(NamedTuple):
    """One execution of a stage's graph. ``kernels`` are the rows at which a kernel first speaks, in order.

    ``last`` is the row of its end marker, or of the last row of its thread when ``ended`` is false.
    """

    stage: str
    number: int
    pid: int
    tid: int
    first: int
    last: int
    ended: bool
    kernels: npt.NDArray[np.int64]


class Item(NamedTuple):
    """A line of the outline: ``row`` to jump to, or -1; a ``key`` that stays the same while a log grows."""

    key: str
    label: str
    note: str
    depth: int
    row: int
    children: int
    bad: bool = False


@dataclass(slots=True)
class Outline:
    """Runs of a store, or graphs, and the lines to show. ``many`` says that the store has several processes."""

    runs: tuple[Run, ...] = ()
    graphs: tuple[GraphSnapshot, ...] = ()
    many: bool = False
    _by_thread: dict[tuple[int, int], list[Run]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for run in self.runs:
            self._by_thread.setdefault((run.pid, run.tid), []).append(run)

    def stage_of(self, row: int, pid: int, tid: int) -> str:
        """Give the stage a row belongs to, ``main #2`` for the second Main, or "" outside every run."""
        runs = self._by_thread.get((pid, tid), [])
        place = bisect_right(runs, row, key=lambda run: run.first) - 1
        if place < 0 or row > runs[place].last:
            return ""
        run = runs[place]
        return run.stage.lower() + (f" #{run.number}" if run.stage == "Main" else "")


def outline_of(store: Store) -> Outline:
    """Read the outline of a store: its newest lowered graphs, and its runs."""
    lowered = [graph for graph in store.graphs if all(graph.owned(stage) for stage in STAGES)]
    return Outline(runs=runs_of(store), graphs=tuple(lowered[-1:]), many=len(processes(store)) > 1)


def runs_of(store: Store) -> tuple[Run, ...]:
    """Give the executions in a store, in the order of their first row, with the rows at which their kernels speak."""
    return tuple(
        Run(
            _TITLES[run.stage],
            run.iteration,
            run.pid,
            run.tid,
            run.start,
            run.last,
            run.complete,
            narrow(_kernels(store, run)),
        )
        for run in graph_runs(store)
    )


def items(outline: Outline, store: Store, opened: frozenset[str]) -> list[Item]:
    """Give the lines to show; the children of a line stand below it when its key is in ``opened``."""
    lines: list[Item] = []
    for run in outline.runs:
        key = f"run:{run.first}"
        stage = f"{run.stage} #{run.number}" if run.stage == "Main" else run.stage
        title = process_text(run.pid, many=outline.many) + stage
        note = f"{len(run.kernels)} kernels" if run.ended else "no end"
        lines.append(Item(key, title, note, 0, run.first, len(run.kernels), bad=not run.ended))
        if key in opened:
            lines.extend(
                Item(f"row:{row}", store.kernel(row) or "", "", 1, row, 0) for row in map(int, run.kernels.tolist())
            )
    for graph in outline.graphs:
        lines.extend(_Nodes(graph, opened, _spoken(outline, store) if opened else {}).stages())
    return lines


def _spoken(outline: Outline, store: Store) -> dict[str, int]:
    """Give the row at which each kernel speaks first in a run."""
    rows = np.concatenate([run.kernels for run in outline.runs]) if outline.runs else np.zeros(0, np.intp)
    names, first = np.unique(store.column("kernel")[rows], return_index=True)
    return {store.names.text(int(name)): int(rows[at]) for name, at in zip(names, first, strict=True)}


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Lists the nodes of lowered graphs, and below a node the graphs it owns: branches, bodies, conditions."""

    graph: GraphSnapshot
    opened: frozenset[str]
    spoken: Mapping[str, int]

    def stages(self) -> Iterator[Item]:
        for stage in STAGES:
            yield from self._of_graph(f"{GRAPH_KEY}{stage}", f"{stage} graph", self.graph.owned(stage), 0)

    def _of_graph(self, key: str, label: str, graph: SnapshotGraph | None, depth: int) -> Iterator[Item]:
        nodes = () if graph is None else graph.nodes
        yield Item(key, label, f"{len(nodes)} nodes", depth, -1, len(nodes))
        if key in self.opened:
            for node in nodes:
                yield from self._of_node(f"{key}:{node.id}", node, depth + 1)

    def _of_node(self, key: str, node: SnapshotNode, depth: int) -> Iterator[Item]:
        yield Item(key, node.name, node.type, depth, self.spoken.get(node.name, -1), len(node.subgraphs))
        if key in self.opened:
            for name in node.subgraphs:
                yield from self._of_graph(f"{key}:{name}", name, self.graph.graphs.get(name), depth + 1)


def _kernels(store: Store, run: GraphRun) -> npt.NDArray[np.int64]:
    part = slice(run.start, run.last + 1)
    names = store.column("kernel")[part]
    empty = store.names.find("")
    mine = (names != none_of("kernel")) & (names != (-1 if empty is None else empty))
    mine &= (store.column("tid")[part] == run.tid) & (store.column("pid")[part] == run.pid)
    spoken = np.flatnonzero(mine)
    named = names[spoken]
    begins = np.concatenate(([True], named[1:] != named[:-1])) if len(spoken) else np.zeros(0, np.bool_)
    return run.start + spoken[begins]
