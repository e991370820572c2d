"""What makes a join doubtful: reasons to think that another launch had the failed task's number.

A task is a device, a stream in one of its lives, and a number that begins again; a launch prints neither the device nor
the life. Where the log shows that one of these may have changed unseen, the only launch that fits may be the wrong one:
that of the failed task can be missing.
"""

from collections.abc import Sequence

from getrace.analysis.failure.folders import folder_of_row
from getrace.analysis.failure.witnesses import Fault
from getrace.analysis.launch_search import LaunchSearch
from getrace.analysis.runs import GraphRun, Stage
from getrace.analysis.streams import Launch
from getrace.store.store import Store

_LOW_BITS = 0xFFFF


class Doubts:
    """Looks for reasons to doubt a launch; ``launches`` knows the others."""

    def __init__(self, store: Store, runs: Sequence[GraphRun], launches: LaunchSearch) -> None:
        self._store = store
        self._runs = runs
        self._launches = launches

    def of(self, fault: Fault, launch: Launch, *, named: bool) -> str:
        """Say why a launch may not be the failed one, or "". ``named``: the fault's record names the same operator."""
        if folder_of_row(self._store, fault.row) != folder_of_row(self._store, launch.row):
            return "the launch is in the log of another folder, maybe of another process with the same number"
        if not named and self._has_devices(fault.pid):
            return "the process works on several devices, and launches do not say on which"
        if fault.task <= _LOW_BITS and self._launches.came_round(launch, fault.row):
            return "the stream's task numbers have begun again since that launch"
        if any(self._is_later(run, fault, launch) for run in self._runs):
            return "a later run of a graph may have launched a task of the same number"
        return ""

    def _has_devices(self, pid: int) -> bool:
        told = self._store.told("device")
        known = self._store.at("device", told[self._store.column("pid")[told] == pid])
        return bool(len(known)) and bool(known.min() != known.max())

    @staticmethod
    def _is_later(run: GraphRun, fault: Fault, launch: Launch) -> bool:
        return run.pid == fault.pid and run.stage is Stage.MAIN and launch.row < run.start < fault.row
