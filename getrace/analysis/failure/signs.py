"""What shows that something failed: one pass over the rows that can, sorted into kinds of sign.

* a kernel's own ERROR record: the tracer prints it when a kernel returns anything but 0 (spec/kerneltrace.md 7.1);
* a fault of the device, told by RUNTIME with stream and task;
* a step of the cascade: a synchronise or an API call that only hands the fault on;
* any other ERROR line.

ERROR lines that say of themselves that they can be ignored are no signs (spec 12, 15).
"""

from dataclasses import dataclass, field

import numpy as np

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
from getrace.events.text import LogLine
from getrace.store.columns import none_of
from getrace.store.store import Store

DEVICE_FAULTS: tuple[type[Event], ...] = (TaskException, KernelFault)
CASCADE: tuple[type[Event], ...] = (SyncFailed, ApiFailed)
_REPORTS: tuple[type[Event], ...] = (CoreError, ErrorDetected)
_LOUD = (Level.ERROR, Level.CRITICAL, Level.EXCEPTION)
_BENIGN = "can be ignored"

LIMIT = 10_000
"""ERROR lines that are read one by one; a log with more repeats itself."""


@dataclass(slots=True)
class Signs:
    """Rows by kind of sign, each list in row order."""

    kernel_errors: list[int] = field(default_factory=list)
    device_faults: list[int] = field(default_factory=list)
    cascade: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    benign: list[int] = field(default_factory=list)

    @property
    def any(self) -> bool:
        """Whether the log shows a failure at all."""
        return bool(self.kernel_errors or self.device_faults or self.cascade or self.lines)

    @property
    def loud(self) -> list[int]:
        """All rows that speak of a failure, in row order."""
        return sorted({*self.kernel_errors, *self.device_faults, *self.cascade, *self.lines})


def read_signs(store: Store) -> Signs:
    """Sort the rows that show a failure."""
    signs = Signs(
        device_faults=store.rows_of(*DEVICE_FAULTS).tolist(),
        cascade=store.rows_of(*CASCADE).tolist(),
    )
    loud = np.flatnonzero(np.isin(store.column("level"), [int(level) for level in _LOUD]))
    in_kernel = store.column("kernel")[loud] != none_of("kernel")
    named = loud[in_kernel].tolist()
    signs.kernel_errors = sorted({*named, *store.rows_of(KernelFailed).tolist()})
    for row in loud[~in_kernel][:LIMIT].tolist():
        _sort_line(store, signs, row)
    return signs


def _sort_line(store: Store, signs: Signs, row: int) -> None:
    kind = store.kind(row)
    if kind in DEVICE_FAULTS or kind in CASCADE or kind in _REPORTS or kind is KernelFailed:
        return
    event = store.event(row)
    text = event.text if isinstance(event, LogLine) else ""
    (signs.benign if _BENIGN in text else signs.lines).append(row)
