"""Memory for the pieces of a tensor that is split into a sequence (spec/lowering.md 11.D, kerneltrace.md 3.3).

One block a piece. The lines differ from those of other allocations: the stream is always 0, and a free says none.
"""

from collections.abc import Sequence
from typing import Final

from getrace.events.memory import SpecifiedAlloc, SpecifiedFree
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData

_ALLOC: Final = ("aicpu_sequence_kernel.cc", 0, "AllocSpecifiedMem")
_FREE: Final = ("aicpu_sequence_kernel.cc", 0, "FreeSpecifiedMem")
_TENSOR_DATA_OBJECT: Final = 0x28


def alloc_specified_mem(context: KernelContext) -> int:
    """Give each piece a block; what an earlier run left in the output is released first."""
    home: GertAllocator = context.input(0)
    sizes: Sequence[int] = context.input(1)
    pieces: list[GertTensorData] = []
    context.outputs[0].own(pieces, lambda: _release(pieces))
    for index, size in enumerate(sizes):
        block = home.malloc(size)
        if block is None:
            return context.assert_failed(_ALLOC, f"malloc failed, tensor size={size}, index={index}")
        piece = GertTensorData()
        piece.own(block, home.placement, home.stream)
        pieces.append(piece)
        pointer = context.machine.device.pointer(_TENSOR_DATA_OBJECT)
        context.trace(SpecifiedAlloc(block.handle, block.addr, block.size, index, pointer))
    return Status.SUCCESS


def free_specified_mem(context: KernelContext) -> int:
    """Take the blocks of all pieces back."""
    pieces: list[GertTensorData] | None = context.input(0)
    if pieces is None:
        return context.assert_failed(_FREE, "Assert ((tensor_datas) != nullptr) failed")
    for index, piece in enumerate(pieces):
        context.trace(SpecifiedFree(index, piece.addr))
        piece.free()
    return Status.SUCCESS


def _release(pieces: Sequence[GertTensorData]) -> None:
    for piece in pieces:
        piece.free()


KERNELS: Final = (
    Kernel("AllocSpecifiedMem", alloc_specified_mem, critical_section=MEMORY),
    Kernel("FreeSpecifiedMem", free_specified_mem, critical_section=MEMORY),
)
