"""The free-to-launch relation: which launches must be on their stream before memory may leave it (spec 2.5).

The worker of memory may run a free before the worker of launches has submitted the launch that reads the memory. For
another use on the same stream that is right, the stream keeps the order. Only when memory is to go back to the device
after a synchronise the launch must have been submitted before that synchronise; then, and only then, somebody waits.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from runtime.kernels.status import Status

LAST_NUMBER: Final = (1 << 64) - 1
"""UINT64_MAX: a generation or an epoch that stands there cannot be counted on."""


@dataclass(frozen=True, slots=True)
class FreeLaunchCsr:
    """``free_launch_relation_csr``: the launches of free ``f`` are ``launch_ids[offsets[f]:offsets[f + 1]]``."""

    offsets: Sequence[int]
    launch_ids: Sequence[int]
    node_num: int
    relation_num: int

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]], node_num: int) -> "FreeLaunchCsr":
        """Build it from (free, launch) pairs by number: sorted, each once."""
        ordered = sorted(set(pairs))
        offsets = [0] * (node_num + 1)
        for free, _ in ordered:
            offsets[free + 1] += 1
        for at in range(node_num):
            offsets[at + 1] += offsets[at]
        return cls(offsets, [launch for _, launch in ordered], node_num, len(ordered))

    def fault(self, schedule_limit: int) -> str:
        """Give the text of the first rule that is broken, "" for a good one; all empty means no relations."""
        return next(self._faults(schedule_limit), "") if self.offsets or self.launch_ids else ""

    def _faults(self, limit: int) -> Iterator[str]:
        offsets, num = self.offsets, self.relation_num
        if self.node_num != limit:
            yield f"Free-launch CSR node num {self.node_num} does not match schedule limit {limit}"
        if offsets[0]:
            yield f"Free-launch CSR first offset {offsets[0]} is not zero"
        for at in range(1, self.node_num + 1):
            if offsets[at] > num:
                yield f"Free-launch CSR offset {offsets[at]} at index {at} exceeds relation num {num}"
            if offsets[at - 1] > offsets[at]:
                yield f"Free-launch CSR offsets are not monotonic at index {at}"
        if offsets[self.node_num] != num:
            yield "Free-launch CSR relation num is invalid"
        for at, launch in enumerate(self.launch_ids):
            if launch >= self.node_num:
                yield f"Free-launch CSR launch id {launch} at index {at} is out of range {self.node_num}"


class FreeLaunchState:
    """What of the relation is open in one execution. Generations let a kernel run again, as in a loop."""

    def __init__(self, csr: FreeLaunchCsr) -> None:
        self.csr = csr
        self.epoch = 0
        self.unmet = 0
        self.abort_status = 0
        self._launches = frozenset(csr.launch_ids)
        self.submitted: list[int] = []
        self.freed: list[int] = []
        self._required: list[int] = []

    def start_up(self) -> int:
        """``ResetRelationExecutionState``: a new epoch. FAILED when there is none left to count."""
        if self.epoch == LAST_NUMBER:
            return Status.FAILED
        self.epoch += 1
        self.unmet = self.abort_status = 0
        count = self.csr.node_num if self._launches else 0
        self.submitted, self.freed, self._required = [0] * count, [0] * count, [0] * count
        return 0

    def executed(self, number: int) -> int:
        """``OnNodeExecuted``: a kernel has run. FAILED, which ends the run, when it cannot be counted."""
        if not self._launches:
            return 0
        offsets = self.csr.offsets
        first, last = offsets[number], offsets[number + 1]
        if first != last and (status := self._free_executed(number, self.csr.launch_ids[first:last])):
            return status
        return self._launch_submitted(number) if number in self._launches else 0

    def abort(self, status: int) -> None:
        """End all waiting; the first failure wins."""
        self.abort_status = self.abort_status or status

    @property
    def settled(self) -> bool:
        """Whether nobody has to wait any more: all is submitted, or the run has failed."""
        return self.unmet == 0 or self.abort_status != 0

    def _free_executed(self, free: int, launches: Sequence[int]) -> int:
        if self.freed[free] == LAST_NUMBER:
            return self._overflow()
        self.freed[free] += 1
        for launch in launches:
            met = self.submitted[launch] >= self._required[launch]
            self._required[launch] = max(self._required[launch], self.freed[free])
            self.unmet += met and self.submitted[launch] < self._required[launch]
        return 0

    def _launch_submitted(self, launch: int) -> int:
        if self.submitted[launch] == LAST_NUMBER:
            return self._overflow()
        met = self.submitted[launch] >= self._required[launch]
        self.submitted[launch] += 1
        self.unmet -= not met and self.submitted[launch] >= self._required[launch]
        return 0

    def _overflow(self) -> int:
        self.abort(Status.FAILED)
        return Status.FAILED
