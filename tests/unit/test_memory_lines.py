"""Where the lines of allocators are printed: one text in several places, and the codes of their errors."""

from simulated_runs import OpenProcess, open_process

from getrace.events import Event, Level, Origin
from getrace.events.graphs import GraphEvent
from getrace.plog.spelling import spell_lines
from runtime.kernels.machine import Machine
from runtime.memory.caching import CachingMemAllocator

MIB = 1 << 20


class Lines:
    """A sink that keeps the lines from their place on, without the thread."""

    def __init__(self, process: OpenProcess) -> None:
        self.heard: list[str] = []
        process.machine.journal.bus.subscribe(self)

    def __call__(self, time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        if not isinstance(event, GraphEvent):
            line = spell_lines(time_ns, origin, level, kernel, event)[0]
            self.heard.append(line[line.index(" [") + 1 :].replace("]1 ", "] ", 1))

    def of(self, *words: str) -> list[str]:
        """The lines with one of some words, since the last call."""
        found = [line for line in self.heard if any(word in line for word in words)]
        self.heard.clear()
        return found


def level1(machine: Machine) -> CachingMemAllocator:
    return CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)


def test_a_request_is_said_at_both_levels_in_their_own_place_and_the_block_from_below_too() -> None:
    process = open_process(profile="tiny")
    allocator = level1(process.machine)
    lines = Lines(process)
    assert allocator.malloc(100) is not None
    first, second, *rest = lines.of("Malloc size", "MallocMemory")
    assert first == "[caching_mem_allocator.cc:68] Malloc:Malloc size:100."
    assert second == "[rts_caching_mem_allocator.cc:98] Malloc:Malloc size:65536."
    assert rest[0].startswith("[device_allocator.cc:62] Alloc:MallocMemory, func=aclrtMalloc, size=2097152,")
    assert rest[1:] == [
        "[rts_caching_mem_allocator.h:34] Alloc:MallocMemory, func=rtMalloc, size=65536, purpose=rt2 memory pool"
    ]


def test_a_full_device_is_said_with_the_size_of_the_chunk_and_without_a_block() -> None:
    process = open_process(profile="tiny")
    allocator = level1(process.machine)
    assert allocator.malloc(14 * MIB) is not None
    lines = Lines(process)
    assert allocator.malloc(3 * MIB) is None
    heard = lines.of("exceed total", "func=rtMalloc", "ErrorNo")
    assert [line for line in heard if "func=rtMalloc" in line] == []
    full = "FetchNewSpan:OccupiedSize:14680064 add size:{} exceed total_threshold:15938355."
    failed = "DeviceAllocator::Alloc failed device_id:0, size:3145728"
    refused = "[Malloc][Memory] failed, rt_ret:207001, device_id:0, size:3145728"
    called = "[Call][aclrtMallocWithCfg] failed, size: 3145728, policy: 4096, ret: 207001"
    assert heard[:5] == [
        f"[scalable_allocator.cc:246] [allocator_2] {full.format(3 * MIB)}",
        f"[scalable_allocator.cc:246] [rts_allocator_1] {full.format(3 * MIB)}",
        f"[aclrt_malloc_helper.cc:106] HandleDevice: ErrorNo: 4294967295(failed){called}",
        f"[device_allocator.cc:72] Alloc: ErrorNo: 1343225860(Internal errors){refused}",
        f"[device_allocator.cc:30] Alloc: ErrorNo: 4294967295(failed){failed}",
    ]
    assert (
        "[caching_mem_allocator.cc:39] AllocateWithTryRecycle: ErrorNo: 1343225856(Failed to allocate memory!)"
        "[allocator_2] Failed to apply for memory. We will try to free memory from memory pool, the above or this "
        "error log can be ignored. Try to free cached memory..."
    ) in heard
    assert allocator.malloc(MIB) is not None
    chunk = f"[rts_caching_mem_allocator.cc:52] [rts_allocator_1] {full.format(2 * MIB)}"
    assert lines.of("add size:2097152") == [chunk]


def test_leaks_are_counted_in_one_place_and_named_in_another() -> None:
    process = open_process(profile="tiny")
    allocator = level1(process.machine)
    span = allocator.malloc(100)
    assert span is not None
    lines = Lines(process)
    assert not allocator.close()
    text = "Finalize:[allocator_2] [ScalableAllocator]: memory leaks, occupied spans = "
    assert lines.of("leaks") == [
        f"[scalable_allocator.cc:61] {text}1",
        f"[scalable_allocator.cc:63] {text}0x{span.handle:x}",
    ]


def test_limits_and_a_new_allocator_are_said_where_ge_says_them() -> None:
    process = open_process(profile="tiny")
    lines = Lines(process)
    process.machine.memory.start()
    level1(process.machine)
    limits = "page_mem_size_total_threshold: 15938355, uncacheable_size_threshold: 17179869184"
    assert lines.of("device total max size", "create caching") == [
        f"[scalable_config.cc:75] ScalableConfig:device total max size: 16777216, {limits}",
        "[caching_mem_allocator.cc:94] CachingMemAllocator:create caching memory allocator, [allocator_3]",
    ]
