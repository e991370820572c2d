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
from getrace.analysis.failure.phases import SYNC, phase_of_words
from getrace.analysis.failure.witnesses import FAULT_TEXT
from getrace.analysis.runs import GraphRun, Stage
from getrace.events import Event, Level
from getrace.events.device import (
    ApiFailed,
    CoreError,
    ErrorDetected,
    KernelFault,
    SyncFailed,
    TaskException,
)
from getrace.events.markers import KernelFailed
from getrace.store.columns import none_of
from getrace.store.store import Store

DEVICE_FAULTS: tuple[type[Event], ...] = (TaskException, KernelFault)
CASCADE: tuple[type[Event], ...] = (SyncFailed, ApiFailed)
_REPORTS: tuple[type[Event], ...] = (CoreError, ErrorDetected)
_LOUD = (Level.ERROR, Level.CRITICAL, Level.EXCEPTION)

LIMIT = 10_000
"""ERROR lines that are read one by one; a log with more repeats itself."""


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
    loud = np.flatnonzero(np.isin(store.column("level"), [int(level) for level in _LOUD]))
    in_kernel = store.column("kernel")[loud] != none_of("kernel")
    named = loud[in_kernel].tolist()
    signs.kernel_errors = sorted({*named, *store.rows_of(KernelFailed).tolist()})
    for row in loud[~in_kernel][:LIMIT].tolist():
        _sort_line(store, signs, row, harmless)
    signs.device_faults.sort()
    last_end = _last_ends(runs)
    pid = store.column("pid")
    for row in signs.lines:
        if row < last_end.get(int(pid[row]), -1) and phase_of_words(store.text(row)) != SYNC:
            signs.survived.append(row)
    return signs


def _last_ends(runs: Sequence[GraphRun]) -> dict[int, int]:
    """Give the row of the last complete Main run's End marker, by process."""
    ends: dict[int, int] = {}
    for run in runs:
        if run.complete and run.stage is Stage.MAIN:
            ends[run.pid] = max(run.last, ends.get(run.pid, -1))
    return ends


def _sort_line(store: Store, signs: Signs, row: int, harmless: Collection[int]) -> None:
    kind = store.kind(row)
    if kind in DEVICE_FAULTS or kind in CASCADE or kind in _REPORTS or kind is KernelFailed:
        return
    text = store.text(row)
    # A module above the runtime only repeats what the runtime told it.
    if store.names.text(int(store.column("module")[row])) in BELOW and FAULT_TEXT.search(text):
        signs.device_faults.append(row)
        return
    (signs.benign if row in harmless else signs.lines).append(row)
