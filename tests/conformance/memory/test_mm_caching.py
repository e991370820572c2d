"""Scenarios MM of spec/execution.md 8.4: what levels 0 and 1 do when memory runs out."""

from pool_bench import MIB, PoolBench

from getrace.events import Event
from getrace.events.pools import AllocRequest, MemoryPressure, PoolRecycled
from runtime.memory.caching import allocator_of_current_device
from runtime.memory.factory import create_allocator
from runtime.memory.host import HostMemAllocator
from runtime.values import Placement


def test_MM_13_level_0_without_a_driver_gives_nothing_and_ends_well() -> None:
    bench = PoolBench()
    bench.driver.fails = True
    level0 = bench.process.level0(2)
    bench.said()
    assert level0.malloc(100) is None
    assert [type(event) for event in bench.said(AllocRequest, MemoryPressure, PoolRecycled)] == [
        AllocRequest,
        MemoryPressure,
        PoolRecycled,
    ]
    assert bench.process.finalize()


def test_MM_19_memory_in_another_allocator_of_the_thread_is_fetched() -> None:
    bench = PoolBench(40 * MIB)
    first, second = bench.caching(stream=1), bench.caching(stream=2)
    block = first.malloc(20 * MIB)
    assert block is not None
    first.free(block)
    bench.said()
    assert second.malloc(30 * MIB) is not None
    assert bench.synchronized == [2, 1]
    words = [event.what for event in bench.said(MemoryPressure) if isinstance(event, MemoryPressure)]
    assert "addr is nullptr, try to free other allocator memory and malloc again" in words
    assert first.pool.tally.device.occupied == 0


def test_MM_20_a_stream_that_cannot_be_waited_for_keeps_its_memory() -> None:
    bench = PoolBench(40 * MIB)
    level1 = bench.caching()
    block = level1.malloc(20 * MIB)
    assert block is not None
    level1.free(block)
    bench.sync_status = 507015
    assert level1.malloc(30 * MIB) is None
    assert level1.pool.tally.recycles == 0
    assert level1.pool.tally.device.occupied == 20 * MIB


def test_MM_21_launches_are_waited_for_before_the_stream_and_only_without_memory() -> None:
    bench = PoolBench(40 * MIB)
    level1 = bench.caching()
    waits: list[str] = []

    def wait(answer: bool) -> bool:
        waits.append(f"launches, {len(bench.synchronized)} streams")
        return answer

    bench.process.wait_for_launches = lambda: wait(True)
    block = level1.malloc(20 * MIB)
    assert block is not None
    assert waits == []
    level1.free(block)
    assert level1.malloc(30 * MIB) is not None
    assert (waits, bench.synchronized) == (["launches, 0 streams"], [7])
    bench.process.wait_for_launches = lambda: wait(False)
    assert level1.malloc(30 * MIB) is None
    assert (len(waits), bench.synchronized) == (2, [7])


def test_MM_22_without_a_device_there_is_no_allocator() -> None:
    bench = PoolBench()
    assert allocator_of_current_device(bench.process, bench.synchronize, bench.peers, lambda: 507000) is None
    expected: list[Event] = [MemoryPressure("[Get][aclrtGetDevice] Failed, ", "result:507000.")]
    assert bench.said() == expected
    assert allocator_of_current_device(bench.process, bench.synchronize, bench.peers, lambda: 0) is not None


def test_each_place_has_its_allocator_and_others_have_none() -> None:
    bench = PoolBench()

    def made(placement: Placement) -> object:
        return create_allocator(placement, bench.process, bench.synchronize, bench.peers, bench.driver)

    kinds = {placement: type(made(placement)).__name__ for placement in Placement}
    assert kinds == {
        Placement.DEVICE_HBM: "CachingMemAllocator",
        Placement.HOST: HostMemAllocator.__name__,
        Placement.FOLLOWING: HostMemAllocator.__name__,
        Placement.DEVICE_P2P: "CachingMemAllocator",
        Placement.END: "NoneType",
    }


def test_the_process_keeps_its_memory_while_a_caching_allocator_lives() -> None:
    bench = PoolBench()
    level1 = bench.caching()
    block = level1.malloc(100)
    assert block is not None
    level1.free(block)
    assert not bench.process.release(bench.peers)
    assert len(bench.driver.live) == 1
    assert level1.close()
    assert bench.process.release(bench.peers)
    assert bench.driver.live == {}
