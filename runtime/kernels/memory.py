"""Kernels that give memory and take it back (spec/execution.md 5.9, kerneltrace.md 3.1)."""

from collections.abc import Callable, Iterable
from typing import Final

from getrace.events.memory import BatchAlloc, BatchFree, MemAlloc, MemFree, TensorFree
from runtime.kernels.context import Cell, KernelContext
from runtime.kernels.payloads import KMAX_WORKSPACES
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import NO_STREAM, GertTensorData, release
from runtime.values import Tensor

_ALLOC = ("memory_kernel.cc", 382, "AllocHbmMem")
_FREE = ("memory_kernel.cc", 0, "FreeMemory")
_FREE_TENSOR = ("memory_kernel.cc", 0, "FreeTensorMemory")
_BATCH_CAPACITY = ("memory_kernel.cc", 472, "AllocBatchHbm")
_ALLOC_BATCH = ("memory_kernel.cc", 501, "AllocBatchHbm")
_FREE_BATCH = ("memory_kernel.cc", 586, "FreeBatchHbm")


def tensor_data_outputs(context: KernelContext) -> int:
    """Make one empty tensor data per output, for the life of the executor."""
    for cell in context.outputs:
        data = GertTensorData()
        cell.own(data, data.free)
    return Status.SUCCESS


def let_go(cells: Iterable[Cell]) -> None:
    """Release the blocks that tensor data of an earlier run still hold; the tensor data stay."""
    for cell in cells:
        if isinstance(cell.value, GertTensorData):
            cell.value.free()


def alloc_mem_hbm(context: KernelContext) -> int:
    """Give each output a block of its size, of the device or of the host as the allocator has it.

    What an aborted run left in an output is released then.
    """
    allocator: GertAllocator = context.input(0)
    for index, cell in enumerate(context.inputs[1:], 1):
        data: GertTensorData = context.output(index - 1)
        size: int = cell.value
        if size == 0:
            data.refer(0, 0, allocator.placement, allocator.stream)
            continue
        block = allocator.malloc(size)
        if block is None:
            text = f"malloc failed, stream {allocator.stream}, tensor size={size}, index={index}"
            return context.kernel_error(_ALLOC, text)
        data.own(block, allocator.placement, allocator.stream)
        context.trace(MemAlloc(block.handle, block.addr, block.size, allocator.stream, size, index))
    return Status.SUCCESS


def batch_outputs(context: KernelContext) -> int:
    """Make the vector of workspaces, with room for all an operator may ask for."""
    batch: list[GertTensorData] = []

    def release() -> None:
        for data in batch:
            data.free()

    context.outputs[0].own(batch, release)
    return Status.SUCCESS


def alloc_batch_hbm(context: KernelContext) -> int:
    """Give each workspace a block; the previous batch goes first, without a Free line."""
    allocator: GertAllocator = context.input(0)
    sizes: list[int] = context.input(1)
    if len(sizes) > KMAX_WORKSPACES:
        text = f"[AllocBatchHbm] The alloc count {len(sizes)} more than output capacity {KMAX_WORKSPACES}"
        return context.error(_BATCH_CAPACITY, text)
    batch: list[GertTensorData] = context.output(0)
    for data in batch:
        data.free()
    batch.clear()
    for index, size in enumerate(sizes):
        data = GertTensorData()
        if size:
            block = allocator.malloc(size)
            if block is None:
                return context.error(_ALLOC_BATCH, f"malloc failed, tensor size={size}, index={index}")
            data.own(block, allocator.placement, allocator.stream)
            context.trace(BatchAlloc(allocator.stream, block.handle, block.addr, size, index))
        batch.append(data)
    return Status.SUCCESS


def free_memory(context: KernelContext) -> int:
    """Drop one reference of each input; a holder without a block says stream -1."""
    return _free_each(context, GertTensorData.free)


def free_memory_hold_addr(context: KernelContext) -> int:
    """The same, and the addresses stay readable."""
    return _free_each(context, GertTensorData.free_hold_addr)


def _free_each(context: KernelContext, free: Callable[[GertTensorData], None]) -> int:
    for cell in context.inputs:
        data: GertTensorData | None = cell.value
        if data is None:
            return context.kernel_error(_FREE, "Get nullptr gert_tensor_data")
        context.trace(MemFree(data.addr, data.stream if data.block else NO_STREAM))
        free(data)
    return Status.SUCCESS


def free_tensor_memory(context: KernelContext) -> int:
    """Let go of what a built tensor shares. The line has stream -1 in any case."""
    tensor: Tensor | None = context.input(0)
    if tensor is None or tensor.data is None:
        return context.kernel_error(_FREE_TENSOR, "Get nullptr tensor")
    context.trace(TensorFree(NO_STREAM, tensor.data.addr, tensor.handle))
    release(tensor.data)
    return Status.SUCCESS


def empty_tensor_data(_context: KernelContext) -> int:
    """Run nothing: the holder was made when the executor was built."""
    return Status.SUCCESS


def free_batch_hbm(context: KernelContext) -> int:
    """Drop one reference of each workspace."""
    return _free_batch(context, GertTensorData.free)


def free_batch_hbm_hold_addr(context: KernelContext) -> int:
    """The same, and the addresses stay readable."""
    return _free_batch(context, GertTensorData.free_hold_addr)


def _free_batch(context: KernelContext, free: Callable[[GertTensorData], None]) -> int:
    batch: list[GertTensorData] | None = context.input(0)
    if batch is None:
        return context.error(_FREE_BATCH, "[FreeBatchHbm] input addrs para error")
    for index, data in enumerate(batch):
        context.trace(BatchFree(data.stream if data.block else NO_STREAM, data.addr, index))
        free(data)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("AllocMemHbm", alloc_mem_hbm, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel("AllocMemHost", alloc_mem_hbm, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel("AllocMemory", alloc_mem_hbm, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel("AllocBatchHbm", alloc_batch_hbm, outputs_creator=batch_outputs, critical_section=MEMORY),
    Kernel("FreeMemory", free_memory, critical_section=MEMORY),
    Kernel("FreeMemHbm", free_memory, critical_section=MEMORY),
    Kernel("FreeMemoryHoldAddr", free_memory_hold_addr, critical_section=MEMORY),
    Kernel("FreeMemHbmHoldAddr", free_memory_hold_addr, critical_section=MEMORY),
    Kernel("FreeBatchHbmHoldAddr", free_batch_hbm_hold_addr, critical_section=MEMORY),
    Kernel("FreeTensorMemory", free_tensor_memory, critical_section=MEMORY),
    Kernel("EmptyTensorData", empty_tensor_data, outputs_creator=tensor_data_outputs),
    Kernel("FreeBatchHbm", free_batch_hbm, critical_section=MEMORY),
)
