"""Allocators level by level: their lines in order and their numbers, as a log of the real ones has them."""

from dataclasses import dataclass, field

import pytest

from getrace.bus import Bus
from getrace.events import Event, Level, Origin
from getrace.events.memory import BirthRecycle
from getrace.events.pools import (
    AllocatorStats,
    AllocRequest,
    DeviceAlloc,
    DeviceFree,
    DeviceMemoryStats,
    DriverMalloc,
    FreedLayers,
    FreedStats,
    LayerStats,
    Level1Free,
    Level1Malloc,
    MemoryPressure,
    PoolRecycled,
    SpanAlloc,
    SpanEvent,
    SpanFree,
    SpanStats,
    SpanTry,
    ThresholdExceeded,
    UsingStats,
)
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.config import ScalableConfig, config_of
from runtime.memory.details import details, size_text
from runtime.memory.host import HostMemAllocator
from runtime.memory.journal import Journal
from runtime.memory.l2_single import SingleStreamL2Allocator
from runtime.memory.lower import DriverSource
from runtime.memory.process import ProcessMemory
from runtime.memory.scalable import ScalableAllocator
from runtime.memory.tensor_data import BlockOwner, GertTensorData, give_out, release
from runtime.values import Placement, TensorData

MIB = 1 << 20


@dataclass
class FakeDriver:
    """A driver that gives addresses one behind the other, up to a limit."""

    total_bytes: int = 32 << 30
    limit: int = 1 << 60
    device_id: int = 0
    used: dict[int, int] = field(default_factory=dict)
    next_address: int = 0x1000000
    next_pointer: int = 0x10

    def malloc(self, size: int) -> int | None:
        if sum(self.used.values()) + size > self.limit:
            return None
        address, self.next_address = self.next_address, self.next_address + size
        self.used[address] = size
        return address

    def free(self, address: int) -> None:
        del self.used[address]

    def pointer(self, size: int) -> int:
        pointer, self.next_pointer = self.next_pointer, self.next_pointer + size
        return pointer


@dataclass
class Bench:
    """One process's memory with everything it said."""

    driver: FakeDriver = field(default_factory=FakeDriver)
    heard: list[tuple[Level, str | None, Event]] = field(default_factory=list)
    synchronized: list[int] = field(default_factory=list)
    peers: list[CachingMemAllocator] = field(default_factory=list)

    def __post_init__(self) -> None:
        bus = Bus(now=lambda: 0)
        bus.subscribe(lambda _time, _origin, level, kernel, event: self.heard.append((level, kernel, event)))
        self.journal = Journal(bus, Origin(1, "test", 1))
        self.memory = ProcessMemory(self.driver, self.journal)
        self.memory.start()

    def caching(self, status: int = 0) -> CachingMemAllocator:
        def synchronize(stream: int) -> int:
            self.synchronized.append(stream)
            return status

        return CachingMemAllocator(self.memory, synchronize, self.peers)

    def new_events(self) -> list[Event]:
        """What was said since the last call."""
        events = [event for _, _, event in self.heard]
        self.heard.clear()
        return events


def test_allocators_are_numbered_by_one_counter() -> None:
    bench = Bench()
    first, second = bench.caching(), bench.caching()
    assert bench.memory.level0(2).pool.name == "rts_allocator_2"
    assert (first.pool.name, second.pool.name) == ("allocator_3", "allocator_4")


def test_one_allocation_goes_down_to_the_driver_and_comes_back_up_in_this_order() -> None:
    # The numbers are those of the first allocation of a log on a device of 32 GiB (chain16_model_alloc_output).
    bench = Bench()
    level1 = bench.caching()
    bench.new_events()
    span = level1.malloc(602144)
    assert span is not None
    events = bench.new_events()
    assert [type(event) for event in events] == [
        *(AllocRequest, AllocRequest, DriverMalloc, DeviceAlloc, SpanTry),
        *(DeviceMemoryStats, AllocatorStats, UsingStats, SpanStats, FreedLayers, FreedStats, LayerStats),
        *(SpanAlloc, DriverMalloc, Level1Malloc, DeviceAlloc, SpanTry),
        *(DeviceMemoryStats, AllocatorStats, UsingStats, SpanStats, FreedLayers, FreedStats, SpanAlloc),
    ]
    rts, own = "rts_allocator_2", "allocator_3"
    assert events[5:12] == [
        DeviceMemoryStats(1, 0, "2097152(2.00M)", "0", "655360(640.00K)", "655360(640.00K)", "31.25", rts),
        AllocatorStats(1, 0, 0, rts),
        UsingStats(1, 10, 655360, allocator=rts),
        SpanStats(655360, 1, allocator=rts),
        FreedLayers(498074, 1, allocator=rts),
        FreedStats(1, 22, 1441792, allocator=rts),
        LayerStats(22, 10240, 1441792, 1, allocator=rts),
    ]
    assert events[17] == DeviceMemoryStats(
        1, 0, "655360(640.00K)", "0", "602144(588.03K)", "655360(640.00K)", "91.88", own
    )
    assert events[16] == SpanTry(1, 602144, 655360, own)


def test_small_blocks_are_cut_from_the_top_of_a_huge_page() -> None:
    bench = Bench()
    level0 = bench.memory.level0(2)
    spans = [level0.malloc(512 << 10) for _ in range(4)]
    base = 0x1000000
    assert [span.addr - base for span in spans if span] == [1536 << 10, 1024 << 10, 512 << 10, 0]
    assert list(bench.driver.used.values()) == [2 * MIB]


def test_large_blocks_are_exact() -> None:
    bench = Bench()
    assert bench.memory.level0(2).malloc(2 * MIB + 1) is not None
    assert list(bench.driver.used.values()) == [2 * MIB + 65536]


def test_what_was_freed_last_is_given_first() -> None:
    bench = Bench()
    level1 = bench.caching()
    first, second = level1.malloc(10), level1.malloc(10)
    assert first
    assert second
    addresses = first.addr, second.addr
    level1.free(first)
    level1.free(second)
    again = [level1.malloc(10), level1.malloc(10)]
    assert [span.addr for span in again if span] == [addresses[1], addresses[0]]


def test_a_large_span_is_cut_only_when_requests_for_it_add_up() -> None:
    bench = Bench()
    allocator = ScalableAllocator(
        "allocator_9",
        DriverSource(bench.driver, bench.journal),
        config_of(32 << 30),
        bench.journal,
        device_id=0,
        pointer=bench.driver.pointer,
    )
    large = allocator.alloc(10240 << 16)
    assert large is not None
    allocator.free(large)
    bench.new_events()
    spans = [allocator.alloc(pages << 16) for pages in (32, 64, 64)]
    delays = [event for event in bench.new_events() if isinstance(event, SpanEvent)]
    assert [delay.text for delay in delays] == [
        "0 size:2097152 allocate_size:2097152.",
        "0 size:4194304 allocate_size:4194304.",
    ]
    assert spans[2] is not None
    assert spans[2].addr == large.addr + ((10240 - 64) << 16)


def test_an_idle_span_does_not_stop_an_allocator_at_its_threshold() -> None:
    driver = FakeDriver(total_bytes=10 * MIB)
    bench = Bench(driver)
    level1 = bench.caching()
    first = level1.malloc(5 * MIB)
    assert first is not None
    level1.free(first)
    bench.new_events()
    second = level1.malloc(6 * MIB)
    events = bench.new_events()
    assert second is not None
    words = [event.what for event in events if isinstance(event, MemoryPressure)]
    assert [what[:19] for what in words] == ["Failed to apply for", "will synchronize on", "Failed to apply for"]
    assert ThresholdExceeded(5 * MIB, 6 * MIB, 9961472, "allocator_3") in events
    assert [event.count for event in events if isinstance(event, PoolRecycled)] == [1, 1]
    assert bench.synchronized == [0]


def test_memory_pressure_is_an_error_of_level_1_and_a_warning_of_level_0() -> None:
    bench = Bench(FakeDriver(limit=0))
    assert bench.caching().malloc(10) is None
    pressure = [(level, event.allocator) for level, _, event in bench.heard if isinstance(event, MemoryPressure)]
    assert pressure[:2] == [(Level.WARNING, "rts_allocator_2"), (Level.ERROR, "allocator_3")]


def test_a_stream_that_cannot_be_synchronised_ends_the_search() -> None:
    bench = Bench(FakeDriver(limit=0))
    level1 = bench.caching(status=507015)
    level1.set_stream(0x77)
    assert level1.malloc(10) is None
    assert bench.synchronized == [0x77]
    recycled = [event.allocator for event in bench.new_events() if isinstance(event, PoolRecycled)]
    assert recycled == ["rts_allocator_1", "rts_allocator_2"]


def test_another_allocator_of_the_thread_gives_its_memory() -> None:
    bench = Bench(FakeDriver(limit=4 * MIB))
    rich, poor = bench.caching(), bench.caching()
    span = rich.malloc(4 * MIB)
    assert span is not None
    rich.free(span)
    assert poor.malloc(4 * MIB) is not None
    assert rich.pool.tally.device.occupied == 0


def test_closing_gives_everything_back_to_level_0() -> None:
    bench = Bench()
    level1 = bench.caching()
    span = level1.malloc(10)
    assert span is not None
    level1.free(span)
    bench.new_events()
    assert level1.close()
    assert [type(event) for event in bench.new_events()] == [Level1Free, SpanFree, DeviceFree]
    assert bench.memory.finalize()
    assert bench.driver.used == {}


def test_a_leak_is_named_and_nothing_is_given_back() -> None:
    bench = Bench()
    level1 = bench.caching()
    span = level1.malloc(10)
    assert span is not None
    bench.new_events()
    assert not level1.close()
    what = "[ScalableAllocator]: memory leaks, occupied spans = "
    assert bench.new_events() == [
        MemoryPressure(what, "1", "allocator_3"),
        MemoryPressure(what, f"0x{span.handle:x}", "allocator_3"),
    ]


def test_the_last_block_of_a_closed_allocator_takes_its_pages_along() -> None:
    bench = Bench()
    level1 = bench.caching()
    first, second = (span for span in (level1.malloc(10), level1.malloc(10)) if span)
    assert not level1.close()
    assert not bench.memory.finalize()
    level1.free(first)
    assert bench.memory.occupied_bytes == 2 * 65536
    bench.new_events()
    level1.free(second)
    assert [type(event) for event in bench.new_events()] == [SpanFree, *(Level1Free, SpanFree, DeviceFree) * 2]
    assert (bench.memory.occupied_bytes, bench.memory.finalize(), bench.driver.used) == (0, True, {})


def test_a_request_beyond_the_threshold_is_refused_with_an_error() -> None:
    bench = Bench(FakeDriver(total_bytes=10 * MIB))
    assert bench.memory.level0(2).pool.alloc(11 * MIB) is None
    assert bench.heard[-1] == (
        Level.ERROR,
        None,
        MemoryPressure("[ScalableAllocator]: size:", "11534336 > mem_size_total_threshold:9961472", "rts_allocator_2"),
    )


def single(bench: Bench) -> SingleStreamL2Allocator:
    allocator = SingleStreamL2Allocator(bench.journal, bench.driver)
    allocator.level1 = bench.caching()
    return allocator


def test_the_last_owner_recycles_a_block_and_then_level_1_frees_it() -> None:
    bench = Bench()
    allocator = single(bench)
    block = allocator.malloc(10)
    assert block is not None
    data, other = GertTensorData(), GertTensorData()
    data.own(block, Placement.DEVICE_HBM, 0)
    other.share_from(data)
    address = data.addr
    bench.new_events()
    data.free()
    assert bench.new_events() == []
    other.free()
    assert [type(event) for event in bench.new_events()] == [BirthRecycle, SpanFree]
    assert (data.addr, data.size, other.block) == (0, 65536, None)
    assert address != 0


def test_an_output_outlives_the_block_of_level_2() -> None:
    bench = Bench()
    allocator = single(bench)
    block = allocator.malloc(10)
    assert block is not None
    data, output = GertTensorData(), TensorData()
    data.own(block, Placement.DEVICE_HBM, 0)
    give_out(data, output)
    assert isinstance(output.manager, BlockOwner)
    bench.new_events()
    data.free()
    assert [type(event) for event in bench.new_events()] == [BirthRecycle]
    release(output)
    assert [type(event) for event in bench.new_events()] == [SpanFree]
    release(output)
    assert output.addr == 0


def test_borrowed_memory_keeps_its_address_when_freed() -> None:
    data = GertTensorData()
    data.refer(0x1234, 8, Placement.HOST, 0)
    data.free()
    assert (data.addr, data.size) == (0x1234, 8)


def test_host_memory_is_exact_and_counted() -> None:
    driver = FakeDriver()
    allocator = HostMemAllocator(driver)
    block = allocator.malloc(24)
    assert block is not None
    allocator.share(block)
    allocator.free(block)
    assert list(driver.used.values()) == [24]
    allocator.free(block)
    assert driver.used == {}


def test_sizes_are_spelled_as_ge_does() -> None:
    assert [size_text(size) for size in (0, 288, 1024, 1 << 20, 1 << 30, 4849664, 602144, 3 << 30)] == [
        "0",
        "288",
        "1024",
        "1048576(1024.00K)",
        "1073741824(1024.00M)",
        "4849664(4.62M)",
        "602144(588.03K)",
        "3221225472(3.00G)",
    ]


def test_limits_follow_the_size_of_the_device() -> None:
    small, large = config_of(32 << 30), config_of(64 << 30)
    assert (small.threshold, small.uncacheable, small.layers) == (32641751449, 16 << 30, 498074)
    assert (large.threshold, large.uncacheable) == (65283502899, 32 << 30)


@pytest.mark.parametrize(
    ("threshold", "size", "capacity"),
    [
        (127506841, 65536, 1945),
        (127506841, 131072, 972),
        (32641751449, 4063232, 8033),
        (32641751449, 1441792, 10240),
        (32641751449, 32641777664, 0),
    ],
)
def test_a_layers_capacity_comes_from_the_threshold(threshold: int, size: int, capacity: int) -> None:
    # The first three as logs have them (oom_random60_8streams, reuse_pool_small_after_big).
    assert ScalableConfig(0, threshold, 16 << 30).capacity(size) == capacity


@pytest.mark.parametrize(("occupied", "rate"), [(0, "0.00"), (65536, "100.00"), (131072, "75.00")])
def test_the_rate_never_passes_a_hundred(occupied: int, rate: str) -> None:
    tally = ScalableAllocator(
        "allocator_3",
        DriverSource(FakeDriver(), Bench().journal),
        config_of(32 << 30),
        Bench().journal,
        device_id=0,
        pointer=FakeDriver().pointer,
    ).tally
    tally.real_theory_min, tally.device.occupied = 98304, occupied
    first = next(details(tally))
    assert isinstance(first, DeviceMemoryStats)
    assert first.rate == rate
