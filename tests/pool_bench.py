"""Allocators of every level over a driver without bytes, for tests of their rules and of what they say."""

from dataclasses import dataclass, field

from memory_world import Driver
from simulated_runs import Recorder

from getrace.bus import Bus
from getrace.events import Event, Level, Origin
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.config import ScalableConfig, config_of
from runtime.memory.journal import Journal
from runtime.memory.l2_multi import MultiStreamL2Allocator
from runtime.memory.lower import DriverSource
from runtime.memory.process import ProcessMemory
from runtime.memory.scalable import ScalableAllocator
from runtime.memory.span import PAGE

MIB = 1 << 20
_GIB = 1 << 30


class SizedDriver(Driver):
    """A driver of ``total`` bytes; ``fails`` makes every request fail."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self.total_bytes = total
        self.fails = False

    def malloc(self, size: int) -> int | None:
        """Give memory unless it fails."""
        return None if self.fails else super().malloc(size)


@dataclass(slots=True)
class PoolBench:
    """A process's memory on a device of ``total`` bytes. ``synchronized`` are the streams that were waited for."""

    total: int = 64 * _GIB
    threshold_option: str | None = None
    sync_status: int = 0
    synchronized: list[int] = field(default_factory=list)
    copies: list[tuple[int, int, int, int]] = field(default_factory=list)
    peers: list[CachingMemAllocator] = field(default_factory=list)
    recorder: Recorder = field(default_factory=Recorder)
    driver: SizedDriver = field(init=False)
    journal: Journal = field(init=False)
    process: ProcessMemory = field(init=False)

    def __post_init__(self) -> None:
        """Start the process."""
        bus = Bus(now=lambda: 0, levels={"GE": Level.DEBUG})
        bus.subscribe(self.recorder)
        self.driver = SizedDriver(self.total)
        self.journal = Journal(bus, Origin(1, "test", 1))
        self.process = ProcessMemory(self.driver, self.journal, self.threshold_option)

    def scalable(self, config: ScalableConfig | None = None, chunk: int = PAGE) -> ScalableAllocator:
        """A scalable allocator straight over the driver."""
        return ScalableAllocator(
            "allocator_1",
            DriverSource(self.driver, self.journal),
            config or config_of(self.total),
            self.journal,
            device_id=0,
            pointer=self.driver.pointer,
            chunk=chunk,
        )

    def caching(self, stream: int = 7) -> CachingMemAllocator:
        """A level-1 allocator bound to a stream."""
        allocator = CachingMemAllocator(self.process, self.synchronize, self.peers)
        allocator.set_stream(stream)
        return allocator

    def level2(self, streams: int, level1: CachingMemAllocator | None = None) -> list[MultiStreamL2Allocator]:
        """Level-2 allocators of several streams that know each other; stream n of the runtime is n + 1."""
        below = level1 or self.caching()
        made = [
            MultiStreamL2Allocator(
                self.process, self.synchronize, lambda *copy: self.copies.append(copy), stream=stream, streams=streams
            )
            for stream in range(streams)
        ]
        for stream, one in enumerate(made):
            one.meet(made, [other.own for other in made])
            one.bind(below, stream + 1)
        self.recorder.heard.clear()
        return made

    def synchronize(self, stream: int) -> int:
        """Wait for a stream."""
        self.synchronized.append(stream)
        return self.sync_status

    def said(self, *kinds: type[Event]) -> list[Event]:
        """What was said of these kinds since the last call."""
        events = [item.event for item in self.recorder.heard if isinstance(item.event, kinds or (Event,))]
        self.recorder.heard.clear()
        return events
