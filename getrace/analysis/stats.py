"""Counts and times of kernels, grouped by what the user asks for.

A plog prints ends only: a time is the distance to the end before it on the thread, so it includes what the host did in
between and is called inferred. Percentiles are nearest-rank, so each is a time that really occurred.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from getrace.analysis.kernels import Executions, executions
from getrace.analysis.runs import GraphRun, Stage, graph_runs, run_of_rows
from getrace.events.aicpu import TfLaunch2023
from getrace.events.launch import TaskIds
from getrace.ids import split_kernel_name
from getrace.store.columns import Column, none_of
from getrace.store.store import Store

Key = str | None


@dataclass(frozen=True, slots=True)
class StatRow:
    """One group: ``name`` (None: the log does not say), how many, and nanoseconds or None where nothing is known."""

    name: str | None
    count: int
    total: int | None = None
    p50: int | None = None
    p90: int | None = None
    p99: int | None = None


def stats(store: Store, by: str) -> list[StatRow]:
    """Group executions (or, by module, records), the longest total first, then the most frequent, then by name.

    Raises:
        KeyError: ``by`` is not one of ``GROUPINGS``.
    """
    if by == "module":
        return _by_module(store)
    runs = executions(store)
    groups: dict[Key, list[int]] = {}
    for key, duration in zip(GROUPINGS[by](store, runs), runs.duration.tolist(), strict=True):
        groups.setdefault(key, []).append(duration)
    rows = [_summary(name, durations) for name, durations in groups.items()]
    return sorted(rows, key=lambda row: (-(row.total or 0), -row.count, row.name is None, row.name or ""))


def _summary(name: Key, durations: list[int]) -> StatRow:
    known = sorted(duration for duration in durations if duration >= 0)
    if not known:
        return StatRow(name, len(durations))
    p50, p90, p99 = (known[max(0, -(-len(known) * part // 100) - 1)] for part in (50, 90, 99))
    return StatRow(name, len(durations), sum(known), p50, p90, p99)


def _by_module(store: Store) -> list[StatRow]:
    modules, counts = np.unique(store.column("module"), return_counts=True)
    rows = [StatRow(store.names.text(m), n) for m, n in zip(modules.tolist(), counts.tolist(), strict=True)]
    return sorted(rows, key=lambda row: (-row.count, row.name or ""))


def _by_kernel(store: Store, runs: Executions) -> Iterable[Key]:
    return (store.names.text(name) for name in runs.name.tolist())


def _by_type(store: Store, runs: Executions) -> Iterable[Key]:
    return (split_kernel_name(store.names.text(name)).type for name in runs.name.tolist())


def _by_op(store: Store, runs: Executions) -> Iterable[Key]:
    return (split_kernel_name(store.names.text(name)).node or None for name in runs.name.tolist())


def _by_thread(store: Store, runs: Executions) -> Iterable[Key]:
    pid, tid = store.column("pid")[runs.first].tolist(), store.column("tid")[runs.first].tolist()
    none = none_of("tid")
    return (None if t == none else f"{p}:{t}" for p, t in zip(pid, tid, strict=True))


def _by_stream(store: Store, runs: Executions) -> Iterable[Key]:
    """Name the logical stream a kernel's rows say, else the RT stream of its launch; the two never mix."""
    logical = _said(store, runs, "stream", np.arange(store.rows))
    launched = _said(store, runs, "rt_stream", store.rows_of(TaskIds, TfLaunch2023))
    for stream, rt_stream in zip(logical, launched, strict=True):
        if stream is not None:
            yield f"stream {stream}"
        else:
            yield None if rt_stream is None else f"rt stream {rt_stream}"


def _said(store: Store, runs: Executions, column: str, rows: Column) -> list[int | None]:
    """Give for each execution the first value that its own rows have in a column."""
    values, names = store.column(column), store.column("kernel")
    told: dict[int, int] = {}
    speaking = rows[values[rows] != none_of(column)]
    spans = zip(runs.name.tolist(), runs.first.tolist(), runs.last.tolist(), strict=True)
    for index, (name, first, last) in enumerate(spans):
        start, stop = np.searchsorted(speaking, [first, last + 1])
        for row in speaking[start:stop].tolist():
            if names[row] == name:
                told[index] = int(values[row])
                break
    return [told.get(index) for index in range(len(runs))]


def _by_iteration(store: Store, runs: Executions) -> Iterable[Key]:
    graphs = graph_runs(store)
    owner = run_of_rows(store, graphs)[runs.first].tolist()
    return (None if index < 0 else _title(graphs[int(index)]) for index in owner)


def _title(run: GraphRun) -> str:
    return f"{run.stage} {run.iteration}" if run.stage is Stage.MAIN else str(run.stage)


GROUPINGS: dict[str, Callable[[Store, Executions], Iterable[Key]]] = {
    "kernel": _by_kernel,
    "type": _by_type,
    "op": _by_op,
    "stream": _by_stream,
    "thread": _by_thread,
    "iteration": _by_iteration,
}
"""What executions are grouped by; ``module`` groups records instead."""
