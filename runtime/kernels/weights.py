"""Constants of the model on their way to the device, once per load (spec/lowering.md 11.E, 11.F)."""

from dataclasses import dataclass
from typing import Final

from getrace.events.pools import AllocatorMade
from runtime.kernels.context import KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, transfer, unsupported_copy
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData
from runtime.values import ConstTensor, Placement, StorageShape, Tensor, WeightSpan

_GET_OR_CREATE = ("sink_weight_assigner.cc", 92, "GetOrCreateWeightMem")
_SINK = ("memory_copy.cc", 680, "SinkWeightData")


@dataclass(frozen=True, slots=True)
class MemAssigner:
    """``SinkWeightAssigner``: gives out pieces of one block by their offset."""

    base: GertTensorData


def const_tensor_outputs(context: KernelContext) -> int:
    """Put the constant's bytes into host memory when the executor is built; they go with the executor."""
    const: ConstTensor = context.input(0)
    host = context.machine.device.host
    size = len(const.content)
    address = host.malloc(max(size, 1))
    assert address is not None
    if size:
        host.write(address, const.content)
    context.outputs[0].own(Tensor(StorageShape.same(const.shape), const.dtype, const.format))
    data = GertTensorData(address, size, Placement.HOST)
    context.outputs[1].own(data, lambda: host.free(address))
    return Status.SUCCESS


def split_const_tensor(_context: KernelContext) -> int:
    """Run nothing: shape and bytes were placed when the executor was built."""
    return Status.SUCCESS


def get_or_create_weight_mem(context: KernelContext) -> int:
    """Use the weight memory that the caller appointed when it is large enough, else allocate."""
    required, (address, given), home = (cell.value for cell in context.inputs)
    allocator: GertAllocator = home
    data: GertTensorData = context.output(0)
    if address and given >= required:
        data.refer(address, given, Placement.DEVICE_HBM, allocator.stream)
        return Status.SUCCESS
    if address:
        text = f"given_size[{given}], required_size[{required}], need to alloc inner."
        context.journal.say(AllocatorMade("appointed weight info is invalid, ", text))
    if required == 0:
        data.refer(0, 0, allocator.placement, allocator.stream)
        return Status.SUCCESS
    block = allocator.malloc(required)
    if block is None:
        return context.kernel_error(_GET_OR_CREATE, f"malloc failed, tensor size[{required}]")
    data.own(block, allocator.placement, allocator.stream)
    return Status.SUCCESS


def create_mem_assigner(context: KernelContext) -> int:
    """Make the assigner of the weight memory."""
    context.set(0, MemAssigner(context.input(0)))
    return Status.SUCCESS


def assign_weight_memory(context: KernelContext) -> int:
    """Give a constant its piece of the weight memory."""
    piece, assigner, stream = (cell.value for cell in context.inputs)
    span: WeightSpan = piece
    base: GertTensorData = assigner.base
    data: GertTensorData = context.output(0)
    data.refer(base.addr + span.offset, span.size, base.placement, stream)
    return Status.SUCCESS


def sink_weight_data(context: KernelContext) -> int:
    """Copy a constant from the host into its piece."""
    source, assigned, stream_id, stream = (cell.value for cell in context.inputs)
    if source.size > assigned.size:
        text = f"sink data is invalid. src_size[{source.size}], dest_size[{assigned.size}]"
        return context.error(_SINK, text)
    origin, goal = Span(source.addr, source.placement), Span(assigned.addr, assigned.placement)
    if not transfer(context.machine.device, stream, origin, goal, source.size):
        return unsupported_copy(context, "SinkWeightData", source.placement, assigned.placement)
    data: GertTensorData = context.output(0)
    data.refer(assigned.addr, assigned.size, assigned.placement, stream_id)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("SplitConstTensor", split_const_tensor, outputs_creator=const_tensor_outputs),
    Kernel(
        "GetOrCreateWeightMem",
        get_or_create_weight_mem,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
    Kernel("CreateMemAssigner", create_mem_assigner),
    Kernel("AssignWeightMemory", assign_weight_memory, outputs_creator=tensor_data_outputs),
    Kernel("SinkWeightData", sink_weight_data, outputs_creator=tensor_data_outputs),
)
