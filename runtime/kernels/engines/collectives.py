"""Collectives: prepared on the host, launched on the stream, without any other device (spec/lowering.md 4.8, 11.T).

Every rank of a group is taken to hold what this one holds, so that a run alone gives what a run of equals would: a sum
over n ranks is n times the tensor, a gathering is the tensor n times over. What is sent lies in the machine's post
until somebody receives it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from getrace.events.engines import HcomArgs
from runtime.kernels.context import KernelContext
from runtime.kernels.engine_state import Message
from runtime.kernels.engines.memory_work import COLLECTIVE, MemoryWork, Written
from runtime.kernels.payloads_hccl import HcomOpAttr
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import aligned_size, shape_of, unaligned_size
from runtime.kernels.status import Status
from runtime.kernels.work import task_of
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.op_def import Array
from runtime.values import DType, Shape, StorageShape

OP_TYPES: Final = (
    *("HcomAllGather", "HcomAllGatherV", "HcomAllReduce", "HcomBroadcast", "HcomReduceScatter", "HcomReduceScatterV"),
    *("HcomAllToAllV", "HcomAllToAllVC", "HcomAllToAll", "HcomSend", "HcomReceive", "HcomReduce"),
)
"""In the order in which the log numbers them; that AllReduce is 2 is all that any text of GE shows."""

_LAUNCH = ("hcom_launch_kernel.cc", 0, "LaunchHcomKernel")
_RECEIVE = ("hcom_launch_kernel.cc", 0, "LaunchRecvKernel")

_Reduce = Callable[[Array, int], Array]
_REDUCTIONS: Final[Mapping[str, _Reduce]] = {
    "sum": lambda array, ranks: array * array.dtype.type(ranks),
    "prod": lambda array, ranks: array**ranks,
    "max": lambda array, _: array,
    "min": lambda array, _: array,
}


@dataclass(slots=True)
class Prepared:
    """``HcomOpInputStruct``: the operator, its stream, and the shapes of its tensors."""

    attr: HcomOpAttr
    stream: int
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]


def prepared_outputs(context: KernelContext) -> int:
    """Make room for what is prepared."""
    context.set(0, None)
    return Status.SUCCESS


def prepare(context: KernelContext) -> int:
    """Put together what the launch needs."""
    attr, stream, _, outputs, *shapes = (cell.value for cell in context.inputs)
    seen = tuple(shape_of(shape).storage for shape in shapes)
    context.set(0, Prepared(attr, stream, seen[: -int(outputs)], seen[-int(outputs) :]))
    return Status.SUCCESS


def trace_prepare(context: KernelContext) -> tuple[HcomArgs, ...]:
    """Say which collective, on what, and for whom."""
    attr: HcomOpAttr = context.input(0)
    number, inputs, outputs = OP_TYPES.index(attr.op_type), int(context.input(2)), int(context.input(3))
    return (HcomArgs(number, attr.dtype.ge_name, attr.group, inputs, outputs),)


def launch(context: KernelContext) -> int:
    """Launch the collective; each output of the kernel stands for one of the operator."""
    prepared: Prepared = context.input(0)
    data: list[GertTensorData] = [cell.value for cell in context.inputs[1:]]
    count = len(context.outputs)
    inputs, outputs = data[: len(data) - count], data[len(data) - count :]
    device, attr = context.machine.device, prepared.attr
    size = unaligned_size(attr.dtype, prepared.inputs[0])
    # Addresses and counts are taken now: the host lets go of memory before the device comes to the task.
    source, target = inputs[0].addr, outputs[0].addr
    part = _part(context, attr, inputs)

    def compute() -> Written:
        array = np.frombuffer(device.hbm.read(source, size) if size else b"", attr.dtype.numpy)
        if attr.op_type == "HcomSend":
            message = Message(prepared.inputs[0], array.tobytes())
            context.machine.engines.mail[attr.group, attr.peer, attr.tag].append(message)
            return ()
        result = _result(attr, array[part], prepared.outputs[0])
        return [] if result is None else [(target, result.tobytes())]

    written = () if attr.op_type in _IN_PLACE else tuple((item.addr, item.size) for item in outputs)
    task = task_of(context, MemoryWork(device, compute, written), COLLECTIVE, device.cost_ns(COLLECTIVE.unit, size))
    device.launch(device.stream(prepared.stream), task)
    for index, item in enumerate(outputs):
        context.set(index, item)
    return Status.SUCCESS


_IN_PLACE: Final = frozenset({"HcomBroadcast", "HcomSend"})
"""They write nothing: what they give back is what they got, and it has the root's values already."""

_REDUCING: Final = frozenset({"HcomAllReduce", "HcomReduce", "HcomReduceScatter", "HcomReduceScatterV"})


def _part(context: KernelContext, attr: HcomOpAttr, inputs: Sequence[GertTensorData]) -> slice:
    """Which elements are for this rank: all, unless counts and offsets say less."""
    if attr.op_type != "HcomAllToAllV":
        return slice(None)
    count, start = _number(context, inputs[1]), _number(context, inputs[2])
    return slice(start, start + count)


def _number(context: KernelContext, data: GertTensorData) -> int:
    """Give the first of a list of counts or offsets, which lie on the host: those of this rank."""
    return int.from_bytes(context.machine.device.host.read(data.addr, 8), "little", signed=True)


def _result(attr: HcomOpAttr, array: Array, output: Shape) -> Array | None:
    ranks = max(attr.rank_size, 1)
    if attr.op_type in _IN_PLACE:
        return None
    if attr.op_type in _REDUCING:
        # This rank is the first: of what is scattered it keeps the front.
        return _REDUCTIONS[attr.reduction](array, ranks)[: output.elements]
    if attr.op_type == "HcomAllGather":
        return np.tile(array, ranks)
    return array[: output.elements]


def init_communicator(context: KernelContext) -> int:
    """Make this process a rank of its groups."""
    context.machine.engines.communicators += 1
    context.set(0, context.machine.engines.communicators)
    return Status.SUCCESS


def receive_outputs(context: KernelContext) -> int:
    """Make the shape and the address that a message fills in."""
    data = GertTensorData()
    context.set(0, StorageShape(Shape(), Shape()))
    context.outputs[1].own(data, data.free)
    return Status.SUCCESS


def receive(context: KernelContext) -> int:
    """Wait for the message, give it memory, and put it there: shape first, as GE exchanges it on the host."""
    attr: HcomOpAttr
    allocator: GertAllocator
    dtype: DType
    attr, stream, allocator, dtype = (cell.value for cell in context.inputs)
    machine = context.machine
    if machine.synchronize(stream):
        return context.kernel_error(_RECEIVE, "synchronize stream failed")
    waiting = machine.engines.mail[attr.group, attr.peer, attr.tag]
    if not waiting:
        return context.kernel_error(_RECEIVE, f"no message of rank {attr.peer} with tag {attr.tag}")
    message = waiting.popleft()
    size = aligned_size(dtype, message.shape)
    block = allocator.malloc(size)
    if block is None:
        return context.kernel_error(_RECEIVE, f"malloc failed, tensor size={size}")
    data: GertTensorData = context.output(1)
    data.own(block, allocator.placement, allocator.stream)
    context.set(0, StorageShape(message.shape, message.shape))
    device = machine.device
    work = MemoryWork(device, lambda: [(block.addr, message.content)], ((block.addr, len(message.content)),))
    cost = device.cost_ns(COLLECTIVE.unit, len(message.content))
    device.launch(device.stream(stream), task_of(context, work, COLLECTIVE, cost))
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("PrepareHcomKernel", prepare, outputs_creator=prepared_outputs, trace_printer=trace_prepare),
    Kernel("LaunchHcomKernel", launch),
    Kernel("LaunchHcomKernelInitComm", init_communicator),
    Kernel("LaunchRecvKernel", receive, outputs_creator=receive_outputs),
)
