"""Walks a log once and asks of every launch whether the order that it needs is there.

What counts as an order: a send and the wait that belongs to it, and a synchronise of the host: by RUNTIME's line, by
an allocator that ran out (spec/execution.md 5.4), by a ``SyncStream`` kernel. The last names no stream, so it counts
for all of its process: an order too many hides a hazard, one too few invents it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from getrace.analysis.blocks import blocks
from getrace.analysis.stream_clocks import Clocks, Moment
from getrace.analysis.stream_hazards import WAITED_FOR_NOTHING, Hazard, Memory, Touch
from getrace.analysis.stream_ids import LAUNCHES, Ints, StreamIds
from getrace.analysis.stream_pairs import Pairing
from getrace.events import Event
from getrace.events.aicpu import AicpuAddresses, TfLaunch2023
from getrace.events.device import SyncStarted
from getrace.events.launch import ArgsLayout, LaunchAddresses, LaunchWorkspaces
from getrace.events.markers import KernelEnd
from getrace.events.memory import BirthRecycle
from getrace.events.pools import MemoryPressure, PoolShrink
from getrace.ids import split_kernel_name
from getrace.store.store import Store

LAUNCH_LIMIT = 200_000
"""Launches that are examined: their addresses are in the text of each line, which has to be read again."""

_POINTER = 8
_SPOKEN: tuple[type[Event], ...] = (ArgsLayout, LaunchAddresses, LaunchWorkspaces, AicpuAddresses)
_SYNC = "SyncStream"
_SYNC_WORDS = "will synchronize on stream"


class Order(NamedTuple):
    """The hazards of a store in row order.

    ``examined`` launches of ``eligible`` were looked at, those of processes with several streams; ``untold`` are
    processes whose streams cannot be told apart.
    """

    hazards: tuple[Hazard, ...]
    eligible: int
    examined: int
    untold: tuple[int, ...]


class _Step(NamedTuple):
    """A row at which something happens, and what is to be done there; ``rank`` orders steps of one row."""

    row: int
    rank: int
    action: Callable[[int], Iterator[Hazard]]


@dataclass(slots=True)
class _Launched:
    """The launch that a thread speaks of: its kernel, its moment, and how many of its addresses are inputs."""

    kernel: int
    moment: Moment
    inputs: int | None = None


@dataclass(slots=True)
class _Walk:
    """The state of the walk: clocks, memory of each process, the newest launch of each thread."""

    store: Store
    ids: StreamIds
    clocks: Clocks
    untold: frozenset[int]
    memory: dict[int, Memory] = field(default_factory=dict)
    launched: dict[tuple[int, int], _Launched] = field(default_factory=dict)
    queue_at: dict[int, int] = field(default_factory=dict)

    def memory_of(self, row: int) -> tuple[int, Memory]:
        pid = int(self.store.column("pid")[row])
        return pid, self.memory.setdefault(pid, Memory())

    def launch(self, row: int) -> Iterator[Hazard]:
        store, queue = self.store, self.queue_at.get(row, -1)
        thread = (int(store.column("pid")[row]), int(store.column("tid")[row]))
        self.launched.pop(thread, None)
        if queue < 0 or thread[0] in self.untold:
            return
        self.launched[thread] = _Launched(int(store.column("kernel")[row]), self.clocks.work(queue, row))
        if store.kind(row) is TfLaunch2023:
            yield from self.spoken(row)

    def spoken(self, row: int) -> Iterator[Hazard]:
        store = self.store
        pid, memory = self.memory_of(row)
        launched = self.launched.get((pid, int(store.column("tid")[row])))
        if launched is None or launched.kernel != int(store.column("kernel")[row]):
            return
        event = store.event(row)
        if isinstance(event, ArgsLayout):
            launched.inputs = event.inputs_length // _POINTER
            return
        for addr, writes in _accesses(event, launched.inputs):
            yield from memory.touch(Touch(launched.moment, addr, writes), self.clocks)

    def synchronised(self, row: int) -> Iterator[Hazard]:
        event, pid = self.store.event(row), int(self.store.column("pid")[row])
        numbers = [n for n, queue in enumerate(self.ids.queues) if queue.pid == pid]
        if isinstance(event, SyncStarted):
            numbers = self.ids.of_rt(pid, event.rt_stream)
        elif isinstance(event, MemoryPressure):
            numbers = [n for n in numbers if f"{self.ids.queues[n].handle or 0:#x}" == event.text]
        for queue in numbers:
            self.clocks.synchronise(queue)
        return iter(())

    def returned(self, row: int) -> Iterator[Hazard]:
        _, memory = self.memory_of(row)
        return memory.give_back_again(self.store.value("addr", row), row)

    def shrunk(self, row: int) -> Iterator[Hazard]:
        _, memory = self.memory_of(row)
        memory.forget_owner(self.store.value("addr", row))
        return iter(())


def stream_order(store: Store, ids: StreamIds, pairing: Pairing) -> Order:
    """Check the order of a store. A process with one stream has nothing to order, and costs nothing."""
    rows = store.rows_of(*LAUNCHES)
    several = _several(ids)
    untold = frozenset(pid for pid in several if ids.mixed(pid))
    walk = _Walk(store, ids, Clocks(len(ids.queues)), untold)
    eligible = rows[np.isin(store.column("pid")[rows], list(several - untold))]
    examined = eligible[:LAUNCH_LIMIT]
    hazards = list(_unsent(ids, pairing))
    if len(examined):
        end = store.rows if len(examined) < LAUNCH_LIMIT else int(examined[-1]) + 1
        steps = (step for step in _steps(walk, pairing, examined, several, end) if step.row < end)
        for step in sorted(steps, key=lambda step: step[:2]):
            hazards += step.action(step.row)
    hazards.sort(key=lambda hazard: (hazard.second, hazard.first))
    return Order(tuple(hazards), len(eligible), len(examined), tuple(sorted(untold)))


def _several(ids: StreamIds) -> set[int]:
    pids = [queue.pid for queue in ids.queues]
    return {pid for pid in pids if pids.count(pid) > 1}


def _unsent(ids: StreamIds, pairing: Pairing) -> Iterator[Hazard]:
    """A wait that finds nothing: the order that it was put there for is missing, whatever it was to protect."""
    last: dict[tuple[int, int, int], int] = {}
    for pair in pairing.pairs:
        last[pair.send.key] = pair.send.row
    for signal, _ in pairing.unmatched:
        if not signal.sends:
            queue = ids.of_logical(*(np.array([value]) for value in (signal.row, signal.pid, signal.stream)))
            yield Hazard(WAITED_FOR_NOTHING, last.get(signal.key, signal.row), signal.row, -1, int(queue[0]), None)


def _steps(walk: _Walk, pairing: Pairing, launches: Ints, several: set[int], end: int) -> Iterator[_Step]:
    """Give what happens before the row ``end``, in no order."""
    store = walk.store
    pids = store.column("pid")[launches].astype(np.int64)
    numbers = walk.ids.of_handle(pids, store.at("handle", launches).astype(np.int64))
    walk.queue_at.update(zip(launches.tolist(), numbers.tolist(), strict=True))
    plain = ((launches, walk.launch), (store.rows_of(*_SPOKEN), walk.spoken), (_syncs(store), walk.synchronised))
    memory = ((store.rows_of(BirthRecycle), walk.returned), (store.rows_of(PoolShrink), walk.shrunk))
    for rank, (rows, action) in enumerate((*plain, *memory), 3):
        early = rows[rows < end]
        mine = early[np.isin(store.column("pid")[early], list(several))]
        yield from (_Step(row, rank, action) for row in mine.tolist())
    yield from _memory_steps(walk, several)
    yield from _signal_steps(walk, pairing)


def _memory_steps(walk: _Walk, several: set[int]) -> Iterator[_Step]:
    for block in blocks(walk.store):
        if block.pid not in several or block.on_host:
            continue
        memory = walk.memory.setdefault(block.pid, Memory())
        yield _Step(block.alloc, 1, _doing(memory.give, block.addr, block.bytes))
        if block.end is not None:
            # Behind a line that gives a block back twice, before one that gives its address anew.
            yield _Step(block.end, 0 if block.recycle != block.end else 9, _doing(memory.end, block.addr, block.end))


def _signal_steps(walk: _Walk, pairing: Pairing) -> Iterator[_Step]:
    unmatched = [one.signal for one in pairing.unmatched]
    paired = [signal for pair in pairing.pairs for signal in pair]
    found = sorted(set(unmatched + paired), key=lambda signal: signal.row)
    if not found:
        return
    rows, pids, streams = np.array([(s.row, s.pid, s.stream) for s in found], np.int64).T
    missing = {one.signal.row for one in pairing.unmatched if not one.signal.sends}
    for signal, queue in zip(found, walk.ids.of_logical(rows, pids, streams).tolist(), strict=True):
        if queue >= 0 and signal.row not in missing:
            act = walk.clocks.send if signal.sends else walk.clocks.wait
            yield _Step(signal.row, 2, _doing(act, queue, signal.key, signal.row))


def _doing(act: Callable[..., None], *values: object) -> Callable[[int], Iterator[Hazard]]:
    def action(_: int) -> Iterator[Hazard]:
        act(*values)
        return iter(())

    return action


def _syncs(store: Store) -> Ints:
    """Give the rows at which the host has waited for a stream."""
    ends = store.rows_of(KernelEnd)
    names, codes = np.unique(store.column("kernel")[ends], return_inverse=True)
    own = np.array([n >= 0 and split_kernel_name(store.names.text(n)).type == _SYNC for n in names.tolist()], bool)
    syncs = ends[own[codes]] if len(ends) else ends
    pressed = [row for row in store.rows_of(MemoryPressure).tolist() if _SYNC_WORDS in _what(store.event(row))]
    return np.union1d(syncs, np.union1d(store.rows_of(SyncStarted), pressed)).astype(np.int64)


def _what(event: Event) -> str:
    return event.what if isinstance(event, MemoryPressure) else ""


def _accesses(event: Event, inputs: int | None) -> Iterator[tuple[int, bool | None]]:
    """Give (address, writes) of a line of a launch: inputs stand before outputs, workspaces are written."""
    addresses: tuple[int, ...] = getattr(event, "addresses", None) or ()
    for place, addr in enumerate(addresses):
        if addr:
            known = True if isinstance(event, LaunchWorkspaces) else None if inputs is None else place >= inputs
            yield addr, known
