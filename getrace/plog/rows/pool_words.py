"""Rows of the rarer lines of pools and allocators, 2026 (spec/kerneltrace.md 6)."""

from getrace.events import pools as p
from getrace.plog.codes import INTERNAL_ERROR, MEMALLOC_FAILED, RT_FAILED
from getrace.plog.row import GE, RT2_2026, Row, row
from getrace.plog.rows.worded import NAMED, Words, worded

SPANS: Words = (
    (
        "block device_id:",
        "0 size:65536 alloca_size:65536 mem_addr:0x12c041200000",
        ("scalable_allocator.cc", 239, "FetchNewVaSpan"),
    ),
    (
        "Free using block device_id:",
        "0 size:65536 alloc_size:65536 mem_addr:0x12c041200000.",
        ("scalable_allocator.cc", 486, "Alloc"),
    ),
    (
        "Free ref span device_id:",
        "0 allocate_size:65536 mem_addr:0x12c041200000.",
        ("scalable_allocator.cc", 584, "Free"),
    ),
    (
        "reuse new_va_span try_count:",
        "1 size:65536 span_size:65536 mem_addr_:0x12c041200000",
        ("scalable_allocator.cc", 209, "FetchNewVaSpan"),
    ),
    (
        "Delay split block device_id:",
        "0 size:21474836480 allocate_size:65536.",
        ("scalable_allocator.cc", 311, "FetchSplitedSpan"),
    ),
    (
        "free span size:",
        "2097152 real_size:2097152 left_size:65536 next_size:65536",
        ("scalable_allocator.cc", 364, "ProcessNewVaSpan"),
    ),
    (
        "using span size:",
        "65536 real_size:65536 alloc_size:65536",
        ("scalable_allocator.cc", 381, "ProcessNewVaSpan"),
    ),
    (
        "base_addr:",
        "0x12c041200000 size:0",
        ("scalable_allocator.cc", 850, "InitExpandableAllocator"),
    ),
    (
        "Block alloc from level_1 allocator addr:",
        "0x12c041200000 size:64 allocate_size:512 window_size:4.",
        ("ffts_mem_allocator.cc", 0, "Log"),
    ),
    (
        "FftsMemBlock mem_addr:",
        "0x12c041200000 block_size:512 window_size:4.",
        ("ffts_mem_allocator.cc", 0, "Log"),
    ),
)

PRESSURE: Words = (
    (
        "malloc memory not success, try to free l2 mem pool and malloc again",
        "",
        ("l2_mem_pool.cc", 103, "Alloc"),
    ),
    (
        "malloc memory not success, try to use borrow block",
        "",
        ("multi_stream_l2_allocator.cc", 57, "Malloc"),
    ),
    (
        "addr is nullptr, try to free other allocator memory and malloc again",
        "",
        ("caching_mem_allocator.cc", 49, "AllocateWithTryRecycle"),
    ),
    (
        "will synchronize on stream ",
        "0xaaab10b5a4c0",
        ("caching_mem_allocator.cc", 44, "AllocateWithTryRecycle"),
    ),
    (
        "l2 block ",
        (
            "0xaaab10c0e010 addr 0x12c041200000 is split, it has been moved to L1 block "
            "0xaaab10c0e110 addr 0x12c041210000"
        ),
        ("l2_mem_pool.cc", 93, "MoveL2ToL1"),
    ),
    (
        "Failed to expand memory for l2 allocator, stream ",
        "0xaaab10b5a4c0, size 65536, is enable rt2 multi thread: 0",
        ("l2_mem_pool.cc", 116, "Alloc"),
    ),
    (
        "Failed to birth recycle block ",
        "0xaaab10c0e010, the block maybe already recycled",
        ("multi_stream_l2_allocator.cc", 106, "BirthRecycle"),
    ),
    (
        "The block ",
        (
            "0xaaab10c0e010 address 0x12c041200000 does not recycled when l2 allocator destructing, "
            "will be recycled force"
        ),
        ("multi_stream_l2_allocator.cc", 155, "~MultiStreamL2Allocator"),
    ),
    (
        "Failed to malloc memory by external allocator, size: ",
        "65536",
        ("external_allocator.cc", 0, "Log"),
    ),
    (
        "[SpanLayer]: releasing split span ",
        "[addr : 0x12c041200000, len : 16]",
        ("span_layer.cc", 46, "Release"),
    ),
    (
        "[Get][aclrtGetDevice] Failed, ",
        "result:507000.",
        ("caching_mem_allocator.cc", 129, "GetAllocator"),
    ),
)

PRESSURE_NAMED: Words = (
    (
        (
            "Failed to apply for memory. We will try to free memory from memory pool, the above or "
            "this error log can be ignored. Try to free cached memory..."
        ),
        "",
        ("caching_mem_allocator.cc", 39, "AllocateWithTryRecycle"),
    ),
    (
        (
            "Failed to apply for memory. We will try to free memory from memory pool, the above "
            "warning log can be ignored. Try to free cached memory..."
        ),
        "",
        ("rts_caching_mem_allocator.cc", 86, "AllocateWithTryRecycle"),
    ),
    (
        "[ScalableAllocator]: memory leaks, occupied spans = ",
        "1",
        ("scalable_allocator.cc", 61, "Finalize"),
    ),
    (
        "[ScalableAllocator]: size:",
        "1099511627776 > mem_size_total_threshold:127506841",
        ("scalable_allocator.cc", 465, "Alloc"),
    ),
)

MADE: Words = (
    (
        "create l2 allocator:",
        "[allocator_4]",
        ("l2_mem_pool.cc", 24, "L2MemPool"),
    ),
    (
        "set l1 allocator ",
        "[allocator_9] for l2 allocator [allocator_8]",
        ("l2_mem_pool.h", 66, "SetL1Allocator"),
    ),
    (
        "stream id ",
        "0's l2 allocator will recycle free memory, stream addr 0xaaab10b5a4c0",
        ("multi_stream_l2_allocator.cc", 177, "RecycleFreeMem"),
    ),
    (
        "create caching memory allocator, ",
        "[allocator_2]",
        ("caching_mem_allocator.cc", 94, "CachingMemAllocator"),
    ),
    (
        "Get RtsCachingMemAllocator device id:",
        "0 memory type:2.",
        ("rts_caching_mem_allocator.cc", 118, "GetAllocator"),
    ),
    (
        "Create RtsCachingMemAllocator device id:",
        "0 memory type:2.",
        ("rts_caching_mem_allocator.cc", 125, "GetAllocator"),
    ),
    (
        "RtsAllocatorManager Initialize.",
        "",
        ("rts_caching_mem_allocator.cc", 133, "Initialize"),
    ),
    (
        "RtsAllocatorManager Finalize.",
        "",
        ("rts_caching_mem_allocator.cc", 138, "Finalize"),
    ),
    (
        "RtsAllocatorManager ReleaseResource device id:",
        "0.",
        ("rts_caching_mem_allocator.cc", 152, "ReleaseResource"),
    ),
    (
        "option[",
        "ge.experiment.memory_pool_threshold] value[8]",
        ("scalable_config.cc", 54, "ScalableConfig"),
    ),
    (
        "page_mem_size_total_threshold is set to ",
        "8589934592, as option[ge.experiment.memory_pool_threshold]=8(GB)",
        ("scalable_config.cc", 66, "ScalableConfig"),
    ),
    (
        "model_metrics:name=",
        "graph_1, max_alloc_dev_mem=65536 B, device_id=0",
        ("scalable_allocator.cc", 0, "Log"),
    ),
    (
        "appointed weight info is invalid, ",
        "given_size[16], required_size[32], need to alloc inner.",
        ("sink_weight_assigner.cc", 88, "GetOrCreateWeightMem"),
    ),
    (
        "Malloc memory by external allocator success, ",
        "block:0xaaab10c0e010, size: 65536",
        ("external_allocator.cc", 0, "Log"),
    ),
    (
        "start to recycle memory. graph ",
        "graph_1, stream: 0xaaab10b5a4c0",
        ("hybrid_model_rt_v2_executor.cc", 0, "Log"),
    ),
    (
        "recycle outputs. graph ",
        "graph_1, stream: 0xaaab10b5a4c0",
        ("hybrid_model_rt_v2_executor.cc", 0, "Log"),
    ),
    (
        "caching memory allocator recycle. graph ",
        "graph_1, stream: 0xaaab10b5a4c0",
        ("hybrid_model_rt_v2_executor.cc", 0, "Log"),
    ),
    (
        "Clear model output holder with block ",
        "0xaaab10c0e010",
        ("hybrid_model_rt_v2_executor.cc", 0, "Log"),
    ),
)

_OUT_OF_MEMORY = PRESSURE_NAMED[0][0]
_CODES = {
    "[SpanLayer]: releasing split span ": INTERNAL_ERROR,
    "[Get][aclrtGetDevice] Failed, ": RT_FAILED,
    _OUT_OF_MEMORY: MEMALLOC_FAILED,
}

ROWS: tuple[Row, ...] = (
    *worded(p.SpanEvent, SPANS, RT2_2026, spoken=True),
    *worded(p.MemoryPressure, PRESSURE, RT2_2026, codes=_CODES),
    *worded(p.MemoryPressure, PRESSURE_NAMED, RT2_2026, speaker=NAMED, codes=_CODES),
    *worded(p.AllocatorMade, MADE, RT2_2026),
    row(
        p.MemoryPressure,
        "stream {text:lazy} 's L2 allocator failed to apply for memory. We will try to free memory from memory pool, "
        "the above error log can be ignored. Try to free cached memory...",
        "stream 0xaaab10b5a4c0 's L2 allocator failed to apply for memory. We will try to free memory from memory "
        "pool, the above error log can be ignored. Try to free cached memory...",
        scope=GE,
        place=("l2_mem_pool.cc", 36, "Malloc"),
        code=MEMALLOC_FAILED,
        fixed={"what": "L2 allocator failed"},
    ),
    row(
        p.AllocatorLimits,
        "device total max size: {total:u}, page_mem_size_total_threshold: {threshold:u}, "
        "uncacheable_size_threshold: {uncacheable:u}",
        "device total max size: 68719476736, page_mem_size_total_threshold: 65283502899, "
        "uncacheable_size_threshold: 34359738368",
        scope=GE,
        place=("scalable_config.cc", 75, "ScalableConfig"),
    ),
)
