"""Kernels for the memory of FFTS+ threads (spec/execution.md 5.9, lowering.md 11.C, 11.D)."""

from collections.abc import Sequence
from typing import Final

from getrace.events.memory import FftsAlloc, FftsAllocator, FftsBatchAlloc, FftsBatchFree, FftsFree
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.memory.ffts import FftsMemAllocator, FftsMemBlock
from runtime.memory.l2 import GertAllocator

MOST_BLOCKS: Final = 8
"""Capacity of a batch."""

_CREATE: Final = ("memory_kernel.cc", 0, "CreateFftsMemAllocator")
_ALLOC: Final = ("memory_kernel.cc", 0, "AllocateFftsMem")
_BATCH: Final = ("memory_kernel.cc", 0, "AllocateBatchFftsMems")


def create_ffts_mem_allocator(context: KernelContext) -> int:
    """Make the allocator of a window; one of an earlier run with the same window is kept."""
    home, window = context.input(0), context.input(1)
    known: FftsMemAllocator | None = context.output(0)
    if known is not None and known.window == window:
        context.trace(FftsAllocator("reuse", window))
        return Status.SUCCESS
    allocator: GertAllocator | None = home
    if allocator is None or allocator.level1 is None:
        return context.assert_failed(_CREATE, "Assert ((level_1_allocator) != nullptr) failed")
    made = FftsMemAllocator(context.machine.memory, allocator.level1, window)
    context.outputs[0].own(made, made.close)
    context.trace(FftsAllocator("create", window))
    return Status.SUCCESS


def recycle_ffts_mems(context: KernelContext) -> int:
    """Give idle windows back to level 1."""
    allocator: FftsMemAllocator = context.input(0)
    allocator.recycle()
    return Status.SUCCESS


def allocate_ffts_mem(context: KernelContext) -> int:
    """Give each thread memory of a size."""
    allocator, size = context.input(0), context.input(1)
    block: FftsMemBlock | None = allocator.malloc(size)
    if block is None:
        return context.assert_failed(_ALLOC, "Assert ((ffts_mem) != nullptr) failed")
    context.set(0, block)
    context.trace(FftsAlloc(block.info))
    return Status.SUCCESS


def free_ffts_mem(context: KernelContext) -> int:
    """Give it back."""
    block: FftsMemBlock = context.input(0)
    context.trace(FftsFree(block.info))
    block.free()
    return Status.SUCCESS


def batch_outputs(context: KernelContext) -> int:
    """Make the vector of blocks."""
    context.set(0, [])
    return Status.SUCCESS


def allocate_batch_ffts_mems(context: KernelContext) -> int:
    """Give each thread memory of several sizes."""
    allocator: FftsMemAllocator = context.input(0)
    sizes: Sequence[int] = context.input(1)
    if len(sizes) > MOST_BLOCKS:
        return context.assert_failed(_BATCH, f"The alloc count {len(sizes)} more than output capacity {MOST_BLOCKS}")
    blocks: list[FftsMemBlock] = context.output(0)
    blocks.clear()
    for size in sizes:
        block = allocator.malloc(size)
        if block is None:
            return context.assert_failed(_BATCH, "Assert ((ffts_mem) != nullptr) failed")
        blocks.append(block)
        context.trace(FftsBatchAlloc(block.info))
    return Status.SUCCESS


def free_batch_ffts_mems(context: KernelContext) -> int:
    """Give them back."""
    blocks: list[FftsMemBlock] = context.input(0)
    for block in blocks:
        context.trace(FftsBatchFree(block.info))
        block.free()
    blocks.clear()
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("CreateFftsMemAllocator", create_ffts_mem_allocator),
    Kernel("RecycleFftsMems", recycle_ffts_mems, critical_section=MEMORY),
    Kernel("AllocateFftsMem", allocate_ffts_mem, critical_section=MEMORY),
    Kernel("FreeFftsMem", free_ffts_mem, critical_section=MEMORY),
    Kernel(
        "AllocateBatchFftsMems",
        allocate_batch_ffts_mems,
        outputs_creator=batch_outputs,
        critical_section=MEMORY,
    ),
    Kernel("FreeBatchFftsMems", free_batch_ffts_mems, critical_section=MEMORY),
)
