"""Rows of memory lines beside RT2: expandable memory, the memory profiler, runtime v1 (spec/kerneltrace.md 6, 6.1)."""

from getrace.events import pools as p
from getrace.plog.row import RT2_2023, RT2_2026, Row
from getrace.plog.rows.worded import Words, worded

ACTIVE: Words = (
    (
        "Create PhysicalMemoryAllocator success device id:",
        "0, memory_type: 2, page_size: 8388608.",
        ("active_memory_allocator.cc", 1326, "CreateAllocator"),
    ),
    (
        "Reuse PhysicalMemoryAllocator success device id:",
        "0, memory_type: 2, page_size: 8388608.",
        ("active_memory_allocator.cc", 1316, "CreateAllocator"),
    ),
    (
        "Current ref_count:",
        "0.",
        ("active_memory_allocator.cc", 1039, "Initialize"),
    ),
    (
        "Current physical_memory_size:",
        ("0 theory_size:0 page_size:8388608 reach theory rate:0.00% recycle:1 new_va_count:1 recycle_count:0"),
        ("active_memory_allocator.cc", 681, "RecyclePhysicalMemory"),
    ),
    (
        "virtual_active_addr_base:",
        "0x12c041200000 virtual_memory_size:125829120 device_id:0.",
        ("active_memory_allocator.cc", 448, "ReserveVirtualMemory"),
    ),
    (
        "virtual_memory_addr:",
        "0x12c041200000 virtual_memory_size:65536 success, total physical_memory_size:8388608.",
        ("active_memory_allocator.cc", 801, "MallocPhysicalMemory"),
    ),
    (
        "index_begin:",
        "0 index_end:14 begin_remain_size:0 end_remain_size:0 ref_count:0",
        ("active_memory_allocator.cc", 513, "GetIndex"),
    ),
    (
        "Unmap and free addr:",
        ("0x12c041200000 size:8388608 success, total physical_memory_size:0 index:14 physical_map_count:0."),
        ("active_memory_allocator.cc", 987, "ReleasePhysicalMemoryByIndex"),
    ),
    (
        "[fixed_base_expandable_memory] ",
        "malloc, block: 0xaaab10c0e010, addr: 0x12c041200000, size: 4194304",
        ("active_memory_allocator.cc", 318, "MallocMemory"),
    ),
    (
        "[Auto malloc var and constant op memory] ",
        (
            "Total[virtual_memory_addr:0x12c041200000 virtual_memory_size:65536, "
            "used_memory_size:512], current[memory_addr:0x12c041200000 memory_size:512 incremental:1]"
        ),
        ("active_memory_allocator.cc", 318, "MallocMemory"),
    ),
    (
        "[test] ",
        (
            "Total[virtual_memory_addr:0x12c041200000 virtual_memory_size:65536, "
            "used_memory_size:512], current[memory_addr:0x12c041200000 memory_size:512 incremental:1]"
        ),
        ("active_memory_allocator.cc", 318, "MallocMemory"),
    ),
    (
        "ActiveMemoryAllocator::",
        "FreeMemory used_count = 0 device_id = 0 memory_type = 2",
        ("active_memory_allocator.cc", 127, "MallocMemory"),
    ),
    (
        "rtMallocPhysical success pa_index:",
        "0, current physical memory size:8388608 reuse:1, memory_type:2, pg_type:2M.",
        ("active_memory_allocator.cc", 1137, "ge::PhysicalMemoryAllocator::MallocPhysicalPage"),
    ),
    (
        "aclrtMapMem success pa_index:",
        "0 addr:0x12c041200000.",
        ("active_memory_allocator.cc", 1254, "ge::PhysicalMemoryAllocator::MapMem"),
    ),
    (
        "pa_index:",
        "0 addr:0x12c041200000 will be delay unmapped.",
        ("active_memory_allocator.cc", 1265, "ge::PhysicalMemoryAllocator::UnmapMem"),
    ),
    (
        "put to pool success pa_index:",
        "0.",
        ("active_memory_allocator.cc", 1193, "ge::PhysicalMemoryAllocator::FreePhysical"),
    ),
    (
        "aclrtUnmapMem pa_index:",
        "0 addr:0x12c041200000.",
        ("active_memory_allocator.cc", 1288, "ge::PhysicalMemoryAllocator::ReleaseMemAddress"),
    ),
    (
        "aclrtReserveMemAddress success va:",
        "0x12c041200000 size:16777216, device:0, memory_type:2.",
        ("active_memory_allocator.cc", 1271, "ge::PhysicalMemoryAllocator::ReserveMemAddress"),
    ),
    (
        "aclrtReleaseMemAddress success va:",
        "0x12c041200000 size:125829120, device:0, memory_type:2.",
        ("active_memory_allocator.cc", 1296, "ge::PhysicalMemoryAllocator::ReleaseMemAddress"),
    ),
    (
        "aclrtFreePhysical success pa_index:",
        "0, current physical memory size:0, pg_type:2M",
        ("active_memory_allocator.cc", 1094, "ge::PhysicalMemoryAllocator::FreePhysicalPage"),
    ),
    (
        "create session allocator, typeid: ",
        "N2ge1AE, session_id: 1, device_id: 0, memory_type: 2, page_size: 8388608",
        ("active_memory_allocator.cc", 0, "Log"),
    ),
    (
        "get session allocator, typeid: ",
        "N2ge1AE, session_id: 1, device_id: 0, memory_type: 2, page_size: 8388608",
        ("active_memory_allocator.cc", 0, "Log"),
    ),
)

PROFILER: Words = (
    (
        "[Cann Profiling] Init for cann memory profiling for subgraph[",
        "1].",
        ("cann_memory_profiler.cc", 0, "Log"),
    ),
    (
        "[CannMemoryProfiler][DoProf] Report memory info: ",
        (
            "node_id: 1, addr: 20616094744576, size: 65536, total allocate size: 65536, total "
            "reserve size: 65536, time stamp: 17"
        ),
        ("cann_memory_profiler.cc", 0, "Log"),
    ),
    (
        "[CannMemoryProfiler][RecordMemory] Record memory info: ",
        ("addr: 20616094744576, size: -65536, total allocate size: 0, total reserve size: 65536time stamp: 17"),
        ("device_memory_recorder.cc", 0, "Log"),
    ),
)

V1: Words = (
    (
        "MemoryAllocator::",
        "MallocMemory device_id = 0, size= 512.",
        ("graph_mem_allocator.cc", 0, "Log"),
    ),
    (
        "Create Allocator memory type[",
        "2] success.",
        ("mem_manager.cc", 0, "Log"),
    ),
    (
        "Get allocator failed, memory type is ",
        "129.",
        ("mem_manager.cc", 0, "Log"),
    ),
    (
        "Create default NpuMemoryAllocator, device_id: ",
        "0.",
        ("npu_memory_allocator.cc", 0, "Log"),
    ),
    (
        "Clear stream: ",
        "0xfff400006160 in NpuMemoryAllocator",
        ("npu_memory_allocator.cc", 0, "Log"),
    ),
    (
        "NpuMemoryAllocators start finalize.",
        "",
        ("npu_memory_allocator.cc", 0, "Log"),
    ),
    (
        "Free blocks.",
        "",
        ("caching_allocator.cc", 0, "Log"),
    ),
    (
        "Free cached blocks",
        "",
        ("caching_allocator.cc", 0, "Log"),
    ),
    (
        "Free block bins.",
        "",
        ("caching_allocator.cc", 0, "Log"),
    ),
    (
        "Called counts[malloc:",
        "          0 free:          0].",
        ("caching_allocator.cc", 0, "Log"),
    ),
    (
        "Free all memory",
        "",
        ("session_scope_mem_allocator.cc", 0, "Log"),
    ),
    (
        "Free session:",
        "0 memory, device id:0.",
        ("session_scope_mem_allocator.cc", 0, "Log"),
    ),
    (
        "Invalid session_id",
        "",
        ("session_scope_mem_allocator.cc", 0, "Log"),
    ),
)

ROWS: tuple[Row, ...] = (
    *worded(p.ExpandableMemory, ACTIVE, RT2_2026),
    *worded(p.MemoryProfile, PROFILER, RT2_2026),
    *worded(p.OlderAllocator, V1, f"{RT2_2023} {RT2_2026}"),
)
