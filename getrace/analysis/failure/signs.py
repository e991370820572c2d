"""What shows that something failed: one pass over the rows that can, sorted into kinds of sign.

* a kernel's own ERROR record: the tracer prints it when a kernel returns anything but 0 (spec/kerneltrace.md 7.1);
* a fault of the device, told by RUNTIME with stream and task, or by a record that gives a fault's kernel name;
* a step of the cascade: a synchronise or an API call that only hands the fault on;
* any other ERROR line.

ERROR lines that the table of rules knows to be harmless are no signs, and neither are lines after
which their process ran a graph to its end: whatever failed there did not stop it. A failed synchronise always counts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from getrace.analysis.below import BELOW
from getrace.analysis.failure.phases import speaks_of_sync
from getrace.analysis.failure.witnesses import FAULT_TEXT
from getrace.analysis.places import TEXT_LIMIT
from getrace.analysis.runs import GraphRun, Stage
from getrace.analysis.sampling import both_ends
from getrace.events import KIND_NUMBER, Event, Level
from getrace.events.device import (
    ApiFailed,
    CoreError,
    ErrorDetected,
    KernelFault,
    SyncFailed,
    TaskException,
)
from getrace.events.markers import KernelFailed
from getrace.store.columns import Column, none_of
from getrace.store.store import Store

DEVICE_FAULTS: tuple[type[Event], ...] = (TaskException, KernelFault)
CASCADE: tuple[type[Event], ...] = (SyncFailed, ApiFailed)
_REPORTS: tuple[type[Event], ...] = (CoreError, ErrorDetected)
_TOLD_BY_KIND: tuple[type[Event], ...] = (*DEVICE_FAULTS, *CASCADE, *_REPORTS, KernelFailed)
_LOUD = (Level.ERROR, Level.CRITICAL, Level.EXCEPTION)

LIMIT = 10_000
"""ERROR lines that are read one by one, from the beginning and the end; a log with more repeats itself."""
FAULTS = 2_000
"""Faults of the device that are told apart; behind so many nobody asks which came first."""
_FAULT = "fault kernel_name="


@dataclass(slots=True)
class Signs:
    """Rows by kind of sign, each list in row order."""

    kernel_errors: list[int] = field(default_factory=list)
    device_faults: list[int] = field(default_factory=list)
    cascade: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    survived: list[int] = field(default_factory=list)
    benign: list[int] = field(default_factory=list)

    @property
    def spoken(self) -> list[int]:
        """Rows that speak of a failure without naming a kernel or a task, in row order."""
        return sorted({*self.cascade, *self.lines} - set(self.survived))


def read_signs(store: Store, runs: Sequence[GraphRun], harmless: Collection[int]) -> Signs:
    """Sort the rows that show a failure; ``harmless`` are those that the rules know to be none."""
    signs = Signs(
        device_faults=store.rows_of(*DEVICE_FAULTS).tolist(),
        cascade=store.rows_of(*CASCADE).tolist(),
    )
    loud = store.rows_at(*_LOUD)
    in_kernel = store.column("kernel")[loud] != none_of("kernel")
    named = loud[in_kernel].tolist()
    signs.kernel_errors = sorted({*named, *store.rows_of(KernelFailed).tolist()})
    known = [KIND_NUMBER[kind.kind] for kind in _TOLD_BY_KIND]
    lines = loud[~in_kernel & ~np.isin(store.column("kind")[loud], known)]
    _sort_lines(store, signs, both_ends(lines, LIMIT), harmless)
    signs.device_faults = sorted(signs.device_faults)[:FAULTS]
    _note_survived(store, signs, runs)
    return signs


def _note_survived(store: Store, signs: Signs, runs: Sequence[GraphRun]) -> None:
    """Find the lines after which their process ran a graph to its end."""
    last_end = _last_ends(runs)
    pid = store.column("pid")[signs.lines].tolist() if signs.lines else []
    early = np.array([row for row, own in zip(signs.lines, pid, strict=True) if row < last_end.get(own, -1)], np.int64)
    for row, text in zip(early.tolist(), store.texts(early, TEXT_LIMIT), strict=True):
        if not speaks_of_sync(text):
            signs.survived.append(row)


def _last_ends(runs: Sequence[GraphRun]) -> dict[int, int]:
    """Give the row of the last complete Main run's End marker, by process."""
    ends: dict[int, int] = {}
    for run in runs:
        if run.complete and run.stage is Stage.MAIN:
            ends[run.pid] = max(run.last, ends.get(run.pid, -1))
    return ends


def _sort_lines(store: Store, signs: Signs, rows: Column, harmless: Collection[int]) -> None:
    modules = store.column("module")[rows].tolist()
    for row, module, text in zip(rows.tolist(), modules, store.texts(rows, TEXT_LIMIT), strict=True):
        # A module above the runtime only repeats what the runtime told it.
        if _FAULT in text and store.names.text(module) in BELOW and FAULT_TEXT.search(text):
            signs.device_faults.append(row)
        else:
            (signs.benign if row in harmless else signs.lines).append(row)
