"""The report of a device fault: what RUNTIME prints of it before and besides the record that names the task.

A fault stops many cores and each prints lines of its own. Counted as failures they would be as many as there are cores.
"""

import re
from collections.abc import Iterable, Sequence

from getrace.analysis.below import BELOW
from getrace.analysis.places import text_of, time_of
from getrace.clock import NS_PER_SECOND
from getrace.store.store import Store

_CORE = re.compile(r"The error from device\(.*core id is (?P<core>\d+), error code = (?P<code>\w+)")
_TASK = re.compile(r"Task run failed, device_id=\d+, stream_id=(?P<stream>\d+), task_id=(?P<task>\d+)")
_REPORT_NS = 60 * NS_PER_SECOND
"""How long before its record a fault may begin to be told: RUNTIME waits for the device's own words."""


def core_lines(store: Store, rows: Iterable[int]) -> list[tuple[int, str, str]]:
    """Give (row, core, error code) of the lines that speak of one core."""
    found = ((row, _CORE.search(text_of(store, row))) for row in rows)
    return [(row, core["core"], core["code"]) for row, core in found if core]


def device_report(store: Store, rows: Sequence[int], error: int) -> list[int]:
    """Give the rows of modules at or below RUNTIME shortly before the record at ``error``, its own fault."""
    module, end = store.column("module"), time_of(store, error)
    below = [row for row in rows if row < error and store.names.text(int(module[row])) in BELOW]
    return [row for row in below if _near(time_of(store, row), end)]


def first_told(store: Store, rows: Sequence[int], stream: int, task: int) -> int | None:
    """Give the first row that says that a task failed, where the completion queue told it before the record did."""
    for row in rows:
        told = _TASK.search(text_of(store, row))
        if told and (int(told["stream"]), int(told["task"])) == (stream, task):
            return row
    return None


def _near(time: int | None, end: int | None) -> bool:
    return time is None or end is None or end - time <= _REPORT_NS
