"""Kernels that copy tensor data (spec/lowering.md 11.G, kerneltrace.md 3.3)."""

from typing import Final

from getrace.events.memory import CopyAlloc, StreamCopy
from runtime.kernels.context import KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import LAUNCH, MEMORY, Kernel
from runtime.kernels.sizes import shape_of, unaligned_size
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, transfer, unsupported_copy
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData

_PAD = 64
_COPY_TO_DEVICE = ("memory_copy.cc", 190, "CopyTensorDataToD")


def padded(size: int) -> int:
    """Bytes to allocate for a copy of ``size`` bytes: up to a multiple of 64, and 64 more."""
    return -(-size // _PAD) * _PAD + _PAD


def copy_h2d(context: KernelContext) -> int:
    """Copy a tensor to the device: a block padded to 64 bytes and 64 more, then an asynchronous copy."""
    stream, allocator, source, size, shape, dtype = (cell.value for cell in context.inputs)
    home: GertAllocator = allocator
    target: GertTensorData = context.output(0)
    room = padded(size)
    block = home.malloc(room)
    if block is None:
        return context.kernel_error(_COPY_TO_DEVICE, f"malloc failed, tensor size={room}")
    target.own(block, home.placement, home.stream)
    context.trace(CopyAlloc(block.handle, block.addr, block.size, home.stream))
    exact = unaligned_size(dtype, shape_of(shape).storage)
    if exact > 0:
        context.trace(
            StreamCopy(source.addr, exact, source.placement.ge_name, block.addr, room, home.placement.ge_name)
        )
    if not transfer(context.machine.device, stream, _span(source), _span(target), exact):
        return unsupported_copy(context, "CopyTensorDataToD", source.placement, home.placement)
    return Status.SUCCESS


def make_sure_tensor_at_device(context: KernelContext) -> int:
    """Share what is on the device already, copy what is not."""
    source: GertTensorData = context.input(2)
    if source.placement.on_device:
        target: GertTensorData = context.output(0)
        target.share_from(source)
        return Status.SUCCESS
    return copy_h2d(context)


def copy_d2d(context: KernelContext) -> int:
    """Copy on the device, in the order of the stream."""
    source, target, size, stream = (cell.value for cell in context.inputs)
    # The size has room behind the elements, which memory of the caller's own need not have.
    size = min(size, source.size, target.size)
    if not transfer(context.machine.device, stream, _span(source), _span(target), size):
        return unsupported_copy(context, "CopyD2D", source.placement, target.placement)
    return Status.SUCCESS


def _span(data: GertTensorData) -> Span:
    return Span(data.addr, data.placement)


KERNELS: Final = (
    Kernel("CopyH2D", copy_h2d, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel(
        "MakeSureTensorAtDevice",
        make_sure_tensor_at_device,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
    Kernel("CopyD2D", copy_d2d, outputs_creator=tensor_data_outputs, critical_section=LAUNCH),
)
