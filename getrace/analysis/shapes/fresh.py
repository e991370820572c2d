"""Shapes that an operator had not had before, and what they cost on the host.

A plog prints ends only, so the time of a kernel is inferred: from the end before on its thread to its own. What GE
itself measured (``[GEPERFTRACE]``) is told as such. A time that nobody knows is unknown, never 0.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from getrace.analysis.places import place
from getrace.analysis.runs import GraphRun
from getrace.analysis.shapes.facts import Compiled, Cost, NewShape, Operated
from getrace.analysis.shapes.observed import owners
from getrace.analysis.shapes.steps import Run
from getrace.events import KIND_NUMBER
from getrace.events.markers import ModelEnd, ModelStart
from getrace.events.tiling import GuideTiling, Tiling
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store

_BACK = 256
"""Rows before and behind a record in which its kernel's other records and the end before it are looked for."""

_NOT_BUILT = Cost(None, because="no GEPERFTRACE line between the step before and this one tells of a compilation")
_MARKERS = (KIND_NUMBER[ModelStart.kind], KIND_NUMBER[ModelEnd.kind])


def new_shapes(
    store: Store, runs: Sequence[Run], compiled: Sequence[Compiled], limit: int
) -> tuple[list[NewShape], int]:
    """Give the first ``limit`` new shapes in row order, those of first steps left out, and the count of all."""
    found = list(_find(runs))
    tiled = _Tilings(store, [run.run for run, _ in found[:limit]])
    built: dict[tuple[int, int], Cost] = {}
    for each in compiled:
        if each.before is not None:
            built[each.before] = max(built.get(each.before, each.cost), each.cost, key=lambda cost: cost.ns or 0)
    return [
        _new(store, run, operated, tiled, built.get((run.model, run.run.iteration), _NOT_BUILT))
        for run, operated in found[:limit]
    ], len(found)


def _find(runs: Sequence[Run]) -> Iterator[tuple[Run, Operated]]:
    known: dict[tuple[int, str], set[object]] = {}
    for run in runs:
        for name, operated in run.operated.items():
            had = known.setdefault((run.model, name), set())
            if had and operated.shapes not in had:
                yield run, operated
            had.add(operated.shapes)


def _new(store: Store, run: Run, operated: Operated, tiled: "_Tilings", built: Cost) -> NewShape:
    row = tiled.row(run.run, operated.op)
    event = None if row is None else store.event(row)
    missing = "no tiling record of this operator in this step: a kernel without tiling data prints none"
    return NewShape(
        model=run.model,
        iteration=run.run.iteration,
        operated=operated,
        place=place(store, operated.row),
        infer=kernel_cost(store, operated.row),
        tiling=Cost(None, because=missing) if row is None else kernel_cost(store, row),
        compile=built,
        tiling_cache=event.cache if isinstance(event, Tiling) else None,
    )


class _Tilings:
    """The tiling records of some runs, by run and operator."""

    def __init__(self, store: Store, runs: Sequence[GraphRun]) -> None:
        distinct = list(dict.fromkeys(runs))
        rows = store.rows_of(Tiling, GuideTiling).astype(np.int64)
        owner = owners(store, distinct, rows)
        inside = owner >= 0
        kernels = store.column("kernel")[rows[inside]].tolist()
        names = {number: split_kernel_name(store.names.text(number)).node for number in set(kernels) if number >= 0}
        self._rows: dict[tuple[GraphRun, str], int] = {}
        for row, run, number in zip(rows[inside].tolist(), owner[inside].tolist(), kernels, strict=True):
            self._rows.setdefault((distinct[run], names.get(number, "")), row)

    def row(self, run: GraphRun, op: str) -> int | None:
        """Give the first tiling record of an operator in a run."""
        return self._rows.get((run, op))


def kernel_cost(store: Store, row: int) -> Cost:
    """Infer the time of the kernel that printed a row."""
    first, last = max(0, row - _BACK), min(store.rows, row + _BACK)
    part = slice(first, last)
    cells = {name: store.column(name)[part].astype(np.int64) for name in ("pid", "tid", "kernel", "time", "kind")}
    at = row - first
    empty = store.names.find("")
    told = (cells["kernel"] != none_of("kernel")) & (cells["kernel"] != (-1 if empty is None else empty))
    told |= (cells["kind"] == _MARKERS[0]) | (cells["kind"] == _MARKERS[1])
    own = np.flatnonzero(told & (cells["pid"] == cells["pid"][at]) & (cells["tid"] == cells["tid"][at]))
    other = cells["kernel"][own] != cells["kernel"][at]
    before, behind = own[other & (own < at)], own[other & (own > at)]
    end = own[~other & (own < (behind[0] if len(behind) else len(cells["kernel"])))][-1]
    if not len(before):
        return Cost(None, because=f"no kernel of its thread ended in the {_BACK} records before it")
    times = [int(cells["time"][index]) for index in (before[-1], end)]
    if none_of("time") in times:
        return Cost(None, because="its records have no time")
    return Cost(max(0, times[1] - times[0]))
