"""Lives of blocks, the usage curve, leaks and the story of one address."""

from collections.abc import Iterable

import pytest
from handmade import HandLog

from getrace.analysis import blocks as lives
from getrace.analysis import memory
from getrace.analysis.blocks import blocks
from getrace.analysis.memory import history, live_at, memory_report, usage
from getrace.analysis.runs import GraphRun, run_of_rows
from getrace.events import Event
from getrace.events.launch import LaunchAddresses
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import (
    BatchAlloc,
    BatchFree,
    BirthRecycle,
    CopyAlloc,
    LocalRecycle,
    MemAlloc,
    MemFree,
    OutputAlloc,
)
from getrace.events.pools import DeviceFree, DriverFree, DriverMalloc, SpanAlloc, SpanFree
from getrace.ids import KernelName, split_kernel_name
from getrace.store.columns import Column
from getrace.store.store import Store

A, B = 0x124080024000, 0x124080034000
PAGE = 65_536


def give(log: HandLog, addr: int, asked: int = 128, kernel: str = "AllocMemHbm_a_1", tid: int = 1) -> int:
    """Allocate as rt2-2023 prints it: the allocator's line, then the kernel's."""
    log.say(SpanAlloc(device=0, asked=asked, size=PAGE, addr=addr), tid=tid)
    return log.say(MemAlloc(block=1, addr=addr, size=PAGE), kernel, tid=tid)


def take(log: HandLog, addr: int, tid: int = 1) -> int:
    """Return a span to the pool as rt2-2023 prints it."""
    return log.say(SpanFree(device=0, size=PAGE, addr=addr), tid=tid)


def ends(log: HandLog) -> list[tuple[int, int, int | None, int | None, int | None]]:
    """Give (address, generation, alloc line, free line, return line) of each block."""
    return [
        (
            block.addr,
            block.generation,
            block.alloc + 1,
            None if block.free is None else block.free + 1,
            None if block.recycle is None else block.recycle + 1,
        )
        for block in blocks(log.store())
    ]


def test_a_block_of_2023_ends_at_the_return_to_the_pool_and_not_at_the_free() -> None:
    log = HandLog()
    give(log, A)
    log.say(MemFree(addr=A), "FreeMemory_a_2", tid=1)
    log.say(KernelEnd(), "Other_1")
    take(log, A, tid=77)
    assert ends(log) == [(A, 1, 2, 3, 5)]
    assert blocks(log.store())[0].end == 4


def test_the_size_asked_for_comes_from_the_allocators_line_of_the_same_thread_and_address() -> None:
    log = HandLog()
    log.say(SpanAlloc(device=0, asked=288, size=PAGE, addr=A), tid=1)
    log.say(SpanAlloc(device=0, asked=64, size=PAGE, addr=B), tid=2)
    log.say(MemAlloc(block=1, addr=A, size=PAGE), "AllocMemHbm_a_1", tid=1)
    log.say(MemAlloc(block=2, addr=B, size=PAGE), "AllocMemHbm_b_1", tid=2)
    assert [(block.requested, block.size) for block in blocks(log.store())] == [(288, PAGE), (64, PAGE)]


def test_an_allocators_line_of_another_address_says_nothing() -> None:
    log = HandLog()
    log.say(SpanAlloc(device=0, asked=288, size=PAGE, addr=B), tid=1)
    log.say(MemAlloc(block=1, addr=A, size=PAGE), "AllocMemHbm_a_1", tid=1)
    assert blocks(log.store())[0].requested is None


@pytest.mark.parametrize(
    ("event", "asked", "given"),
    [
        (MemAlloc(block=1, addr=A, size=PAGE, stream=0, asked=40, index=0), 40, PAGE),
        (BatchAlloc(stream=0, block=1, addr=A, size=40, index=0), 40, None),
        (CopyAlloc(block=1, addr=A, size=PAGE, stream=0), None, PAGE),
        (OutputAlloc(block=1, addr=A, size=40, stream=0), 40, None),
        (OutputAlloc(block=1, addr=A, size=PAGE), None, PAGE),
    ],
)
def test_what_size_means_depends_on_the_message(event: Event, asked: int | None, given: int | None) -> None:
    log = HandLog()
    log.say(event, "AllocMemHbm_a_1")
    block = blocks(log.store())[0]
    assert (block.requested, block.size) == (asked, given)


def test_the_stream_is_unknown_when_the_line_does_not_say_it_and_zero_when_it_says_zero() -> None:
    log = HandLog()
    log.say(MemAlloc(block=1, addr=A, size=PAGE), "AllocMemHbm_a_1")
    log.say(MemAlloc(block=1, addr=B, size=PAGE, stream=0), "AllocMemHbm_b_1")
    assert [block.stream for block in blocks(log.store())] == [None, 0]


def test_an_address_that_is_given_again_begins_a_new_generation() -> None:
    log = HandLog()
    give(log, A)
    log.say(MemFree(addr=A), "FreeMemory_a_2", tid=1)
    take(log, A)
    give(log, A, asked=64)
    assert ends(log) == [(A, 1, 2, 3, 4), (A, 2, 6, None, None)]


def test_an_allocation_at_a_live_address_proves_that_the_old_block_was_returned() -> None:
    log = HandLog()
    give(log, A)
    give(log, A)
    first, second = blocks(log.store())
    assert (first.recycle, first.end, second.end) == (None, 3, None)
    assert memory_report(log.store()).peak_bytes == PAGE


def test_two_processes_do_not_share_addresses() -> None:
    log = HandLog()
    log.say(MemAlloc(block=1, addr=A, size=PAGE), "AllocMemHbm_a_1", pid=1)
    log.say(MemAlloc(block=1, addr=A, size=PAGE), "AllocMemHbm_a_1", pid=2)
    assert [block.generation for block in blocks(log.store())] == [1, 1]
    assert memory_report(log.store()).peak_bytes == 2 * PAGE


def test_in_2026_a_free_drops_one_reference_and_the_recycle_ends_the_life() -> None:
    log = HandLog(dialects=("rt2-2026",))
    log.say(MemAlloc(block=1, addr=A, size=PAGE, stream=0, asked=40, index=0), "AllocMemHbm_a_1")
    log.say(MemFree(addr=A, stream=0), "FreeMemory_a_2")
    log.say(LocalRecycle(stream=0, addr=A, peer=0), "")
    log.say(MemFree(addr=A, stream=1), "FreeMemory_a_3")
    log.say(BirthRecycle(stream=0, addr=A), "")
    assert ends(log) == [(A, 1, 1, 4, 5)]


def test_without_any_return_in_the_log_a_free_is_the_end() -> None:
    log = HandLog()
    log.say(MemAlloc(block=1, addr=A, size=PAGE), "AllocMemHbm_a_1")
    log.say(MemFree(addr=A), "FreeMemory_a_2")
    report = memory_report(log.store())
    assert ([block.end for block in report.blocks], list(report.leaks)) == ([1], [])


def test_frees_without_a_block_change_nothing() -> None:
    log = HandLog()
    log.say(MemFree(addr=A, stream=-1), "FreeMemory_a_2")
    log.say(BatchFree(stream=-1, addr=0, index=0), "FreeBatchHbm_a_3")
    assert blocks(log.store()) == []


def test_the_peak_is_where_it_was_reached_first() -> None:
    log = HandLog()
    give(log, A)
    second = give(log, B)
    take(log, B)
    give(log, B)
    report = memory_report(log.store())
    assert (report.peak_bytes, report.peak_row) == (2 * PAGE, second - 1)
    assert [block.addr for block in report.live_at_peak] == [A, B]
    assert usage(log.store(), report.blocks).bytes.tolist() == [PAGE, 2 * PAGE, PAGE, 2 * PAGE]


def test_host_memory_has_lives_but_no_part_in_the_curve() -> None:
    log = HandLog()
    log.say(MemAlloc(block=1, addr=A, size=40), "AllocMemHost_a_1")
    report = memory_report(log.store())
    assert (len(report.blocks), report.peak_bytes, list(report.live_at_peak)) == (1, 0, [])


def test_a_block_that_never_went_back_is_a_leak() -> None:
    log = HandLog()
    log.say(ModelStart())
    give(log, A, tid=1432)
    log.say(MemFree(addr=A), "FreeMemory_a_2")
    log.say(ModelEnd())
    report = memory_report(log.store())
    assert [(block.addr, block.free) for block in report.leaks] == [(A, 3)]


def test_a_block_of_a_run_that_is_still_open_is_alive_but_no_leak() -> None:
    log = HandLog()
    log.say(ModelStart())
    give(log, A, tid=1432)
    report = memory_report(log.store())
    assert (len(report.live_at_end), list(report.leaks), report.undecided) == (1, [], True)


def test_a_block_of_init_is_a_leak_only_after_the_model_was_unloaded() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "CreateL2Allocators_1")
    give(log, A, kernel="CopyH2D_a_1", tid=1432)
    give(log, B, kernel="CopyH2D_b_1", tid=1432)
    log.say(ModelEnd())
    assert memory_report(log.store()).leaks == []
    log.say(MemFree(addr=B), "FreeMemory_b_9", tid=5)
    take(log, B, tid=5)
    assert [block.addr for block in memory_report(log.store()).leaks] == [A]


def test_memory_that_the_device_took_back_is_no_leak() -> None:
    log = HandLog()
    give(log, A)
    log.say(DeviceFree(device=0, size=PAGE, addr=A))
    assert memory_report(log.store()).leaks == []


def test_the_pool_grows_by_what_the_driver_gave_and_not_by_what_upper_levels_take_of_it() -> None:
    log = HandLog()
    log.say(DriverMalloc(func="aclrtMalloc", size=100, purpose="page caching"))
    log.say(DriverMalloc(func="rtMalloc", size=7, purpose="rt2 memory pool"))
    log.say(DeviceFree(device=0, size=7, addr=A))
    log.say(DriverFree(device=0, size=100, addr=A))
    assert memory_report(log.store()).pool.bytes.tolist() == [100, 0]


def test_the_story_of_an_address_holds_its_allocators_and_its_launches_in_order() -> None:
    log = HandLog()
    give(log, A)
    log.say(LaunchAddresses(addresses=(B, A)), "LaunchKernelWithFlag_a_3")
    log.say(LaunchAddresses(addresses=(B,)), "LaunchKernelWithFlag_b_3")
    log.say(LaunchAddresses(), "LaunchKernelWithFlag_c_3")
    take(log, A)
    assert history(log.store(), A) == [0, 1, 2, 5]


def test_live_at_lists_the_biggest_first() -> None:
    log = HandLog()
    log.say(MemAlloc(block=1, addr=A, size=10), "AllocMemHbm_a_1")
    log.say(MemAlloc(block=2, addr=B, size=20), "AllocMemHbm_b_1")
    assert [block.addr for block in live_at(blocks(log.store()), 1)] == [B, A]


def load(log: HandLog, *addresses: int, kernel: str = "CreateL2Allocators_1") -> None:
    """Run an Init graph that allocates at the addresses."""
    log.say(ModelStart())
    log.say(KernelEnd(), kernel)
    for addr in addresses:
        log.say(MemAlloc(block=1, addr=addr, size=PAGE), "CopyH2D_a_1")
    log.say(ModelEnd())


def step(log: HandLog) -> None:
    """Run a Main graph that allocates nothing."""
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_7")
    log.say(ModelEnd())


def unload(log: HandLog) -> None:
    """Run a DeInit graph that frees nothing."""
    log.say(ModelStart())
    log.say(ModelEnd())


def leaks(log: HandLog) -> tuple[list[int], bool]:
    """Give the addresses of the leaks, and whether something is undecided."""
    report = memory_report(log.store())
    return [block.addr for block in report.leaks], report.undecided


def test_an_excerpt_without_a_marker_cannot_show_a_leak() -> None:
    log = HandLog()
    give(log, A)
    give(log, B)
    log.say(MemFree(addr=B), "FreeMemory_b_9", tid=1)
    take(log, B)
    assert leaks(log) == ([], True)


def test_the_rest_of_a_run_whose_start_is_cut_off_does_not_look_like_an_unloading() -> None:
    log = HandLog()
    give(log, A)
    give(log, B)
    log.say(MemFree(addr=B), "FreeMemory_b_9", tid=1)
    take(log, B)
    log.say(ModelEnd())
    step(log)
    assert leaks(log) == ([], True)


def test_a_block_of_init_is_a_leak_after_the_deinit_run_of_its_model() -> None:
    log = HandLog()
    load(log, A)
    step(log)
    assert leaks(log) == ([], True)
    unload(log)
    assert leaks(log) == ([A], False)


def test_while_another_model_is_loaded_a_deinit_run_proves_nothing() -> None:
    log = HandLog()
    load(log, A)
    load(log, B, kernel="CreateL2Allocators_51")
    unload(log)
    assert leaks(log) == ([], True)
    unload(log)
    assert leaks(log) == ([A, B], False)


def test_a_free_beside_two_open_runs_is_a_workers_and_no_unloading() -> None:
    log = HandLog()
    load(log, A)
    for tid in (1, 2):
        log.say(ModelStart(), tid=tid)
        log.say(KernelEnd(), "InferShape_a_7", tid=tid)
    log.say(MemFree(addr=B), "FreeMemory_b_9", tid=3)
    for tid in (1, 2):
        log.say(ModelEnd(), tid=tid)
    assert leaks(log) == ([], True)


def test_an_address_whose_digits_are_left_out_is_no_block() -> None:
    log = HandLog()
    for _ in range(2):
        log.say(CopyAlloc(block=None, addr=None, size=8192, stream=0), "AllocMemHbm_a_2")
    report = memory_report(log.store())
    assert (report.allocs, list(report.blocks), list(report.leaks)) == (2, [], [])


def test_a_name_is_split_once_however_many_blocks_its_kernel_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    log = HandLog()
    for number in range(20):
        log.say(MemAlloc(block=1, addr=A + number, size=1), "AllocMemHost_a_1" if number % 2 else "AllocMemHbm_b_1")
    asked = []

    def counted(name: str) -> KernelName:
        asked.append(name)
        return split_kernel_name(name)

    store = log.store()
    monkeypatch.setattr(lives, "split_kernel_name", counted)
    assert [block.on_host for block in blocks(store)] == [False, True] * 10
    assert sorted(asked) == ["AllocMemHbm_b_1", "AllocMemHost_a_1"]


def test_the_runs_of_a_log_are_laid_over_its_rows_once_however_many_blocks_live(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = HandLog()
    load(log, *range(A, A + 50 * PAGE, PAGE))
    for _ in range(50):
        step(log)
    calls = []

    def counted(store: Store, runs: Iterable[GraphRun]) -> Column:
        calls.append(store)
        return run_of_rows(store, runs)

    monkeypatch.setattr(memory, "run_of_rows", counted)
    assert len(memory_report(log.store()).live_at_end) == 50
    assert len(calls) == 1
