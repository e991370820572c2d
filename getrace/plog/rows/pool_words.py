"""Rows of the rarer memory lines: fixed words in front, the rest kept as text (spec/kerneltrace.md 6, 6.1).

Each entry is (words, sample rest, file). The words are what GE prints literally; what follows them is the event's
``text``. Words that other modules use as well are followed by a narrower text than "anything" (``_NARROW``).
"""

from getrace.events import Event
from getrace.events import pools as p
from getrace.plog.row import GE, RT2_2023, RT2_2026, Row, row

_Words = tuple[tuple[str, str, str], ...]

_SCALABLE = "scalable_allocator.cc"
_ACTIVE = "active_memory_allocator.cc"
_RTS = "rts_caching_mem_allocator.cc"
_NARROW = {
    "The block ": "leftover",
    "l2 block ": "moved",
    "stream id ": "recycles",
    "base_addr:": "base",
    "option[": "option",
    "index_begin:": "indices",
}
_CANNOT = "Failed to apply for memory. We will try to free memory from memory pool, the above"

SPANS: _Words = (
    ("block device_id:", "0 size:65536 alloca_size:65536 mem_addr:0x12c041200000", _SCALABLE),
    ("Free using block device_id:", "0 size:65536 alloc_size:65536 mem_addr:0x12c041200000.", _SCALABLE),
    ("Free ref span device_id:", "0 allocate_size:65536 mem_addr:0x12c041200000.", _SCALABLE),
    ("reuse new_va_span try_count:", "1 size:65536 span_size:65536 mem_addr_:0x12c041200000", _SCALABLE),
    ("Delay split block device_id:", "0 size:21474836480 allocate_size:65536.", _SCALABLE),
    ("free span size:", "2097152 real_size:2097152 left_size:65536 next_size:65536", _SCALABLE),
    ("using span size:", "65536 real_size:65536 alloc_size:65536", _SCALABLE),
    ("base_addr:", "0x12c041200000 size:0", _SCALABLE),
    (
        "Block alloc from level_1 allocator addr:",
        "0x12c041200000 size:64 allocate_size:512 window_size:4.",
        "ffts_mem_allocator.cc",
    ),
    ("FftsMemBlock mem_addr:", "0x12c041200000 block_size:512 window_size:4.", "ffts_mem_allocator.cc"),
)

PRESSURE: _Words = (
    ("malloc memory not success, try to free l2 mem pool and malloc again", "", "l2_mem_pool.cc"),
    ("malloc memory not success, try to use borrow block", "", "multi_stream_l2_allocator.cc"),
    ("addr is nullptr, try to free other allocator memory and malloc again", "", "caching_mem_allocator.cc"),
    ("will synchronize on stream ", "0xaaab10b5a4c0", "caching_mem_allocator.cc"),
    (
        "l2 block ",
        "0xaaab10c0e010 addr 0x12c041200000 is split, it has been moved to L1 block 0xaaab10c0e110 addr 0x12c041210000",
        "l2_mem_pool.cc",
    ),
    (
        "Failed to expand memory for l2 allocator, stream ",
        "0xaaab10b5a4c0, size 65536, is enable rt2 multi thread: 0",
        "l2_mem_pool.cc",
    ),
    (
        "Failed to birth recycle block ",
        "0xaaab10c0e010, the block maybe already recycled",
        "multi_stream_l2_allocator.cc",
    ),
    (
        "The block ",
        "0xaaab10c0e010 address 0x12c041200000 does not recycled when l2 allocator destructing, will be recycled force",
        "multi_stream_l2_allocator.cc",
    ),
    ("Failed to malloc memory by external allocator, size: ", "65536", "external_allocator.cc"),
    ("[SpanLayer]: releasing split span ", "[addr : 0x12c041200000, len : 16]", "span_layer.cc"),
    ("[Get][aclrtGetDevice] Failed, ", "result:507000.", "caching_mem_allocator.cc"),
)

PRESSURE_SPOKEN: _Words = (
    (f"{_CANNOT} or this error log can be ignored. Try to free cached memory...", "", "caching_mem_allocator.cc"),
    (f"{_CANNOT} warning log can be ignored. Try to free cached memory...", "", _RTS),
    ("[ScalableAllocator]: memory leaks, occupied spans = ", "1", _SCALABLE),
    ("[ScalableAllocator]: size:", "1099511627776 > mem_size_total_threshold:127506841", _SCALABLE),
)

MADE: _Words = (
    ("create l2 allocator:", "[allocator_4]", "l2_mem_pool.cc"),
    ("set l1 allocator ", "[allocator_9] for l2 allocator [allocator_8]", "l2_mem_pool.h"),
    (
        "stream id ",
        "0's l2 allocator will recycle free memory, stream addr 0xaaab10b5a4c0",
        "multi_stream_l2_allocator.cc",
    ),
    ("create caching memory allocator, ", "[allocator_2]", "caching_mem_allocator.cc"),
    ("Get RtsCachingMemAllocator device id:", "0 memory type:2.", _RTS),
    ("Create RtsCachingMemAllocator device id:", "0 memory type:2.", _RTS),
    ("RtsAllocatorManager Initialize.", "", _RTS),
    ("RtsAllocatorManager Finalize.", "", _RTS),
    ("RtsAllocatorManager ReleaseResource device id:", "0.", _RTS),
    ("option[", "ge.experiment.memory_pool_threshold] value[8]", "scalable_config.cc"),
    (
        "page_mem_size_total_threshold is set to ",
        "8589934592, as option[ge.experiment.memory_pool_threshold]=8(GB)",
        "scalable_config.cc",
    ),
    ("model_metrics:name=", "graph_1, max_alloc_dev_mem=65536 B, device_id=0", _SCALABLE),
    (
        "appointed weight info is invalid, ",
        "given_size[16], required_size[32], need to alloc inner.",
        "sink_weight_assigner.cc",
    ),
    ("Malloc memory by external allocator success, ", "block:0xaaab10c0e010, size: 65536", "external_allocator.cc"),
    ("start to recycle memory. graph ", "graph_1, stream: 0xaaab10b5a4c0", "hybrid_model_rt_v2_executor.cc"),
    ("recycle outputs. graph ", "graph_1, stream: 0xaaab10b5a4c0", "hybrid_model_rt_v2_executor.cc"),
    ("caching memory allocator recycle. graph ", "graph_1, stream: 0xaaab10b5a4c0", "hybrid_model_rt_v2_executor.cc"),
    ("Clear model output holder with block ", "0xaaab10c0e010", "hybrid_model_rt_v2_executor.cc"),
)

ACTIVE: _Words = tuple(
    (words, rest, _ACTIVE)
    for words, rest in (
        ("Create PhysicalMemoryAllocator success device id:", "0, memory_type: 2, page_size: 8388608."),
        ("Reuse PhysicalMemoryAllocator success device id:", "0, memory_type: 2, page_size: 8388608."),
        ("Current ref_count:", "0."),
        (
            "Current physical_memory_size:",
            "0 theory_size:0 page_size:8388608 reach theory rate:0.00% recycle:1 new_va_count:1 recycle_count:0",
        ),
        ("virtual_active_addr_base:", "0x12c041200000 virtual_memory_size:125829120 device_id:0."),
        (
            "virtual_memory_addr:",
            "0x12c041200000 virtual_memory_size:65536 success, total physical_memory_size:8388608.",
        ),
        ("index_begin:", "0 index_end:14 begin_remain_size:0 end_remain_size:0 ref_count:0"),
        (
            "Unmap and free addr:",
            "0x12c041200000 size:8388608 success, total physical_memory_size:0 index:14 physical_map_count:0.",
        ),
        ("[fixed_base_expandable_memory] ", "malloc, block: 0xaaab10c0e010, addr: 0x12c041200000, size: 4194304"),
        (
            "[Auto malloc var and constant op memory] ",
            (
                "Total[virtual_memory_addr:0x12c041200000 virtual_memory_size:65536, "
                "used_memory_size:512], current[memory_addr:0x12c041200000 memory_size:512 incremental:1]"
            ),
        ),
        (
            "[test] ",
            (
                "Total[virtual_memory_addr:0x12c041200000 virtual_memory_size:65536, "
                "used_memory_size:512], current[memory_addr:0x12c041200000 memory_size:512 incremental:1]"
            ),
        ),
        ("ActiveMemoryAllocator::", "FreeMemory used_count = 0 device_id = 0 memory_type = 2"),
        (
            "rtMallocPhysical success pa_index:",
            "0, current physical memory size:8388608 reuse:1, memory_type:2, pg_type:2M.",
        ),
        ("aclrtMapMem success pa_index:", "0 addr:0x12c041200000."),
        ("pa_index:", "0 addr:0x12c041200000 will be delay unmapped."),
        ("put to pool success pa_index:", "0."),
        ("aclrtUnmapMem pa_index:", "0 addr:0x12c041200000."),
        ("aclrtReserveMemAddress success va:", "0x12c041200000 size:16777216, device:0, memory_type:2."),
        ("aclrtReleaseMemAddress success va:", "0x12c041200000 size:125829120, device:0, memory_type:2."),
        ("aclrtFreePhysical success pa_index:", "0, current physical memory size:0, pg_type:2M"),
        (
            "create session allocator, typeid: ",
            "N2ge1AE, session_id: 1, device_id: 0, memory_type: 2, page_size: 8388608",
        ),
        ("get session allocator, typeid: ", "N2ge1AE, session_id: 1, device_id: 0, memory_type: 2, page_size: 8388608"),
    )
)

PROFILER: _Words = (
    ("[Cann Profiling] Init for cann memory profiling for subgraph[", "1].", "cann_memory_profiler.cc"),
    (
        "[CannMemoryProfiler][DoProf] Report memory info: ",
        (
            "node_id: 1, addr: 20616094744576, size: 65536, total allocate size: 65536, total reserve "
            "size: 65536, time stamp: 17"
        ),
        "cann_memory_profiler.cc",
    ),
    (
        "[CannMemoryProfiler][RecordMemory] Record memory info: ",
        "addr: 20616094744576, size: -65536, total allocate size: 0, total reserve size: 65536time stamp: 17",
        "device_memory_recorder.cc",
    ),
)

V1: _Words = (
    ("MemoryAllocator::", "MallocMemory device_id = 0, size= 512.", "graph_mem_allocator.cc"),
    ("Create Allocator memory type[", "2] success.", "mem_manager.cc"),
    ("Get allocator failed, memory type is ", "129.", "mem_manager.cc"),
    ("Create default NpuMemoryAllocator, device_id: ", "0.", "npu_memory_allocator.cc"),
    ("Clear stream: ", "0xfff400006160 in NpuMemoryAllocator", "npu_memory_allocator.cc"),
    ("NpuMemoryAllocators start finalize.", "", "npu_memory_allocator.cc"),
    ("Free blocks.", "", "caching_allocator.cc"),
    ("Free cached blocks", "", "caching_allocator.cc"),
    ("Free block bins.", "", "caching_allocator.cc"),
    ("Called counts[malloc:", "          0 free:          0].", "caching_allocator.cc"),
    ("Free all memory", "", "session_scope_mem_allocator.cc"),
    ("Free session:", "0 memory, device id:0.", "session_scope_mem_allocator.cc"),
    ("Invalid session_id", "", "session_scope_mem_allocator.cc"),
)


def _rows(event: type[Event], words: _Words, dialects: str, *, spoken: bool = False) -> tuple[Row, ...]:
    return tuple(
        row(
            event,
            f"{what}{{text:{_NARROW.get(what, 'text')}}}",
            f"{what}{rest}",
            dialects=dialects,
            scope=GE,
            place=(file, 1, "Print"),
            fixed={"what": what},
            spoken=spoken,
        )
        for what, rest, file in words
    )


ROWS: tuple[Row, ...] = (
    *_rows(p.SpanEvent, SPANS, RT2_2026, spoken=True),
    *_rows(p.MemoryPressure, PRESSURE, RT2_2026),
    *_rows(p.MemoryPressure, PRESSURE_SPOKEN, RT2_2026, spoken=True),
    *_rows(p.AllocatorMade, MADE, RT2_2026),
    *_rows(p.ExpandableMemory, ACTIVE, RT2_2026),
    *_rows(p.MemoryProfile, PROFILER, RT2_2026),
    *_rows(p.OlderAllocator, V1, f"{RT2_2023} {RT2_2026}"),
    row(
        p.MemoryPressure,
        "stream {text:lazy} 's L2 allocator failed to apply for memory. We will try to free memory from memory pool, "
        "the above error log can be ignored. Try to free cached memory...",
        "stream 0xaaab10b5a4c0 's L2 allocator failed to apply for memory. We will try to free memory from memory "
        "pool, the above error log can be ignored. Try to free cached memory...",
        scope=GE,
        place=("l2_mem_pool.cc", 116, "Malloc"),
        fixed={"what": "L2 allocator failed"},
    ),
    row(
        p.AllocatorLimits,
        "device total max size: {total:u}, page_mem_size_total_threshold: {threshold:u}, "
        "uncacheable_size_threshold: {uncacheable:u}",
        "device total max size: 68719476736, page_mem_size_total_threshold: 65283502899, "
        "uncacheable_size_threshold: 34359738368",
        scope=GE,
        place=("scalable_config.cc", 60, "ScalableConfig"),
    ),
)
