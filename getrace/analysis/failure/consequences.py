"""Records that only repeat a failure: the cascade.

A fault of the device is handed upwards: the synchronise fails, the API returns a code, GE's asserts fail one caller
after the other, the framework gives up. Each such step is a consequence. What RUNTIME says besides (per core, per
argument, "report error module_type") is the report of the fault itself, and no step.
"""

from getrace.analysis.below import BELOW
from getrace.analysis.failure.signs import Signs
from getrace.clock import NS_PER_SECOND
from getrace.store.columns import none_of
from getrace.store.store import Store

GAP_NS = 300 * NS_PER_SECOND
"""A fault is handed upwards at once, or when a wait times out; after a longer silence a record has its own cause."""
LIMIT = 1_000
"""Consequences that are listed; more say nothing new."""


def consequences(store: Store, signs: Signs, root: int, until: int, *, on_device: bool) -> list[int]:
    """Give the rows of a failure's cascade, in order: after row ``root``, before row ``until``, in its process.

    A silence of more than ``GAP_NS`` ends the cascade.
    """
    pid, time, steps = store.column("pid"), store.column("time"), set(signs.cascade)
    rows: list[int] = []
    before = root
    for row in sorted({*steps, *signs.lines}):
        if root < row < until and pid[row] == pid[root]:
            told = none_of("time") not in (time[before], time[row])
            if told and int(time[row]) - int(time[before]) > GAP_NS:
                break
            before = row
            below = store.names.text(int(store.column("module")[row])) in BELOW
            if row in steps or not (on_device and below):
                rows.append(row)
    return rows[:LIMIT]
