"""Rows of allocators as kernels create and select them (spec/kerneltrace.md 3.1)."""

from getrace.events import allocators as a
from getrace.plog.row import Row, row

_KERNEL = "memory_kernel.cc"

ROWS: tuple[Row, ...] = (
    row(
        a.L1Created,
        "[MEM]create l1 allocators, placement: {placement:name}",
        "[MEM]create l1 allocators, placement: DeviceHbm",
        place=(_KERNEL, 58, "CreateL1Allocator"),
    ),
    row(
        a.L1Selected,
        "caching_mem_allocator: {l1:p}, stream: {handle:p}, placement: {placement:name}",
        "caching_mem_allocator: 0xaaab10b90000, stream: 0xaaab10b5a4c0, placement: DeviceHbm",
        place=(_KERNEL, 78, "SelectL1Allocator"),
        fixed={"origin": "caching_mem_allocator"},
    ),
    row(
        a.L1Selected,
        "created_allocator: {l1:p}, stream: {handle:p}, placement: {placement:name}",
        "created_allocator: 0xaaab10b90000, stream: (nil), placement: DeviceHbm",
        place=(_KERNEL, 91, "SelectL1Allocator"),
        fixed={"origin": "created_allocator"},
    ),
    row(
        a.InitL2Created,
        "[MEM]create init l2 allocator, stream_num: {streams:u}, placement: {placement:name}",
        "[MEM]create init l2 allocator, stream_num: 1, placement: DeviceHbm",
        place=(_KERNEL, 132, "CreateInitL2Allocator"),
    ),
    row(
        a.InitL2Bound,
        "l1 allocator's placement is Device, InitL2Allocator {l2:p} set l1 allocator {l1:p}",
        "l1 allocator's placement is Device, InitL2Allocator 0xaaab10b9b000 set l1 allocator 0xaaab10b90000",
        place=(_KERNEL, 187, "BindingL1Allocator"),
        fixed={"placement": "Device"},
    ),
    row(
        a.InitL2Bound,
        "l1 allocator's placement is Host, InitL2Allocator {l2:p} set l1 allocator {l1:p}",
        "l1 allocator's placement is Host, InitL2Allocator 0xaaab10b9b000 set l1 allocator 0xaaab10b90000",
        place=(_KERNEL, 298, "BindingHostL1Allocator"),
        fixed={"placement": "Host"},
    ),
    row(
        a.L2Counted,
        "Create l2 allocators, num {streams:u}",
        "Create l2 allocators, num 1",
        place=(_KERNEL, 233, "CreateL2Allocators"),
    ),
    row(
        a.L2Created,
        "[MEM]create l2 allocators, stream_num: {streams:u}, placement: {placement:name}",
        "[MEM]create l2 allocators, stream_num: 2, placement: DeviceHbm",
        place=(_KERNEL, 265, "CreateL2Allocators"),
    ),
    row(
        a.L2Selected,
        "[MEM]select l2 allocator, stream: {handle:p}, placement: {placement:name}",
        "[MEM]select l2 allocator, stream: 0xaaab10b5a4c0, placement: DeviceHbm",
        place=(_KERNEL, 335, "SelectL2Allocator"),
    ),
    row(
        a.L2Selected,
        "[MEM]select l2 allocator, placement: {placement:name}",
        "[MEM]select l2 allocator, placement: DeviceHbm",
        place=(_KERNEL, 337, "SelectL2Allocator"),
    ),
    row(
        a.ExternalFixedBase,
        "[MEM]get external allocator, skip create fixed base expandable allocator, stream: {handle:p}",
        "[MEM]get external allocator, skip create fixed base expandable allocator, stream: 0xaaab10b5a4c0",
        place=(_KERNEL, 820, "GetUserAllocatorOrFixedBaseAllocator"),
    ),
    row(
        a.FixedBase,
        "[MEM]ger or create fixed base expandable allocator, device_id: {device:i}, session_id: {session:u}, "
        "placement: {placement:name}",
        "[MEM]ger or create fixed base expandable allocator, device_id: 0, session_id: 3, placement: DeviceP2p",
        place=(_KERNEL, 838, "GetUserAllocatorOrFixedBaseAllocator"),
    ),
)
