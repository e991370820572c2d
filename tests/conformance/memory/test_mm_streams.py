"""Scenarios MM of spec/execution.md 8.4: blocks of level 2, with one stream and with several."""

import pytest
from pool_bench import MIB, PoolBench

from getrace.events import Event
from getrace.events.memory import BirthRecycle, BorrowRecycle, LocalRecycle
from getrace.events.pools import MemoryPressure, PoolExpand, PoolRecycled, PoolShrink
from getrace.events.text import LogLine
from runtime.memory.borrow import BorrowAllocator
from runtime.memory.device_order import DeviceOrder
from runtime.memory.l2_multi import MultiStreamL2Allocator
from runtime.memory.l2_single import SingleStreamL2Allocator
from runtime.memory.mif import Mif
from runtime.memory.multi_block import MultiStreamMemBlock

RECYCLES = (BirthRecycle, BorrowRecycle, LocalRecycle)
PAGE = 65536


def block_of(home: MultiStreamL2Allocator, size: int = 1000) -> MultiStreamMemBlock:
    block = home.malloc(size)
    assert block is not None
    return block


def deliver(source: MultiStreamL2Allocator, target: MultiStreamL2Allocator) -> None:
    """An event from one stream to another: sent and waited for."""
    lives, blocks, moments = list(source.told(target.stream)), source.take_borrowed(target.stream), source.order.sent()
    target.order.waited(moments)
    for life in lives:
        if not life.is_stale:
            life.reach(target.stream)
    for block in blocks:
        assert target.birth_recycle(block)


def test_MM_23_one_stream_recycles_at_once_and_uses_the_block_object_again() -> None:
    bench = PoolBench()
    home = SingleStreamL2Allocator(bench.journal, bench.driver)
    home.level1 = bench.caching()
    block = home.malloc(100)
    assert block is not None
    addr = block.addr
    bench.said()
    block.free(0)
    assert bench.said(*RECYCLES) == [BirthRecycle(0, addr)]
    assert block.count == 0
    assert home.malloc(200) is block


def test_MM_24_a_block_of_one_user_goes_back_to_its_pool_and_no_further() -> None:
    bench = PoolBench()
    level1 = bench.caching()
    home = bench.level2(2, level1)[0]
    block = block_of(home)
    addr = block.addr
    bench.said()
    block.free(0)
    assert bench.said(*RECYCLES, PoolShrink) == [BirthRecycle(0, addr)]
    assert len(level1.pool.tally.occupied) == 1
    assert home.own.pool.tally.idle.layers() == [(1, 1)]


def test_MM_25_the_birth_stream_is_done_first() -> None:
    bench = PoolBench()
    home = bench.level2(2)[0]
    block = block_of(home)
    assert block.wander(0, 1)
    bench.said()
    block.free(0)
    assert bench.said(*RECYCLES) == [LocalRecycle(0, block.addr, 0)]
    assert home.own.pool.tally.idle.layers() == []


def test_MM_26_the_other_stream_may_use_it_again_once_it_knows() -> None:
    bench = PoolBench()
    homes = bench.level2(2)
    block = block_of(homes[0])
    block.wander(0, 1)
    block.free(0)
    deliver(homes[0], homes[1])
    bench.said()
    version = block.version
    block.free(1)
    assert bench.said(*RECYCLES) == [BorrowRecycle(1, block.addr, 0)]
    assert block.version == version + 1
    assert list(homes[1].borrowed) == [block]


def test_MM_28_the_birth_stream_is_done_last() -> None:
    bench = PoolBench()
    homes = bench.level2(2)
    block = block_of(homes[0])
    addr = block.addr
    block.wander(0, 1)
    bench.said()
    block.free(1)
    deliver(homes[1], homes[0])
    block.free(0)
    assert bench.said(*RECYCLES) == [LocalRecycle(1, addr, 0), BirthRecycle(0, addr)]


def borrowed_on_1(homes: list[MultiStreamL2Allocator], size: int) -> MultiStreamMemBlock:
    block = block_of(homes[0], size)
    block.wander(0, 1)
    block.free(0)
    deliver(homes[0], homes[1])
    block.free(1)
    return block


def test_MM_30_a_borrowed_block_serves_when_there_is_no_other_memory() -> None:
    bench = PoolBench(40 * MIB)
    homes = bench.level2(2)
    small, large = borrowed_on_1(homes, 2 * MIB), borrowed_on_1(homes, 8 * MIB)
    bench.driver.fails = True
    bench.said()
    assert homes[1].malloc(3 * MIB) is large
    assert bench.said(MemoryPressure)[-1] == MemoryPressure("malloc memory not success, try to use borrow block", "")
    assert large.birth == 0
    assert list(homes[1].borrowed) == [small]
    large.free(1)
    assert bench.said(*RECYCLES) == [BorrowRecycle(1, large.addr, 0)]


def test_MM_31_a_request_above_every_borrowed_block_is_refused() -> None:
    bench = PoolBench(40 * MIB)
    homes = bench.level2(2)
    borrowed_on_1(homes, 2 * MIB)
    bench.driver.fails = True
    assert homes[1].malloc(2 * MIB + 1) is None
    assert len(homes[1].borrowed) == 1


def test_MM_32_each_stream_is_told_once() -> None:
    bench = PoolBench()
    homes = bench.level2(3)
    blocks = [block_of(homes[0]) for _ in range(2)]
    for block in blocks:
        block.wander(0, 1)
        block.wander(0, 2)
        block.free(0)
    assert [life.block for life in homes[0].told(1)] == blocks
    assert list(homes[0].told(1)) == []
    assert [life.block for life in homes[0].told(2)] == blocks
    assert list(homes[0].told(2)) == []


def three_idle_pools(bench: PoolBench) -> list[MultiStreamL2Allocator]:
    homes = bench.level2(4)
    for home in homes[:3]:
        block_of(home, 10 * MIB).free(home.stream)
    bench.said()
    bench.synchronized.clear()
    return homes


def test_MM_34_idle_pages_of_all_pools_are_fetched() -> None:
    bench = PoolBench(35 * MIB)
    homes = three_idle_pools(bench)
    assert homes[3].malloc(25 * MIB) is not None
    said = bench.said(PoolShrink, PoolExpand)
    assert [event.handle for event in said if isinstance(event, PoolShrink)] == [1, 2]
    assert isinstance(said[-1], PoolExpand)
    assert (said[-1].handle, said[-1].size) == (4, 25 * MIB)
    assert [stream for stream in bench.synchronized if stream != 7] == [1, 2]


def test_MM_35_with_several_workers_other_pools_are_left_alone() -> None:
    bench = PoolBench(35 * MIB)
    homes = three_idle_pools(bench)
    bench.process.multi_thread = True
    assert homes[3].malloc(25 * MIB) is None
    text = f"0x4, size {25 * MIB}, is enable rt2 multi thread: 1"
    failed = MemoryPressure("Failed to expand memory for l2 allocator, stream ", text)
    assert bench.said(MemoryPressure).count(failed) == 2
    assert all(home.own.pool.tally.idle.layers() for home in homes[:3])


def test_MM_36_the_matrix_of_who_knows_whom() -> None:
    mif = Mif(3)
    assert [mif.word(observer) for observer in range(3)] == [0, 0, 0]
    mif.set_all(0)
    mif.set_all(2)
    assert [mif.word(observer) for observer in range(3)] == [0b101, 0b101, 0b101]
    mif.clear(1, 2)
    mif.clear(2, 0)
    assert [mif.word(observer) for observer in range(3)] == [0b101, 0b001, 0b100]
    mif.merge_cleared(1, 2)
    assert [mif.word(observer) for observer in range(3)] == [0b101, 0b001, 0]
    assert [mif.is_clear(observer) for observer in range(3)] == [False, False, True]
    mif.reset()
    assert [mif.word(observer) for observer in range(3)] == [0, 0, 0]


def test_MM_37_a_block_that_holds_memory_starts_no_new_life() -> None:
    bench = PoolBench()
    block = block_of(bench.level2(2)[0])
    bench.said()
    assert not block.begin(block.level1, block.block, block.kind)
    (error,) = bench.said()
    assert isinstance(error, LogLine)
    text = "Failed to ReInit GertMemBlock, origin mem_block is not cleared, this may cased memory leaks"
    assert (error.text, error.code) == (text, 50331649)


def test_MM_38_blocks_left_behind_are_recycled_by_force() -> None:
    bench = PoolBench()
    level1 = bench.caching()
    homes = bench.level2(2, level1)
    block = block_of(homes[0])
    block.wander(0, 1)
    addr = block.addr
    bench.said()
    for home in homes:
        home.close()
    said = bench.said(MemoryPressure, *RECYCLES)
    text = f"0x{block.handle:x} address 0x{addr:x} does not recycled when l2 allocator destructing, "
    text = f"{text}will be recycled force"
    assert said == [MemoryPressure("The block ", text), BirthRecycle(0, addr)]
    assert level1.pool.tally.occupied == {}


def test_MM_39_a_whole_span_moves_to_level_1_as_it_is() -> None:
    bench = PoolBench()
    level1 = bench.caching()
    home = bench.level2(2, level1)[0]
    block = block_of(home)
    addr = block.addr
    bench.said()
    assert block.move_to_level1()
    assert bench.said() == []
    assert block.addr == addr
    assert home.own.pool.tally.occupied == {}
    assert block.level1 is level1
    block.free(0)
    assert level1.pool.tally.occupied == {}


def test_MM_39_a_part_of_a_span_moves_as_a_copy() -> None:
    bench = PoolBench()
    level1 = bench.caching()
    home = bench.level2(2, level1)[0]
    block_of(home, 4 * PAGE).free(0)
    block = block_of(home)
    span = block.block
    old = block.addr
    bench.said()
    assert block.move_to_level1()
    assert bench.copies == [(1, block.addr, old, PAGE)]
    assert block.addr != old
    text = f"0x{span.handle:x} addr 0x{old:x} is split, it has been moved to L1 block 0x{block.block.handle:x} "
    assert bench.said(MemoryPressure) == [MemoryPressure("l2 block ", f"{text}addr 0x{block.addr:x}")]
    assert home.own.pool.tally.idle.layers() == [(4, 1)]


def test_MM_41_blocks_that_went_home_are_lent_no_more() -> None:
    bench = PoolBench()
    homes = bench.level2(3)
    mine, other = block_of(homes[0]), block_of(homes[2])
    pool = BorrowAllocator()
    for block in (mine, other):
        pool.put(block)
    assert pool.take(0) == [mine]
    assert pool.take(0) == []
    order = DeviceOrder(1, 3)
    assert pool.alloc(1000, order) is other
    assert pool.alloc(1000, order) is None


def test_a_smaller_request_leaves_no_empty_set_behind() -> None:
    """GE erases by the size asked for (9.13): the second search would read what is not there."""
    bench = PoolBench()
    home = bench.level2(2)[0]
    pool, order = BorrowAllocator(), DeviceOrder(1, 2)
    large = block_of(home, 4 * PAGE)
    pool.put(large)
    assert pool.alloc(PAGE, order) is large
    assert pool.alloc(PAGE, order) is None
    assert len(pool) == 0


def test_a_block_that_ges_rule_gives_back_too_early_rests_until_the_device_has_come_there() -> None:
    """Stream 1 is told of 2 by 0, whose event was sent before 0 knew: GE's rule believes it, the device does not."""
    bench = PoolBench()
    homes = bench.level2(3)
    block = block_of(homes[1])
    addr = block.addr
    block.wander(1, 0)
    block.wander(1, 2)
    block.free(0)
    early, moments = list(homes[0].told(1)), homes[0].order.sent()
    block.free(2)
    deliver(homes[2], homes[0])
    block.free(1)
    homes[1].order.waited(moments)
    bench.said()
    for life in early:
        life.reach(1)
    assert bench.said(*RECYCLES) == [BirthRecycle(1, addr)]
    assert block_of(homes[1]).addr != addr
    deliver(homes[2], homes[1])
    assert block_of(homes[1]).addr == addr


def test_one_of_two_owners_on_a_stream_is_let_go_without_a_word() -> None:
    bench = PoolBench()
    block = block_of(bench.level2(2)[0])
    block.share(0)
    block.wander(0, 1)
    bench.said()
    block.free(0)
    assert bench.said(*RECYCLES) == []
    block.free(0)
    assert bench.said(*RECYCLES) == [LocalRecycle(0, block.addr, 0)]


@pytest.mark.parametrize("misuse", [1, 2])
def test_a_block_recycled_twice_is_said(misuse: int) -> None:
    bench = PoolBench()
    home = bench.level2(2)[0]
    block = block_of(home)
    block.free(0)
    bench.said()
    for _ in range(misuse):
        assert not home.birth_recycle(block)
    error = MemoryPressure("Failed to birth recycle block ", f"0x{block.handle:x}, the block maybe already recycled")
    expected: list[Event] = [error] * misuse
    assert bench.said() == expected


def test_a_pool_gives_its_pages_back_only_when_told() -> None:
    bench = PoolBench()
    home = bench.level2(2)[0]
    addr = block_of(home).addr
    next(iter(home._alive)).free(0)
    bench.said()
    home.recycle_free_memory()
    said = bench.said(PoolRecycled, PoolShrink)
    assert [type(event) for event in said] == [PoolRecycled, PoolShrink]
    assert isinstance(said[1], PoolShrink)
    assert (said[1].handle, said[1].addr) == (1, addr)
