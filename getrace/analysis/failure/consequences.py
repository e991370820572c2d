"""Records that only repeat a failure: the cascade.

A fault of the device is handed upwards: the synchronise fails, the API returns a code, GE's asserts fail one caller
after the other, the framework gives up. Each such step is a consequence. What RUNTIME says besides (per core, per
argument, "report error module_type") is the report of the fault itself, and no step.
"""

from getrace.analysis.failure.signs import BELOW, Signs
from getrace.store.store import Store

LIMIT = 1_000
"""Consequences that are listed; more say nothing new."""


def consequences(store: Store, signs: Signs, root: int, until: int, *, on_device: bool) -> list[int]:
    """Give the rows of a failure's cascade, in order: after row ``root``, before row ``until``, in its process."""
    pid, steps = store.column("pid"), set(signs.cascade)
    rows = []
    for row in sorted({*steps, *signs.lines}):
        if root < row < until and pid[row] == pid[root]:
            below = store.names.text(int(store.column("module")[row])) in BELOW
            if row in steps or not (on_device and below):
                rows.append(row)
    return rows[:LIMIT]
