"""Which rows of a whole log a selection wants: what a record says, and what its kernel and its run say.

A stream or an iteration is a fact of a kernel execution or a run, of which most records say nothing; so all records of
an execution are wanted when one of them names the stream.
"""

import numpy as np
import numpy.typing as npt

from getrace.analysis.kernels import executions
from getrace.analysis.runs import Stage, graph_runs, run_of_rows
from getrace.events import KIND_NUMBER
from getrace.events.markers import ModelEnd, ModelStart
from getrace.store.columns import COLUMNS, none_of
from getrace.store.selection import Selection
from getrace.store.store import Store

Mask = npt.NDArray[np.bool_]

_MARKERS = (KIND_NUMBER[ModelStart.kind], KIND_NUMBER[ModelEnd.kind])


def selected_rows(store: Store, wanted: Selection) -> npt.NDArray[np.intp]:
    """Give the rows that a selection wants, in order; ``max_events`` is for the caller to apply."""
    mask = wanted.keeps({name: store.column(name) for name in COLUMNS}, store.names)
    if wanted.streams:
        mask &= _of_streams(store, wanted.streams)
    if wanted.iterations:
        mask &= _of_iterations(store, wanted.iterations)
    return np.flatnonzero(mask)


def _of_streams(store: Store, streams: tuple[int, ...]) -> Mask:
    """Find records of some streams: logical ones, RT streams where a record names only those; markers go with them."""
    logical, launched = store.column("stream"), store.column("rt_stream")
    nothing_logical = logical == none_of("stream")
    named = np.isin(logical, streams) | (nothing_logical & np.isin(launched, streams))
    silent = nothing_logical & (launched == none_of("rt_stream"))
    runs = executions(store)
    owner = runs.of_rows(store, np.arange(store.rows))
    of_wanted = np.zeros(len(runs) + 1, np.bool_)  # one place more, for rows of no execution: -1
    of_wanted[owner[named]] = True
    of_wanted[-1] = False
    marker = np.isin(store.column("kind"), _MARKERS)
    return np.asarray(named | (silent & of_wanted[owner]) | marker, np.bool_)


def _of_iterations(store: Store, iterations: tuple[int, ...]) -> Mask:
    """Find the records inside some runs of Main graphs."""
    runs = graph_runs(store)
    of_wanted = np.array([run.stage is Stage.MAIN and run.iteration in iterations for run in runs] + [False], np.bool_)
    return np.asarray(of_wanted[run_of_rows(store, runs)], np.bool_)
