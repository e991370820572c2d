"""Rows of memory below the kernels, 2026: pools, caching and scalable allocators (spec/kerneltrace.md 6)."""

from getrace.events import Event
from getrace.events import pools as p
from getrace.plog.codes import INTERNAL_ERROR
from getrace.plog.row import GE, RT2_2023, RT2_2026, Row, row

_BOTH = f"{RT2_2023} {RT2_2026}"
_POOL = "l2_mem_pool.cc"
_SCALABLE = "scalable_allocator.cc"
_DEVICE = "device_allocator.cc"
_CACHING = "caching_mem_allocator.cc"

POOLS: tuple[Row, ...] = (
    row(
        p.PoolExpand,
        "[MEM]Expand memory pool at stream {handle:p}, address {addr:p}, size {size:u}, block {block:p}. "
        "allocator addr {l1:p}",
        "[MEM]Expand memory pool at stream 0xaaab10b5a4c0, address 0x12c041200000, size 65536, "
        "block 0xaaab10c0e010. allocator addr 0xaaab10b90000",
        scope=GE,
        place=(_POOL, 120, "Alloc"),
    ),
    row(
        p.PoolShrink,
        "[MEM]Shrink memory pool at stream {handle:p}, address {addr:p}, block {block:p}",
        "[MEM]Shrink memory pool at stream (nil), address 0x12c041200000, block 0xaaab10c0e010",
        scope=GE,
        place=(_POOL, 126, "Free"),
    ),
    row(
        p.AllocRequest,
        "Malloc size:{asked:u}.",
        "Malloc size:8224.",
        dialects=_BOTH,
        scope=GE,
        place=(_CACHING, 68, "Malloc"),
    ),
    row(
        p.AllocRequest,
        "Malloc size:{asked:u}.",
        "Malloc size:8224.",
        scope=GE,
        place=("ffts_mem_allocator.cc", 40, "Malloc"),
        spoken=True,
    ),
    row(
        p.Level1Malloc,
        "Malloc from level_1 allocator addr:{addr:p} size:{size:u}.",
        "Malloc from level_1 allocator addr:0x12c041200000 size:2097152.",
        "Malloc from level_1 allocator addr:(nil) size:65536.",
        scope=GE,
        place=("rts_caching_mem_allocator.h", 36, "Alloc"),
    ),
    row(
        p.Level1Free,
        "Free to level_1 allocator dddr:{addr:p} size:{size:u}.",
        "Free to level_1 allocator dddr:0x12c041200000 size:65536.",
        scope=GE,
        place=("rts_caching_mem_allocator.h", 42, "Free"),
    ),
)

DEVICE: tuple[Row, ...] = (
    row(
        p.DriverMalloc,
        "MallocMemory, func={func:name}, size={size:u}, purpose={purpose:label}"
        "<?, ptr={addr:p}?><?, device_id={device:i}, module_id={module:i}?>",
        "MallocMemory, func=aclrtMalloc, size=2097152, purpose=page caching, ptr=0x12c041200000, device_id=0, "
        "module_id=45",
        "MallocMemory, func=rtMalloc, size=65536, purpose=rt2 memory pool",
        dialects=_BOTH,
        scope=GE,
        place=(_DEVICE, 62, "Alloc"),
    ),
    row(
        p.DeviceAlloc,
        "DeviceAllocator::Alloc device_id:{device:u}, size:{size:u}, block_addr:{block:p}",
        "DeviceAllocator::Alloc device_id:0, size:2097152, block_addr:0xaaab10c0e010",
        scope=GE,
        place=(_DEVICE, 26, "Alloc"),
    ),
    row(
        p.DeviceAllocFailed,
        "DeviceAllocator::Alloc failed device_id:{device:u}, size:{size:u}",
        "DeviceAllocator::Alloc failed device_id:0, size:16106127360",
        scope=GE,
        place=(_DEVICE, 30, "Alloc"),
    ),
    row(
        p.DeviceFree,
        "DeviceAllocator::free device_id:{device:u} ,size:{size:u}, block_addr:{block:p}",
        "DeviceAllocator::free device_id:0 ,size:65536, block_addr:0xaaab10c0e010",
        scope=GE,
        place=(_DEVICE, 43, "Free"),
    ),
    row(
        p.DriverFree,
        "RtMemAllocator::free device_id:{device:u} ,size:{size:u}, mem_addr:{addr:p}",
        "RtMemAllocator::free device_id:0 ,size:2097152, mem_addr:0x12c041200000",
        scope=GE,
        place=(_DEVICE, 78, "Free"),
    ),
    row(
        p.DriverMallocFailed,
        "[Malloc][Memory] failed, rt_ret:{ret:i}, device_id:{device:u}, size:{size:u}",
        "[Malloc][Memory] failed, rt_ret:-1, device_id:0, size:16106127360",
        scope=GE,
        place=(_DEVICE, 72, "Alloc"),
        code=INTERNAL_ERROR,
    ),
    row(
        p.DriverFreeFailed,
        "[Call][RtFree] failed, rt_ret:{ret:i}, device_id:{device:u}, addr:{addr:p}, size:{size:u}",
        "[Call][RtFree] failed, rt_ret:107001, device_id:0, addr:0x12c041200000, size:65536",
        scope=GE,
        place=(_DEVICE, 86, "Free"),
    ),
)

SPANS: tuple[Row, ...] = (
    row(
        p.SpanTry,
        "try_count:{tries:u} size:{asked:u} block_size:{size:u}",
        "try_count:1 size:8224 block_size:65536",
        scope=GE,
        place=(_SCALABLE, 438, "AllocImp"),
        spoken=True,
    ),
    row(
        p.SpanAlloc,
        "Malloc block device_id:{device:u} size:{asked:u} allocate_size:{size:u} mem_addr:{addr:p}. "
        "span addr {block:p}",
        "Malloc block device_id:0 size:8224 allocate_size:65536 mem_addr:0x12c041200000. span addr 0xaaab10c0e010",
        scope=GE,
        place=(_SCALABLE, 511, "Alloc"),
        spoken=True,
    ),
    row(
        p.SpanFree,
        "Free block device_id:{device:u} theory_size_:{theory:u} theory_min_size_:{theory_min:u} "
        "allock_size:{size:u} mem_addr:{addr:p}.",
        "Free block device_id:0 theory_size_:65536 theory_min_size_:131072 allock_size:65536 mem_addr:0x12c041200000.",
        scope=GE,
        place=(_SCALABLE, 569, "Free"),
        spoken=True,
    ),
    row(
        p.ThresholdExceeded,
        "OccupiedSize:{occupied:u} add size:{asked:u} exceed total_threshold:{threshold:u}.",
        "OccupiedSize:116195328 add size:14483456 exceed total_threshold:127506841.",
        scope=GE,
        place=(_SCALABLE, 246, "FetchNewSpan"),
        spoken=True,
    ),
    row(
        p.PoolRecycled,
        "Total count:{count:u} new_va count:{new_va:u}",
        "Total count:1 new_va count:0",
        scope=GE,
        place=(_SCALABLE, 662, "Recycle"),
        spoken=True,
    ),
    row(
        p.DeviceMemoryStats,
        "Device memory   : [alloc count:{allocs:u} free count:{frees:u} total size:{total:human} "
        "new_va_size:{new_va:human} real_theory_min:{real_theory:human} theory_min:{theory:human} "
        "reach theory rate:{rate:rate}%]",
        "Device memory   : [alloc count:1 free count:0 total size:65536(64.00K) new_va_size:0 real_theory_min:288 "
        "theory_min:65536(64.00K) reach theory rate:0.44%]",
        scope=GE,
        place=(_SCALABLE, 737, "PrintDetails"),
        spoken=True,
    ),
    row(
        p.AllocatorStats,
        "Allocator memory: [alloc count:{allocs:u} free count:{frees:u} recycle count:{recycles:u}]",
        "Allocator memory: [alloc count:4 free count:0 recycle count:0]",
        dialects=_BOTH,
        scope=GE,
        place=(_SCALABLE, 745, "PrintDetails"),
        spoken=True,
    ),
)


# Statistics lines: (event, template, sample, line, line in the expandable mode). ``@`` stands for "" or, in that mode,
# for "new_va_".
_STATISTICS: tuple[tuple[type[Event], str, str, int, int], ...] = (
    (
        p.UsingStats,
        "Using: [@span count:{spans:u} page count:{pages:u} total size:{size:u}]",
        "Using: [@span count:4 page count:4 total size:262144]",
        757,
        803,
    ),
    (
        p.SpanStats,
        "    |-@span: [size:{size:pad11} count:{count:pad5}]",
        "    |-@span: [size:65536       count:1    ]",
        760,
        806,
    ),
    (
        p.FreedLayers,
        "Freed @span layers: [level:{level:u}, count:{count:u}]",
        "Freed @span layers: [level:1946, count:0]",
        767,
        821,
    ),
    (
        p.FreedStats,
        "Freed: [@span count:{spans:u} page count:{pages:u} total size:{size:u}]",
        "Freed: [@span count:0 page count:0 total size:0]",
        776,
        822,
    ),
    (
        p.LayerStats,
        "    |-@layer: [id:{layer:pad5} capacity:{capacity:pad5} size:{size:pad11} count:{count:pad5}]",
        "    |-@layer: [id:31    capacity:62    size:2031616     count:1    ]",
        780,
        827,
    ),
)


def _stats(new_va: bool, dialects: str) -> tuple[Row, ...]:
    prefix, func = ("new_va_", "PrintDetailsNewVa") if new_va else ("", "PrintDetails")
    return tuple(
        row(
            event,
            template.replace("@", prefix),
            sample.replace("@", prefix),
            dialects=dialects,
            scope=GE,
            place=(_SCALABLE, new_va_line if new_va else line, func),
            fixed={"new_va": new_va},
            spoken=True,
        )
        for event, template, sample, line, new_va_line in _STATISTICS
    )


STATS: tuple[Row, ...] = (*_stats(new_va=False, dialects=_BOTH), *_stats(new_va=True, dialects=RT2_2026))

ROWS: tuple[Row, ...] = (*POOLS, *DEVICE, *SPANS, *STATS)
