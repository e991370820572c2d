"""Scenarios MM of spec/execution.md 8.4: spans of pages, and the limits of the scalable allocator."""

from itertools import permutations
from time import perf_counter

import pytest
from pool_bench import MIB, PoolBench

from getrace.events import Level
from getrace.events.pools import AllocatorMade, DriverMalloc, MemoryPressure, SpanEvent, ThresholdExceeded
from getrace.events.text import LogLine
from runtime.memory.config import ScalableConfig, chosen_config, config_of
from runtime.memory.scalable import ScalableAllocator
from runtime.memory.span import PageSpan

PAGE = 65536
GIB = 1 << 30


def given(allocator: ScalableAllocator, size: int) -> PageSpan:
    span = allocator.alloc(size)
    assert span is not None
    return span


@pytest.mark.parametrize(("size", "pages"), [(0, 1), (1, 1), (65536, 1), (65537, 2)])
def test_MM_01_sizes_are_rounded_up_to_pages(size: int, pages: int) -> None:
    assert given(PoolBench().scalable(), size).pages == pages


def test_MM_02_a_cut_span_gives_its_right_end() -> None:
    allocator = PoolBench().scalable()
    whole = given(allocator, 16 * PAGE)
    base = whole.addr
    allocator.free(whole)
    part = given(allocator, 2 * PAGE)
    assert part.addr == base + 14 * PAGE
    assert allocator.tally.idle.layers() == [(14, 1)]
    assert whole.pages == 14
    assert whole.lower is not None
    allocator.free(part)
    assert allocator.tally.idle.layers() == [(16, 1)]
    assert (whole.addr, whole.is_split) == (base, False)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_MM_04_three_parts_join_in_any_order(order: tuple[int, ...]) -> None:
    allocator = PoolBench().scalable()
    whole = given(allocator, 9 * PAGE)
    allocator.free(whole)
    parts = [given(allocator, 3 * PAGE) for _ in range(3)]
    for index in order:
        allocator.free(parts[index])
    assert allocator.tally.idle.layers() == [(9, 1)]
    assert [span.is_split for span in allocator.tally.idle] == [False]


def test_MM_05_the_last_one_freed_is_the_first_one_given() -> None:
    allocator = PoolBench().scalable()
    spans = [given(allocator, PAGE) for _ in range(3)]
    for index in (1, 0, 2):
        allocator.free(spans[index])
    assert [given(allocator, PAGE).addr for _ in range(3)] == [spans[index].addr for index in (2, 0, 1)]


def test_MM_06_only_whole_idle_spans_go_back() -> None:
    bench = PoolBench()
    allocator = bench.scalable()
    used, whole, cut = given(allocator, 2 * PAGE), given(allocator, 3 * PAGE), given(allocator, 8 * PAGE)
    allocator.free(whole)
    allocator.free(cut)
    part = given(allocator, 5 * PAGE)
    held = set(bench.driver.live)
    allocator.recycle()
    assert set(bench.driver.live) == held - {whole.addr}
    assert set(bench.driver.live) == {used.addr, cut.addr}
    assert part.addr == cut.addr + 3 * PAGE


def test_MM_08_more_than_the_threshold_is_refused_with_a_text() -> None:
    bench = PoolBench()
    allocator = bench.scalable(ScalableConfig(100 * MIB, 10 * MIB, 0))
    assert allocator.alloc(10 * MIB + 1) is None
    text = "10485761 > mem_size_total_threshold:10485760"
    assert bench.said(MemoryPressure) == [MemoryPressure("[ScalableAllocator]: size:", text, "allocator_1")]


@pytest.mark.parametrize(("size", "said"), [(-1, 18446744073709551615), (1 << 63, 9223372036854775808)])
def test_MM_08_a_size_below_0_is_a_large_one(size: int, said: int) -> None:
    bench = PoolBench()
    allocator = bench.scalable(ScalableConfig(100 * MIB, 10 * MIB, 0))
    assert allocator.alloc(size) is None
    text = f"{said} > mem_size_total_threshold:10485760"
    assert bench.said(MemoryPressure) == [MemoryPressure("[ScalableAllocator]: size:", text, "allocator_1")]


def test_MM_09_without_idle_spans_the_device_is_asked_beyond_the_threshold() -> None:
    bench = PoolBench()
    allocator = bench.scalable(ScalableConfig(100 * MIB, 10 * MIB, 0))
    given(allocator, 8 * MIB)
    bench.said()
    assert allocator.alloc(4 * MIB) is not None
    assert bench.said(ThresholdExceeded) == [ThresholdExceeded(8 * MIB, 4 * MIB, 10 * MIB, "allocator_1")]


def test_MM_10_with_idle_spans_the_request_fails_once_and_succeeds_behind_a_recycle() -> None:
    allocator = PoolBench().scalable(ScalableConfig(100 * MIB, 10 * MIB, 0))
    allocator.free(given(allocator, MIB))
    given(allocator, 7 * MIB)
    assert allocator.alloc(4 * MIB) is None
    allocator.recycle()
    assert allocator.alloc(4 * MIB) is not None


def test_MM_11_half_of_the_device_is_given_once() -> None:
    bench = PoolBench(60 * GIB)
    assert config_of(60 * GIB).threshold == 61203283968
    level1 = bench.caching()
    assert level1.malloc(30 * GIB) is not None
    bench.driver.total_bytes = 59 * GIB
    assert level1.malloc(30 * GIB) is None


@pytest.mark.parametrize(
    ("option", "threshold"),
    [(None, 65283502899), ("2", 2 * GIB), ("0", 65283502899), ("abc", 65283502899), ("1000", 65283502899)],
)
def test_MM_14_the_option_is_taken_when_it_is_in_range(option: str | None, threshold: int) -> None:
    config, said = chosen_config(64 * GIB, option)
    assert config.threshold == threshold
    words = [event.text for event, _ in said if isinstance(event, AllocatorMade | LogLine)]
    name = "ge.experiment.memory_pool_threshold"
    wanted = {
        None: [],
        "2": [f"{name}] value[2]", f"2147483648, as option[{name}]=2(GB)"],
        "0": [f"{name}] value[0]", f"option[{name}] config value=0(GB) is invalid, range is (0, 65283502899]"],
        "abc": [f"{name}] value[abc]", f"Convert option[{name}]=[abc] to int32 failed."],
        "1000": [f"{name}] value[1000]", f"option[{name}] config value=1000(GB) is invalid, range is (0, 65283502899]"],
    }
    assert words == wanted[option]
    levels = [level for _, level in said]
    assert levels == ([] if option is None else [Level.INFO, Level.INFO if option == "2" else Level.WARNING])


def test_MM_14_a_device_of_unknown_size_has_the_smaller_limit() -> None:
    assert config_of(0) == ScalableConfig(0, 30 * GIB, 16 * GIB)


def test_MM_15_spans_in_use_are_named_and_stay_until_they_are_freed() -> None:
    bench = PoolBench()
    allocator = bench.scalable()
    span = given(allocator, 3 * PAGE)
    bench.said()
    assert not allocator.finalize("net")
    leak = "[ScalableAllocator]: memory leaks, occupied spans = "
    assert bench.said(MemoryPressure) == [
        MemoryPressure(leak, "1", "allocator_1"),
        MemoryPressure(leak, f"0x{span.handle:x}", "allocator_1"),
    ]
    assert span.addr in bench.driver.live
    allocator.free(span)
    bench.said()
    assert allocator.finalize("net", says_statistics=True)
    metrics = AllocatorMade("model_metrics:name=", "net, max_alloc_dev_mem=196608 B, device_id=0")
    assert bench.said(AllocatorMade) == [metrics]
    assert bench.driver.live == {}


def test_MM_16_a_whole_span_gives_up_its_root_block_and_a_part_does_not() -> None:
    allocator = PoolBench().scalable()
    whole = given(allocator, 4 * PAGE)
    root = allocator.convert_to_root(whole)
    assert root is not None
    assert (root.addr, root.size) == (whole.addr, 4 * PAGE)
    assert allocator.tally.occupied == {}
    allocator.free(given(allocator, 4 * PAGE))
    assert allocator.convert_to_root(given(allocator, PAGE)) is None


def test_MM_17_an_empty_allocator_recycles_in_no_time() -> None:
    allocator = PoolBench().scalable()
    times = []
    for _ in range(50):
        start = perf_counter()
        allocator.recycle()
        times.append(perf_counter() - start)
    assert min(times) <= 100e-6


def test_a_large_span_is_cut_when_requests_for_it_add_up() -> None:
    bench = PoolBench()
    allocator = bench.scalable()
    whole = given(allocator, 10240 * PAGE)
    base = whole.addr
    allocator.free(whole)
    fresh = [given(allocator, pages * PAGE) for pages in (32, 64)]
    assert all(not base <= span.addr < base + 10240 * PAGE for span in fresh)
    delayed = "Delay split block device_id:"
    assert [event.what for event in bench.said(SpanEvent) if isinstance(event, SpanEvent)] == [delayed, delayed]
    assert given(allocator, 64 * PAGE).addr != fresh[1].addr
    assert allocator.tally.idle.layers() == [(10240 - 64, 1)]


def test_small_requests_share_one_page_of_2_mib_from_its_top() -> None:
    bench = PoolBench()
    allocator = bench.scalable(chunk=2 * MIB)
    addresses = [given(allocator, MIB // 2).addr for _ in range(4)]
    base = min(bench.driver.live)
    assert addresses == [base + offset * MIB // 2 for offset in (3, 2, 1, 0)]
    assert [event.size for event in bench.said(DriverMalloc) if isinstance(event, DriverMalloc)] == [2 * MIB]
