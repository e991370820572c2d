"""A machine with the level-2 allocators of some streams and the events between them, for tests of event kernels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kernel_runs import Workbench

from getrace.events import Event
from runtime.kernels.context import KernelContext
from runtime.kernels.events import GertEvent
from runtime.kernels.payloads import EventInfo
from runtime.memory.l2_multi import MultiStreamL2Allocator
from runtime.memory.multi_block import MultiStreamMemBlock
from runtime.values import Placement

_SHOWN = {"memory", "streams", "text"}


@dataclass(slots=True)
class Streams:
    """Two streams, events 0 -> 1 and 1 -> 0, and an allocator for each."""

    bench: Workbench
    handles: list[int]
    allocators: list[MultiStreamL2Allocator]
    events: list[GertEvent]
    rt_events: list[int]

    def call(self, kernel: str, stream: int, ids: Sequence[int], *, home: object = None) -> int:
        """Run an event kernel on a logical stream."""
        return self.bench.run(self.context(kernel, stream, ids, home=home))

    def context(self, kernel: str, stream: int, ids: Sequence[int], *, home: object = None) -> KernelContext:
        """The context of an event kernel on a logical stream."""
        allocator = self.allocators[stream] if home is None else home
        inputs: list[Any] = [self.handles[stream], tuple(ids), self.events, self.rt_events, allocator]
        return self.bench.context(kernel, *inputs, outputs=0)

    def block(self, stream: int, size: int = 1000) -> MultiStreamMemBlock:
        """A block born on a stream."""
        block = self.allocators[stream].malloc(size)
        assert block is not None
        return block

    def said(self) -> list[Event]:
        """What was said since the last call of blocks, events and streams; the lines of the pools are left out."""
        events = self.bench.recorder.events()
        self.bench.recorder.heard.clear()
        return [event for event in events if type(event).__module__.rpartition(".")[2] in _SHOWN]


def two_streams() -> Streams:
    """Two streams on a small device."""
    bench = Workbench()
    machine = bench.machine
    created = bench.context("CreateL1Allocator", int(Placement.DEVICE_HBM))
    assert bench.run(created) == 0
    level2 = bench.context("CreateL2Allocators", 2, int(Placement.DEVICE_HBM), outputs=2)
    assert bench.run(level2) == 0
    allocators: list[MultiStreamL2Allocator] = level2.output(0)
    handles = [bench.stream, machine.device.create_stream().handle]
    for allocator, handle in zip(allocators, handles, strict=True):
        allocator.bind(created.output(0), handle)
    events = bench.context("CreateGertEvents", (EventInfo(0, 1), EventInfo(1, 0)))
    assert bench.run(events) == 0
    rt_events = [machine.device.create_event() for _ in range(2)]
    bench.recorder.heard.clear()
    return Streams(bench, handles, allocators, events.output(0), rt_events)
