"""The queues that the device's scheduler dumps when a wait takes too long: ``schedule_tracer_*.txt``.

The head says at which position the stream stands, so it is sure where the host's log only lets one conclude. A dump
names events by their number, and streams by the runtime's.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from getrace.analysis.hangs.lines import Said
from getrace.analysis.hangs.wordings import Sort


@dataclass(frozen=True, slots=True)
class Slot:
    """One position of a dumped queue. ``what`` is Event or Notify, ``act`` Wait or Record; "" for any other task."""

    position: int
    task: int
    said: Said
    what: str = ""
    act: str = ""
    number: int | None = None


@dataclass(slots=True)
class DumpedQueue:
    """A stream's queue on the device: positions from ``head`` to ``tail`` are not done. ``pid`` is the host's."""

    pid: int
    rt_stream: int
    head: int
    tail: int
    said: Said
    slots: dict[int, Slot] = field(default_factory=dict)

    def is_done(self, position: int) -> bool:
        """Say whether a position was done: the queue is a ring, so what is pending may go over its end."""
        if self.head <= self.tail:
            return not self.head <= position < self.tail
        return self.tail <= position < self.head


def dumped_queues(said: Iterable[Said]) -> dict[tuple[int, int], DumpedQueue]:
    """Give the last dump of each queue by process and RT stream."""
    queues: dict[tuple[int, int], DumpedQueue] = {}
    current: DumpedQueue | None = None
    for each in said:
        if each.sort is not Sort.DUMP:
            continue
        head, tail, position = each.fact("head"), each.fact("tail"), each.fact("pos")
        if head is not None and tail is not None:
            current = DumpedQueue(int(each.facts["pid"]), int(each.facts["stream"]), head, tail, each)
            queues[current.pid, current.rt_stream] = current
        elif current is not None and position is not None:
            facts = each.facts
            current.slots[position] = Slot(
                position, int(facts["task"]), each, facts.get("what", ""), facts.get("act", ""), each.fact("number")
            )
    return queues


Records = dict[tuple[int, str, int | None], list[tuple[DumpedQueue, Slot]]]


def records_in(queues: Iterable[DumpedQueue]) -> Records:
    """Give the dumped records by process, kind and number of what they record."""
    found: Records = {}
    for queue in queues:
        for slot in queue.slots.values():
            if slot.act == "Record":
                found.setdefault((queue.pid, slot.what, slot.number), []).append((queue, slot))
    return found


def recorder_of(records: Records, wait: Slot, pid: int) -> tuple[DumpedQueue, Slot] | None:
    """Find the record that a dumped wait needs in the dumps of its process: one that is not done before one that is."""
    found = records.get((pid, wait.what, wait.number), [])
    return min(found, key=lambda pair: pair[0].is_done(pair[1].position), default=None)
