"""The outline of a run: Init, Main and DeInit with what they hold, and which stage a row belongs to.

Taken from the lowered graphs when the store has them, else from the markers "model starts" and "model ends". A log
does not say which graph a marker belongs to: per thread the first run is Init, the following ones are Main, and a
later run that shares no kernel with the first Main is DeInit. So stages of a log are inferred, and say so.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.dumps.snapshot import GraphSnapshot
from getrace.events.markers import ModelEnd, ModelStart
from getrace.store.columns import none_of
from getrace.store.store import Store

STAGES = ("Init", "Main", "DeInit")


class Run(NamedTuple):
    """One execution of a stage's graph. ``kernels`` are the rows at which a kernel first speaks, in order.

    ``last`` is the row of its end marker, or of the last row of its thread when ``ended`` is false.
    """

    stage: str
    number: int
    tid: int
    first: int
    last: int
    ended: bool
    kernels: npt.NDArray[np.intp]


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
    """Runs of a store, or graphs, and the lines to show."""

    runs: tuple[Run, ...] = ()
    graphs: tuple[GraphSnapshot, ...] = ()
    _by_thread: dict[int, list[Run]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for run in self.runs:
            self._by_thread.setdefault(run.tid, []).append(run)

    def stage_of(self, row: int, tid: int) -> str:
        """Give the stage a row belongs to, ``main #2`` for the second Main, or "" outside every run."""
        runs = self._by_thread.get(tid, [])
        place = bisect_right(runs, row, key=lambda run: run.first) - 1
        if place < 0 or row > runs[place].last:
            return ""
        run = runs[place]
        return run.stage.lower() + (f" #{run.number}" if run.stage == "Main" else "")


def outline_of(store: Store) -> Outline:
    """Read the outline of a store: its newest lowered graphs, and its runs."""
    lowered = [graph for graph in store.graphs if all(graph.owned(stage) for stage in STAGES)]
    return Outline(runs=runs_of(store), graphs=tuple(lowered[-1:]))


def runs_of(store: Store) -> tuple[Run, ...]:
    """Find the executions in a store, in the order of their first row."""
    marks = store.rows_of(ModelStart, ModelEnd).astype(np.intp)
    if not len(marks):
        return ()
    rows = store.rows
    kernels, tids = store.column("kernel")[:rows], store.column("tid")[:rows]
    starts = set(store.rows_of(ModelStart).tolist())
    found: list[Run] = []
    for tid in np.unique(tids[marks]).tolist():
        spoken = np.flatnonzero((tids == tid) & (kernels != none_of("kernel"))).astype(np.intp)
        final = int(np.flatnonzero(tids == tid)[-1])
        mine = marks[tids[marks] == tid].tolist()
        pieces = [(first, after) for first, after in zip(mine, [*mine[1:], -1], strict=True) if first in starts]
        bodies = []
        for first, after in pieces:
            ended = after >= 0 and after not in starts
            last = after if after >= 0 else final
            bodies.append((first, last, ended, _first_words(spoken, kernels, first, last)))
        found.extend(_named(tid, bodies, kernels))
    return tuple(sorted(found, key=lambda run: run.first))


def items(outline: Outline, store: Store, opened: frozenset[str]) -> list[Item]:
    """Give the lines to show; the children of a line stand below it when its key is in ``opened``."""
    lines: list[Item] = []
    for run in outline.runs:
        key = f"run:{run.tid}:{run.first}"
        title = f"{run.stage} #{run.number}" if run.stage == "Main" else run.stage
        note = f"{len(run.kernels)} kernels" if run.ended else "no end"
        lines.append(Item(key, title, note, 0, run.first, len(run.kernels), bad=not run.ended))
        if key in opened:
            lines.extend(
                Item(f"row:{row}", store.kernel(row) or "", "", 1, row, 0) for row in map(int, run.kernels.tolist())
            )
    for graph in outline.graphs:
        lines.extend(_graph_items(graph, opened))
    return lines


def _graph_items(graph: GraphSnapshot, opened: frozenset[str]) -> list[Item]:
    lines = []
    for stage in STAGES:
        owned = graph.owned(stage)
        nodes = owned.nodes if owned else ()
        key = f"graph:{stage}"
        lines.append(Item(key, f"{stage} graph", f"{len(nodes)} nodes", 0, -1, len(nodes)))
        if key in opened:
            lines.extend(Item(f"{key}:{node.id}", node.name, node.type, 1, -1, 0) for node in nodes)
    return lines


def _first_words(
    spoken: npt.NDArray[np.intp], kernels: npt.NDArray[np.generic], first: int, last: int
) -> npt.NDArray[np.intp]:
    part = spoken[np.searchsorted(spoken, first) : np.searchsorted(spoken, last, "right")]
    names = kernels[part]
    return part[np.flatnonzero(np.concatenate(([True], names[1:] != names[:-1])))] if len(part) else part


def _named(
    tid: int,
    bodies: list[tuple[int, int, bool, npt.NDArray[np.intp]]],
    kernels: npt.NDArray[np.generic],
) -> list[Run]:
    runs: list[Run] = []
    main_names: set[int] = set()
    mains = 0
    for place, (first, last, ended, words) in enumerate(bodies):
        names = set(kernels[words].tolist())
        if place == 0:
            stage = "Init"
        elif mains and names and not names & main_names:
            stage = "DeInit"
        else:
            stage, mains = "Main", mains + 1
            main_names = main_names or names
        runs.append(Run(stage, mains if stage == "Main" else 1, tid, first, last, ended, words))
    return runs
