"""Copies that end in host memory, where the processor reads at once (spec/lowering.md 11.G).

They block: what is behind them on the host may read the bytes. Whether the stream is waited for first is what tells
the two MakeSure kernels apart; a model input is complete before the model runs.
"""

from typing import Final

from runtime.kernels.context import KernelContext
from runtime.kernels.copies import padded
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import aligned_size, shape_of, unaligned_size
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, copy_now
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData

_COPY_TO_HOST = ("memory_copy.cc", 84, "CopyD2H")
_MAKE_SURE = ("memory_copy.cc", 281, "MakeSureTensorAtHost")
_UNSUPPORTED = ("memory_copy.cc", 293, "MakeSureTensorAtHost")
_HOST_TO_HOST = ("memory_copy.cc", 488, "CopyTensorDataH2H")


def copy_d2h(context: KernelContext) -> int:
    """Copy a tensor of the device to the host. A kernel before this one has waited for the stream."""
    source, size, allocator = (cell.value for cell in context.inputs)
    return _to_host(context, source, size, allocator, _COPY_TO_HOST)


def make_sure_tensor_at_host(context: KernelContext) -> int:
    """Share what is on the host; wait for the stream and copy what is on the device."""
    source: GertTensorData = context.input(2)
    if source.placement.on_device and context.machine.synchronize(context.input(0)):
        return Status.PARAM_INVALID
    return make_sure_without_sync(context)


def make_sure_without_sync(context: KernelContext) -> int:
    """Share what is on the host; copy what is on the device and known to be complete."""
    _, allocator, given, size = (cell.value for cell in context.inputs)
    source: GertTensorData = given
    if source.placement.on_host:
        target: GertTensorData = context.output(0)
        target.share_from(source)
        return Status.SUCCESS
    if not source.placement.on_device:
        return context.error(_UNSUPPORTED, f"unsupported copy form placement {int(source.placement)} to host")
    return _to_host(context, source, size, allocator, _MAKE_SURE)


def _to_host(
    context: KernelContext,
    source: GertTensorData,
    size: int,
    home: GertAllocator,
    place: tuple[str, int, str],
) -> int:
    block = home.malloc(padded(size))
    if block is None:
        return context.kernel_error(place, f"malloc failed, tensor size={padded(size)}")
    target: GertTensorData = context.output(0)
    target.own(block, home.placement, home.stream, size)
    # The size has room behind the elements, which memory of the caller's own need not have.
    count = min(size, source.size)
    copy_now(context.machine.device, Span(source.addr, source.placement), Span(block.addr, home.placement), count)
    return Status.SUCCESS


def copy_tensor_data_h2h(context: KernelContext) -> int:
    """Copy a host tensor to memory of its own, so that the next run may write to the source again."""
    source, shape, dtype, allocator = (cell.value for cell in context.inputs)
    home: GertAllocator = allocator
    storage = shape_of(shape).storage
    size = aligned_size(dtype, storage)
    block = home.malloc(size)
    if block is None:
        return context.kernel_error(_HOST_TO_HOST, f"malloc failed, tensor size={size}")
    target: GertTensorData = context.output(0)
    target.own(block, home.placement, home.stream, size)
    count = unaligned_size(dtype, storage)
    copy_now(context.machine.device, Span(source.addr, source.placement), Span(block.addr, home.placement), count)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("CopyD2H", copy_d2h, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel(
        "MakeSureTensorAtHost",
        make_sure_tensor_at_host,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
    Kernel(
        "MakeSureTensorAtHostWithoutSync",
        make_sure_without_sync,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
    Kernel("CopyTensorDataH2H", copy_tensor_data_h2h, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
)
