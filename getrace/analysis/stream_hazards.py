"""Uses of memory that nothing orders: what the happens-before check of ``streams`` reports.

Every launch that prints its addresses is an access on its stream. Two accesses of one piece of memory on two streams
need an order that the log shows (``stream_clocks``), unless both only read. A piece of memory keeps its accesses when
its block goes back and a new one is given there, so a reuse that comes too early is found as well. What a log does not
print (copies, static models) is no access: a report is a missing order, silence is no proof.

Reports are made for real accesses only. The allocator's own lines are no measure: GE gives blocks back at the end of
a step on a promise that the next step keeps (spec/execution.md, last resource clean).
"""

from bisect import bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from getrace.analysis.stream_clocks import Clocks, Moment

REUSED = "reuse_without_wait"
CROSSED = "missing_wait"
USED_AFTER_FREE = "use_after_free"
FREED_TWICE = "double_free"
WAITED_FOR_NOTHING = "wait_without_send"


MEANINGS: dict[str, str] = {
    REUSED: "memory is used again on another stream before the old use is over",
    CROSSED: "two streams use one block, and neither waits for the other",
    USED_AFTER_FREE: "a launch uses a block that went back to its pool",
    FREED_TWICE: "a block went back to its pool twice",
    WAITED_FOR_NOTHING: "a wait finds no event that was sent for it",
}
"""What each kind says, in a sentence."""


class Hazard(NamedTuple):
    """Two rows that clash: ``first`` and ``second``; ``source`` and ``target`` are the numbers of their streams, or -1.

    ``addr`` is the memory that both use, or None.
    """

    kind: str
    first: int
    second: int
    source: int
    target: int
    addr: int | None


class Touch(NamedTuple):
    """A launch touches an address; ``writes`` is None where the log does not tell inputs from outputs."""

    moment: Moment
    addr: int
    writes: bool | None


@dataclass(slots=True)
class _Region:
    """A piece of memory between two allocations: what touched it, and what had touched it before (``older``)."""

    start: int
    end: int
    freed: int | None = None
    given: bool = False
    last_write: Moment | None = None
    reads: dict[int, Moment] = field(default_factory=dict)
    older: dict[int, Moment] = field(default_factory=dict)
    told: set[tuple[str, int, int]] = field(default_factory=set)

    def touches(self) -> dict[int, Moment]:
        """Give the newest touch of each stream, of this life and of those before."""
        newest = dict(self.older)
        for moment in (*self.reads.values(), *filter(None, (self.last_write,))):
            old = newest.get(moment.queue)
            if old is None or old.tick < moment.tick:
                newest[moment.queue] = moment
        return newest


class Memory:
    """The memory of one process, as far as launches and allocations speak of it."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._regions: dict[int, _Region] = {}

    def give(self, addr: int, size: int) -> None:
        """A block was given: what lay there is past, its touches stay known."""
        region = _Region(addr, addr + max(size, 1), given=True)
        for old in self._overlapping(addr, region.end):
            for queue, moment in old.touches().items():
                known = region.older.get(queue)
                if known is None or known.tick < moment.tick:
                    region.older[queue] = moment
            self._remove(old)
            self._keep_rest(old, region)
        self._add(region)

    def end(self, addr: int, row: int) -> None:
        """A block went back."""
        region = self._regions.get(addr)
        if region is not None and region.given:
            region.freed = row

    def give_back_again(self, addr: int, row: int) -> Iterator[Hazard]:
        """A line says that a block went back; it had gone already, and was not given since."""
        region = self._regions.get(addr)
        if region is not None and region.given and region.freed is not None and region.freed < row:
            yield Hazard(FREED_TWICE, region.freed, row, -1, -1, addr)

    def forget_owner(self, addr: int) -> None:
        """The page of a block left its pool: who uses it from now on is not shown, so a use means nothing."""
        region = self._regions.get(addr)
        if region is not None:
            region.given, region.freed = False, None

    def touch(self, touch: Touch, clocks: Clocks) -> Iterator[Hazard]:
        """A launch uses an address."""
        region = self._at(touch.addr)
        now = touch.moment
        if region.freed is not None:
            yield from self._told(region, USED_AFTER_FREE, Moment(-1, 0, region.freed), now)
        for kind, other in _rivals(region, touch):
            if other.queue != now.queue and not clocks.before(other, now.queue):
                yield from self._told(region, kind, other, now)
                # Told once: every later life of the same memory would repeat it.
                if kind == REUSED:
                    del region.older[other.queue]
        if touch.writes:
            region.last_write = now
            region.reads.clear()
        else:
            region.reads[now.queue] = now

    def _told(self, region: _Region, kind: str, first: Moment, second: Moment) -> Iterator[Hazard]:
        # One report for a pair of streams and a life: a loop of launches would repeat it without end.
        key = (kind, first.queue, second.queue)
        if key not in region.told:
            region.told.add(key)
            yield Hazard(kind, first.row, second.row, first.queue, second.queue, region.start)

    def _at(self, addr: int) -> _Region:
        place = bisect_right(self._starts, addr) - 1
        if place >= 0:
            region = self._regions[self._starts[place]]
            if addr < region.end:
                return region
        region = _Region(addr, addr + 1)
        self._add(region)
        return region

    def _overlapping(self, start: int, end: int) -> list[_Region]:
        place = max(bisect_right(self._starts, start) - 1, 0)
        found = []
        while place < len(self._starts) and self._starts[place] < end:
            region = self._regions[self._starts[place]]
            if region.end > start:
                found.append(region)
            place += 1
        return found

    def _keep_rest(self, old: _Region, new: _Region) -> None:
        for start, end in ((old.start, new.start), (new.end, old.end)):
            if start < end:
                self._add(_Region(start, end, older=old.touches()))

    def _add(self, region: _Region) -> None:
        if region.start not in self._regions:
            insort(self._starts, region.start)
        self._regions[region.start] = region

    def _remove(self, region: _Region) -> None:
        del self._regions[region.start]
        del self._starts[bisect_right(self._starts, region.start) - 1]


def _rivals(region: _Region, touch: Touch) -> Iterator[tuple[str, Moment]]:
    """Give the earlier touches that need an order before this one."""
    for moment in tuple(region.older.values()):
        yield REUSED, moment
    if touch.writes is None:
        return
    if region.last_write is not None:
        yield CROSSED, region.last_write
    if touch.writes:
        for moment in region.reads.values():
            yield CROSSED, moment
