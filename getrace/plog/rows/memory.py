"""Rows of memory: blocks of kernels, recycling, copies, outputs (spec/kerneltrace.md 3.1 to 3.3, 3.9)."""

from getrace.events import memory as m
from getrace.plog.row import RT2_2023, Row, row

_KERNEL = "memory_kernel.cc"
_MULTI = "multi_stream_l2_allocator.cc"
_OUTPUTS = "model_outputs.cc"

ROWS: tuple[Row, ...] = (
    row(
        m.MemAlloc,
        "[MEM]Alloc memory at stream {stream:i}, block {block:p}, address {addr:p}, size {size:u}, "
        "tensor size {asked:u}, index {index:u}",
        "[MEM]Alloc memory at stream 0, block 0xaaab10c0f2d0, address 0x12c041200000, size 65536, "
        "tensor size 600, index 1",
        place=(_KERNEL, 385, "AllocHbmMem"),
    ),
    row(
        m.MemAlloc,
        "[MEM]Alloc memory block {block:p}, address {addr:p}, size = {size:u}",
        "[MEM]Alloc memory block 0xfff4000355a0, address 0x124080044000, size = 65536",
        dialects=RT2_2023,
        place=(_KERNEL, 174, "AllocHbmMem"),
    ),
    row(
        m.BatchAlloc,
        "[MEM]Alloc memory at stream {stream:i}, block {block:p}, address {addr:p}, size {size:u}, index {index:u}",
        "[MEM]Alloc memory at stream 1, block 0xaaab10c0f2d0, address 0x12c041210000, size 4096, index 0",
        place=(_KERNEL, 504, "AllocBatchHbm"),
    ),
    row(
        m.CopyAlloc,
        "[MEM]Alloc memory at stream {stream:i}, block {block:p}, address {addr:p}, size {size:u}",
        "[MEM]Alloc memory at stream 0, block 0xaaab10c0f2d0, address 0x12c041220000, size 65536",
        place=("memory_copy.cc", 191, "CopyTensorDataToD"),
    ),
    row(
        m.CopyAlloc,
        "[MEM]Alloc memory block {block:p}, address = {addr:p}, size = {size:u}",
        "[MEM]Alloc memory block 0xfff4000355a0, address = 0x124080024000, size = 65536",
        dialects=RT2_2023,
        place=("memory_copy.cc", 161, "CopyH2D"),
    ),
    row(
        m.OutputAlloc,
        "[MEM]Alloc memory at stream {stream:i}, block {block:p}, address {addr:p}, size {size:u}, as model out memory",
        "[MEM]Alloc memory at stream 0, block 0xaaab10c0f2d0, address 0x12c041230000, size 8224, as model out memory",
        place=(_OUTPUTS, 49, "AllocMemoryIfNeed"),
    ),
    row(
        m.OutputAlloc,
        "[MEM]Alloc memory block {block:p}, address = {addr:p}, size = {size:u}, as model out memory",
        "[MEM]Alloc memory block 0xfff400034820, address = 0x124080054000, size = 65536, as model out memory",
        dialects=RT2_2023,
        place=(_OUTPUTS, 53, "AllocMemoryIfNeed"),
    ),
    row(
        m.PlacedOutputAlloc,
        "[MEM]Alloc memory at stream {stream:i}, block {block:p}, address {addr:p}, size {size:u}, "
        "placement = {placement:name}, out memory placement = {out_placement:name}",
        "[MEM]Alloc memory at stream 0, block 0xaaab10c0f2d0, address 0x12c041240000, size 8224, "
        "placement = DeviceHbm, out memory placement = HostDDR",
        place=(_OUTPUTS, 58, "AllocMemoryIfNeed"),
    ),
    row(
        m.ConstAlloc,
        "[MEM]Alloc memory at stream {stream:i}, block {block:p}, address {addr:p}, size {size:u}, "
        "tensor size {asked:u}",
        "[MEM]Alloc memory at stream 0, block 0xaaab10c0f2d0, address 0x12c041250000, size 65536, tensor size 512",
        place=("file_constant_kernel.cc", 101, "AllocHbmMemForFileConstant"),
    ),
    row(
        m.SpecifiedAlloc,
        "[MEM]Alloc memory at stream 0, block {block:p}, address {addr:p}, size {size:u}, index {index:u}, "
        "tensor data address {tensor_addr:p}",
        "[MEM]Alloc memory at stream 0, block 0xaaab10c0f2d0, address 0x12c041260000, size 96, index 2, "
        "tensor data address 0xaaab10c0f400",
        place=("aicpu_sequence_kernel.cc", 120, "AllocSpecifiedMem"),
    ),
    row(
        m.FixedAlloc,
        "[MEM] alloc fixed_feature_memory, block: {block:p}, addr: {addr:p}, size {size:u}",
        "[MEM] alloc fixed_feature_memory, block: 0xaaab10c0f2d0, addr: 0x12c041270000, size 2048",
        place=(_KERNEL, 860, "AllocFixedFeatureMemory"),
    ),
    row(
        m.MemFree,
        "[MEM]Free memory at stream {stream:i}, address {addr:p}",
        "[MEM]Free memory at stream 0, address 0x12c041200000",
        "[MEM]Free memory at stream -1, address (nil)",
        place=(_KERNEL, 433, "FreeMemory"),
    ),
    row(
        m.MemFree,
        "[MEM]Free memory, address {addr:p}",
        "[MEM]Free memory, address 0x124080054000",
        dialects=RT2_2023,
        place=(_KERNEL, 207, "FreeMemory"),
    ),
    row(
        m.TensorFree,
        "[MEM]Free memory at stream {stream:i}, address {addr:p}, tensor {tensor:p}",
        "[MEM]Free memory at stream -1, address 0xaaab10c0f400, tensor 0xaaab10c0f300",
        place=(_KERNEL, 451, "FreeTensorMemory"),
    ),
    row(
        m.BatchFree,
        "[MEM]Free memory at stream {stream:i}, address {addr:p}, index {index:u}",
        "[MEM]Free memory at stream 0, address 0x12c041210000, index 0",
        "[MEM]Free memory at stream -1, address (nil), index 3",
        place=(_KERNEL, 592, "FreeBatchHbm"),
    ),
    row(
        m.SpecifiedFree,
        "[MEM]Free memory, index {index:u}, address {addr:p}",
        "[MEM]Free memory, index 2, address 0x12c041260000",
        place=("aicpu_sequence_kernel.cc", 160, "FreeSpecifiedMem"),
    ),
    row(
        m.FixedFree,
        "[MEM] free fixed_feature_memory, addr: {addr:p}",
        "[MEM] free fixed_feature_memory, addr: 0x12c041270000",
        place=(_KERNEL, 874, "FreeFixedFeatureMemory"),
    ),
    row(
        m.MemWander,
        "[MEM]Memory wandering from stream {stream:i} to {peer:i}, address {addr:p}",
        "[MEM]Memory wandering from stream 0 to 1, address 0x12c041200000",
        place=(_KERNEL, 776, "AccessMemCrossStream"),
    ),
    row(
        m.BirthRecycle,
        "[MEM]Recycle memory at stream {stream:i}, address {addr:p}",
        "[MEM]Recycle memory at stream 0, address 0x12c041200000",
        place=("single_stream_l2_allocator.cc", 71, "BirthRecycle"),
    ),
    row(
        m.BorrowRecycle,
        "[MEM]Borrow-recycle memory at stream {stream:i}, address {addr:p}, birth stream {peer:i}",
        "[MEM]Borrow-recycle memory at stream 1, address 0x12c041200000, birth stream 0",
        place=(_MULTI, 117, "BorrowRecycle"),
    ),
    row(
        m.LocalRecycle,
        "[MEM]Local-recycle memory at stream {stream:i}, address {addr:p}, birth stream {peer:i}",
        "[MEM]Local-recycle memory at stream 0, address 0x12c041200000, birth stream 0",
        place=(_MULTI, 128, "LocalRecycle"),
    ),
    row(
        m.StreamCopy,
        "[MEM]StreamCopy, src addr {source:p}, src tensor size {size:u}, src placement {source_placement:name}, "
        "dst addr {addr:p}, alloc device size {asked:u}, dst placement {placement:name}",
        "[MEM]StreamCopy, src addr 0xaaab10c0f400, src tensor size 8192, src placement HostDDR, "
        "dst addr 0x12c041220000, alloc device size 8224, dst placement DeviceHbm",
        place=("memory_copy.cc", 213, "CopyTensorDataToD"),
    ),
    row(
        m.OutputTensor,
        "Alloc Model out tensor {tensor:p}",
        "Alloc Model out tensor 0xaaab10c0f300",
        place=(_OUTPUTS, 121, "AllocModelOutTensor"),
    ),
    row(
        m.ZeroCopy,
        "Zero copy takes effect, using the output address specified by the user {addr:p}",
        "Zero copy takes effect, using the output address specified by the user 0xaaab10c0f300",
        place=(_OUTPUTS, 130, "AllocModelOutTensor"),
    ),
    row(
        m.UserConst,
        "use user addr: {addr:p}, size: {size:u}",
        "use user addr: 0x12c041280000, size: 4096",
        place=("file_constant_kernel.cc", 225, "FileConstantUserMemKernel"),
    ),
    row(
        m.EmptyOutputs,
        "All outputs of Node[{node:type}] are empty tensors. Setting ge::OPTION_ALL_TENSOR_NOT_EMPTY to 1 is not "
        "allowed.",
        "All outputs of Node[add1] are empty tensors. Setting ge::OPTION_ALL_TENSOR_NOT_EMPTY to 1 is not allowed.",
        place=("check_shape.cc", 60, "CheckOutputShapesEmpty"),
        fixed={"all": True},
    ),
    row(
        m.EmptyOutputs,
        "Not all outputs of Node[{node:type}] are empty tensors",
        "Not all outputs of Node[add1] are empty tensors",
        place=("check_shape.cc", 65, "CheckOutputShapesEmpty"),
        fixed={"all": False},
    ),
    row(
        m.FftsAllocator,
        "[MEM]Reuse FftsMemAllocator window_size:[{window:u}].",
        "[MEM]Reuse FftsMemAllocator window_size:[4].",
        place=(_KERNEL, 626, "CreateFftsMemAllocator"),
        fixed={"how": "reuse"},
    ),
    row(
        m.FftsAllocator,
        "[MEM]Create FftsMemAllocator window_size:[{window:u}].",
        "[MEM]Create FftsMemAllocator window_size:[4].",
        place=(_KERNEL, 632, "CreateFftsMemAllocator"),
        fixed={"how": "create"},
    ),
    row(
        m.FftsAlloc,
        "[MEM]AllocateFftsMem mem_info:[{info:lazy}].",
        "[MEM]AllocateFftsMem mem_info:[[ window_size:2, block_size:512, Addrs: 0x12c041290000 0x12c041290200  ]].",
        place=(_KERNEL, 657, "AllocateFftsMem"),
    ),
    row(
        m.FftsFree,
        "[MEM]FreeFftsMem mem_info:[{info:lazy}].",
        "[MEM]FreeFftsMem mem_info:[[ window_size:2, block_size:512, Addrs: 0x12c041290000 0x12c041290200  ]].",
        place=(_KERNEL, 666, "FreeFftsMem"),
    ),
    row(
        m.FftsBatchAlloc,
        "[MEM]Allocate ffts_mem, info:[{info:lazy}]",
        "[MEM]Allocate ffts_mem, info:[[ window_size:1, block_size:512, Addrs: 0x12c041290000  ]]",
        place=(_KERNEL, 708, "AllocateBatchFftsMems"),
    ),
    row(
        m.FftsBatchFree,
        "[MEM]Free ffts_mem, info:[{info:lazy}]",
        "[MEM]Free ffts_mem, info:[[ window_size:1, block_size:512, Addrs: 0x12c041290000  ]]",
        place=(_KERNEL, 727, "FreeBatchFftsMems"),
    ),
)
