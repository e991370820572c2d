"""Rows that only a release of 2023 prints: memory below the kernels (spec/kerneltrace.md 6.1)."""

from getrace.events import pools as p
from getrace.plog.row import GE, RT2_2023, Row, row

_SCALABLE = "scalable_allocator.cc"

ROWS: tuple[Row, ...] = (
    row(
        p.DeviceAlloc,
        "DeviceAllocator::Alloc device_id:{device:u}, size:{size:u}, addr:{addr:p}",
        "DeviceAllocator::Alloc device_id:0, size:65536, addr:0x124080024000",
        dialects=RT2_2023,
        scope=GE,
        place=("device_allocator.cc", 29, "Alloc"),
    ),
    row(
        p.DriverFree,
        "RtMemAllocator::free device_id:{device:u} ,size:{size:u}, addr:{addr:p}",
        "RtMemAllocator::free device_id:0 ,size:65536, addr:0x124080034000",
        dialects=RT2_2023,
        scope=GE,
        place=("device_allocator.cc", 67, "Free"),
    ),
    row(
        p.DeviceFree,
        "DeviceAllocator::free device_id:{device:u} ,size:{size:u}, addr:{addr:p}",
        "DeviceAllocator::free device_id:0 ,size:65536, addr:0x124080034000",
        dialects=RT2_2023,
        scope=GE,
        place=("device_allocator.cc", 38, "Free"),
    ),
    row(
        p.SpanAlloc,
        "Malloc block device_id:{device:u} size:{asked:u} allocate_size:{size:u} mem_addr:{addr:p}.",
        "Malloc block device_id:0 size:64 allocate_size:65536 mem_addr:0x124080054000.",
        dialects=RT2_2023,
        scope=GE,
        place=(_SCALABLE, 216, "Alloc"),
        spoken=True,
    ),
    row(
        p.SpanFree,
        "Free block device_id:{device:u} allock_size:{size:u} mem_addr:{addr:p}.",
        "Free block device_id:0 allock_size:65536 mem_addr:0x124080054000.",
        dialects=RT2_2023,
        scope=GE,
        place=(_SCALABLE, 268, "Free"),
        spoken=True,
    ),
    row(
        p.DeviceMemoryStats,
        "Device memory   : [alloc count:{allocs:u} free count:{frees:u} total size:{total:human}]",
        "Device memory   : [alloc count:4 free count:0 total size:262144]",
        dialects=RT2_2023,
        scope=GE,
        place=(_SCALABLE, 381, "PrintDetails"),
        spoken=True,
    ),
    row(
        p.AllocatorLimits,
        "device total max size: {total:u}, page_mem_size_total_thresold: {threshold:u}, "
        "uncacheable_size_threshold: {uncacheable:u}",
        "device total max size: 34359738368, page_mem_size_total_thresold: 32212254720, "
        "uncacheable_size_threshold: 17179869184",
        dialects=RT2_2023,
        scope=GE,
        place=("scalable_config.cc", 51, "ScalableConfig"),
    ),
)
