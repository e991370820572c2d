"""Random programs on the allocators of several streams, watched by a slow model that knows the device's order only.

The model keeps, for every page, when each stream last touched it, and for every stream what of the others lies before
its next task (vector clocks). It shares nothing with the allocators: it learns of events and host synchronisations, not
of views, versions or recycling.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from getrace.bus import Bus
from getrace.events import Event, Level, Origin, Place
from getrace.events.memory import BirthRecycle
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.device_order import Moments
from runtime.memory.journal import Journal
from runtime.memory.l2_multi import MultiStreamL2Allocator, reclaim
from runtime.memory.l2_pool import L2MemPool
from runtime.memory.l2_single import SingleStreamL2Allocator
from runtime.memory.local_recycle import VersionBlock
from runtime.memory.multi_block import MultiStreamMemBlock
from runtime.memory.process import ProcessMemory
from runtime.memory.span import PAGE
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Placement

TOTAL = 40 << 20
"""Small enough that programs run out of memory now and then."""

_HBM = Placement.DEVICE_HBM
_MOST_HELD = 40
_SIZES = (1, 4096, 65536, 65537, 200_000, 1 << 20, 3 << 20)


class Driver:
    """Memory of a device without bytes; what is given back is given out again."""

    device_id = 0
    total_bytes = TOTAL

    def __init__(self) -> None:
        self.live: dict[int, int] = {}
        self._spare: dict[int, list[int]] = defaultdict(list)
        self._next = 0x12C041200000
        self._pointer = 0xAAAB00000000

    def malloc(self, size: int) -> int | None:
        """Give an address, or None when the device is full."""
        if sum(self.live.values()) + size > self.total_bytes:
            return None
        spare = self._spare[size]
        address = spare.pop() if spare else self._next
        self._next += 0 if address != self._next else size
        self.live[address] = size
        return address

    def free(self, address: int) -> None:
        """Take memory back."""
        self._spare[self.live[address]].append(address)
        del self.live[address]

    def pointer(self, size: int) -> int:
        """Give the pointer of an object."""
        self._pointer += size
        return self._pointer


class Model:
    """What may be true of memory on a device with ``streams`` streams."""

    def __init__(self, streams: int) -> None:
        self.clocks = [[0] * streams for _ in range(streams)]
        self.finished = [0] * streams
        self.touched: dict[int, list[int]] = {}
        self.owner: dict[int, int] = {}
        self.references: dict[int, Counter[int]] = {}
        self.lives: set[int] = set()
        self.births = self.recycles = 0

    def given(self, stream: int, addr: int, size: int) -> None:
        """A block was handed out on a stream: nobody has it, and everybody who had it has finished before."""
        clock = self.clocks[stream]
        for page in range(addr, addr + size, PAGE):
            assert page not in self.owner, f"page 0x{page:x} is handed out twice"
            for other, moment in enumerate(self.touched.get(page, ())):
                known = max(clock[other], self.finished[other])
                assert other == stream or moment <= known, f"stream {other} may still use page 0x{page:x}"
            self.owner[page] = addr
        if addr not in self.lives:
            self.lives.add(addr)
            self.births += 1
        self.references[addr] = Counter({stream: 1})
        self.used(stream, addr, size)

    def used(self, stream: int, addr: int, size: int) -> None:
        """A task of a stream touches the block."""
        self.clocks[stream][stream] += 1
        for page in range(addr, addr + size, PAGE):
            self.touched.setdefault(page, [0] * len(self.clocks))[stream] = self.clocks[stream][stream]

    def dropped(self, stream: int, addr: int, size: int) -> None:
        """One reference of a stream is about to go."""
        self.used(stream, addr, size)
        references = self.references[addr]
        references[stream] -= 1
        assert references[stream] >= 0
        if not references.total():
            for page in range(addr, addr + size, PAGE):
                del self.owner[page]

    def recycled(self, addr: int) -> None:
        """The end of a block's life was said."""
        assert addr in self.lives, f"0x{addr:x} is recycled twice"
        assert not self.references[addr].total(), f"0x{addr:x} is recycled while somebody has it"
        self.lives.remove(addr)
        self.recycles += 1

    def waited(self, stream: int, clock: Sequence[int]) -> None:
        """A stream has waited for a moment of another."""
        self.clocks[stream] = [max(pair) for pair in zip(self.clocks[stream], clock, strict=True)]

    def synchronized(self, stream: int) -> None:
        """The host has waited for a stream, and so for all that stream had waited for."""
        self.finished = [max(pair) for pair in zip(self.finished, self.clocks[stream], strict=True)]


class Listening(Journal):
    """A journal that tells the model of recycled blocks and prints nothing."""

    def __init__(self, model: Model) -> None:
        super().__init__(Bus(now=lambda: 0, levels={"GE": Level.ERROR}), Origin(1, "test", 1))
        self._model = model

    def say(
        self, event: Event, kernel: str | None = None, level: Level = Level.INFO, *, place: Place | None = None
    ) -> None:
        """Hear one event."""
        del kernel, level, place
        if isinstance(event, BirthRecycle):
            self._model.recycled(event.addr)

    __slots__ = ("_model",)


@dataclass(slots=True)
class Message:
    """An event on its way, with what it carries, and what the model says it stands for."""

    target: int
    lives: list[VersionBlock]
    blocks: list[MultiStreamMemBlock]
    moments: Moments
    clock: list[int] = field(default_factory=list)


class World:
    """Allocators of ``streams`` streams, tensors that programs hold, events that are on their way."""

    def __init__(self, streams: int, seed: int) -> None:
        self.streams = streams
        self.model = Model(streams)
        self.driver = Driver()
        self.process = ProcessMemory(self.driver, Listening(self.model))
        self.process.start()
        self.level1 = CachingMemAllocator(self.process, self._synchronize, [])
        self.allocators = self._allocators()
        self.held: list[GertTensorData] = []
        self.messages: list[Message] = []
        self.refused = 0
        self._random = Random(seed)

    def step(self) -> None:
        """Do one thing that a program may do now."""
        random, several = self._random.random(), self.streams > 1
        if len(self.held) >= _MOST_HELD:
            self._free(self._random.randrange(len(self.held)))
        elif random < 0.25 or not self.held:
            self._alloc()
        elif random < 0.30:
            self._share()
        elif several and random < 0.42:
            self._wander()
        elif several and random < 0.52:
            self._send()
        elif several and random < 0.62 and self.messages:
            self._wait(self._random.randrange(len(self.messages)))
        elif several and random > 0.996:
            self.end_of_run()
        else:
            self._free(self._random.randrange(len(self.held)))

    def pools_hold_what_they_took(self) -> None:
        """Free and used pages of each pool are together what it has from below."""
        pools = [self.level1.pool, *(level0.pool for level0 in self.process.levels)]
        pools += [one.own.pool for one in self.allocators if isinstance(one, MultiStreamL2Allocator)]
        for pool in pools:
            used = sum(span.size for span in pool.tally.occupied)
            free = sum(span.size for span in pool.tally.idle)
            assert used + free == pool.tally.device.occupied
            assert used == pool.tally.theory

    def unload(self) -> None:
        """Free everything, end the last run, close all allocators: nothing may be left."""
        while self.held:
            self._free(0)
        if self.streams > 1:
            self.end_of_run()
        for allocator in self.allocators:
            allocator.close()
        assert self.level1.close()
        assert self.process.finalize()
        assert self.driver.live == {}
        assert self.model.lives == set()
        assert self.model.births == self.model.recycles

    def end_of_run(self) -> None:
        """What LastSendEvents, LastWaitEvents and the beginning of the next run do."""
        multi = [one for one in self.allocators if isinstance(one, MultiStreamL2Allocator)]
        for stream in range(1, self.streams):
            self.model.waited(0, self.model.clocks[stream])
        reclaim(multi)
        for stream in range(1, self.streams):
            self.model.waited(stream, self.model.clocks[0])

    def _allocators(self) -> list[SingleStreamL2Allocator] | list[MultiStreamL2Allocator]:
        if self.streams == 1:
            single = SingleStreamL2Allocator(self.process.journal, self.driver)
            single.level1 = self.level1
            return [single]
        allocators = [
            MultiStreamL2Allocator(
                self.process, self._synchronize, lambda *_: None, stream=stream, streams=self.streams, placement=_HBM
            )
            for stream in range(self.streams)
        ]
        pools: list[L2MemPool] = [one.own for one in allocators]
        for stream, one in enumerate(allocators):
            one.meet(allocators, pools)
            one.bind(self.level1, stream)
        return allocators

    def _synchronize(self, stream: int) -> int:
        self.model.synchronized(stream)
        return 0

    def _alloc(self) -> None:
        stream = self._random.randrange(self.streams)
        block = self.allocators[stream].malloc(self._random.choice(_SIZES))
        if block is None:
            self.refused += 1
            return
        self.model.given(stream, block.addr, block.size)
        data = GertTensorData()
        data.own(block, _HBM, stream)
        self.held.append(data)

    def _share(self) -> None:
        source = self._random.choice(self.held)
        data = GertTensorData()
        data.share_from(source)
        self.model.references[source.addr][source.stream] += 1
        self.held.append(data)

    def _wander(self) -> None:
        source = self._random.choice(self.held)
        target = self._random.choice([stream for stream in range(self.streams) if stream != source.stream])
        data = GertTensorData()
        assert data.refuse_wander(source, target) == ""
        data.wander_from(source, target)
        self.model.references[source.addr][target] += 1
        self.held.append(data)

    def _free(self, index: int) -> None:
        data = self.held.pop(index)
        self.model.dropped(data.stream, data.addr, data.size)
        data.free()

    def _send(self) -> None:
        source = self._random.randrange(self.streams)
        target = self._random.choice([stream for stream in range(self.streams) if stream != source])
        home = self.allocators[source]
        assert isinstance(home, MultiStreamL2Allocator)
        lives, blocks = list(home.told(target)), home.take_borrowed(target)
        self.messages.append(Message(target, lives, blocks, home.order.sent(), list(self.model.clocks[source])))

    def _wait(self, index: int) -> None:
        message = self.messages.pop(index)
        home = self.allocators[message.target]
        assert isinstance(home, MultiStreamL2Allocator)
        self.model.waited(message.target, message.clock)
        home.order.waited(message.moments)
        for life in message.lives:
            if not life.is_stale:
                life.reach(message.target)
        for block in message.blocks:
            assert home.birth_recycle(block)
