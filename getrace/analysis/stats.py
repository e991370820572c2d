"""Counts and times of kernels, grouped by what the user asks for.

A plog prints ends only: a time is the distance to the end before it on the thread, so it includes what the host did in
between and is called inferred. Percentiles are nearest-rank, so each is a time that really occurred.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from getrace.analysis.kernels import Executions, Rows, executions
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


class _Keys(NamedTuple):
    """The key of each execution: ``names[codes[i]]``. A log has many executions and few keys; two may be equal."""

    names: Sequence[Key]
    codes: Rows


def stats(store: Store, by: str) -> list[StatRow]:
    """Group executions (or, by module, records), the longest total first, then the most frequent, then by name.

    Raises:
        KeyError: ``by`` is not one of ``GROUPINGS``.
    """
    if by == "module":
        return _by_module(store)
    runs = executions(store)
    if not len(runs):
        return []
    names, codes = GROUPINGS[by](store, runs)
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    group = np.array([number[name] for name in names], np.int64)[codes]
    order = np.lexsort((runs.duration, group))
    borders = np.searchsorted(group[order], np.arange(1, len(number)))
    parts = np.split(runs.duration[order], borders)
    rows = [_summary(name, part) for name, part in zip(number, parts, strict=True) if len(part)]
    return sorted(rows, key=lambda row: (-(row.total or 0), -row.count, row.name is None, row.name or ""))


def _summary(name: Key, durations: Rows) -> StatRow:
    """Sum up one group, whose durations are sorted and -1 where nobody knows."""
    known = durations[np.searchsorted(durations, 0) :]
    if not len(known):
        return StatRow(name, len(durations))
    p50, p90, p99 = (int(known[max(0, -(-len(known) * part // 100) - 1)]) for part in (50, 90, 99))
    return StatRow(name, len(durations), int(known.sum()), p50, p90, p99)


def _by_module(store: Store) -> list[StatRow]:
    modules, counts = np.unique(store.column("module"), return_counts=True)
    rows = [StatRow(store.names.text(m), n) for m, n in zip(modules.tolist(), counts.tolist(), strict=True)]
    return sorted(rows, key=lambda row: (-row.count, row.name or ""))


def _of_name(spell: Callable[[str], Key]) -> Callable[[Store, Executions], _Keys]:
    """Make a grouping of something that a kernel's NAME says; each distinct name is asked once."""

    def keys(store: Store, runs: Executions) -> _Keys:
        names, codes = np.unique(runs.name, return_inverse=True)
        return _Keys([spell(store.names.text(name)) for name in names.tolist()], codes)

    return keys


def _by_thread(store: Store, runs: Executions) -> _Keys:
    who, codes = _distinct(store.column("pid")[runs.first], store.column("tid")[runs.first])
    none = none_of("tid")
    return _Keys([None if tid == none else f"{pid}:{tid}" for pid, tid in who], codes)


def _by_stream(store: Store, runs: Executions) -> _Keys:
    """Name the logical stream a kernel's rows say, else the RT stream of its launch; the two never mix.

    A number means another stream in another process, so the process is named when there are several.
    """
    logical = _said(store, runs, "stream", np.arange(store.rows))
    launched = _said(store, runs, "rt_stream", store.rows_of(TaskIds, TfLaunch2023))
    pid = store.column("pid")[runs.first]
    several = len(np.unique(pid)) > 1
    who, codes = _distinct(pid, logical, launched)
    return _Keys([_stream(*spoken, process=several) for spoken in who], codes)


def _stream(pid: int, logical: int, launched: int, *, process: bool) -> Key:
    if logical == none_of("stream") and launched == none_of("rt_stream"):
        return None
    name = f"rt stream {launched}" if logical == none_of("stream") else f"stream {logical}"
    return f"{name} of process {pid}" if process else name


def _said(store: Store, runs: Executions, column: str, rows: Column) -> Column:
    """Give for each execution the first value that its own rows have in a column, or the column's none."""
    values, none = store.column(column), none_of(column)
    speaking = rows[values[rows] != none]
    found = runs.of_rows(store, speaking)
    told, at = np.unique(found, return_index=True)
    said = np.full(len(runs), none, np.int64)
    said[told[told >= 0]] = values[speaking[at[told >= 0]]]
    return said


def _by_iteration(store: Store, runs: Executions) -> _Keys:
    graphs = graph_runs(store)
    owner = run_of_rows(store, graphs)[runs.first]
    numbers, codes = np.unique(owner, return_inverse=True)
    first_kernels = _first_kernels(store, runs, graphs, owner)
    several = len({graphs[number].pid for number in numbers.tolist() if number >= 0}) > 1
    # What Init, Main or DeInit of a process begins with tells its models apart, as it does in ``graph_runs``.
    models: dict[tuple[int, Stage], set[str]] = {}
    for number, kernel in first_kernels.items():
        models.setdefault((graphs[number].pid, graphs[number].stage), set()).add(kernel)
    names: list[Key] = []
    for number in numbers.tolist():
        if number < 0:
            names.append(None)
            continue
        run = graphs[number]
        kernel = first_kernels.get(number, "") if len(models.get((run.pid, run.stage), ())) > 1 else ""
        names.append(
            _title(run) + (f" of process {run.pid}" if several else "") + (f" from {kernel}" if kernel else "")
        )
    return _Keys(names, codes)


def _first_kernels(store: Store, runs: Executions, graphs: Sequence[GraphRun], owner: Column) -> dict[int, str]:
    """Give the NAME of the first kernel of each run on the run's own thread."""
    thread = np.array([*(run.tid for run in graphs), none_of("tid")], np.int64)
    own = (owner >= 0) & (store.column("tid")[runs.first] == thread[owner])
    numbers, at = np.unique(owner[own], return_index=True)
    names = runs.name[own][at].tolist()
    return {number: store.names.text(name) for number, name in zip(numbers.tolist(), names, strict=True)}


def _title(run: GraphRun) -> str:
    return f"{run.stage} {run.iteration}" if run.stage is Stage.MAIN else str(run.stage)


def _distinct(*columns: Column) -> tuple[list[tuple[int, ...]], Rows]:
    """Give the distinct rows of some columns, and the number of each row among them."""
    found, codes = np.unique(np.stack(columns, axis=1).astype(np.int64), axis=0, return_inverse=True)
    return [tuple(row) for row in found.tolist()], codes.reshape(-1)


GROUPINGS: dict[str, Callable[[Store, Executions], _Keys]] = {
    "kernel": _of_name(lambda name: name),
    "type": _of_name(lambda name: split_kernel_name(name).type),
    "op": _of_name(lambda name: split_kernel_name(name).node or None),
    "stream": _by_stream,
    "thread": _by_thread,
    "iteration": _by_iteration,
}
"""What executions are grouped by; ``module`` groups records instead."""
