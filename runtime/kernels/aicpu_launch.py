"""AI CPU launches (spec/lowering.md 4.5, 11.M; kerneltrace.md 3.6)."""

from collections.abc import Iterator
from typing import Final

from getrace.events import Event
from getrace.events.aicpu import AicpuAddresses, CcLaunch, TfLaunch
from getrace.events.launch import TaskIds
from runtime.device.tasks import AICPU, EVENT_WAIT, Task
from runtime.kernels.aicpu_args import ArgsHandler
from runtime.kernels.aicpu_ext_info import ShapeClass
from runtime.kernels.aicpu_memcpy import MEMCPY_TYPE, CopyWork
from runtime.kernels.aicpu_work import OperatorWork, Place, described, evaluate_of
from runtime.kernels.context import KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import LAUNCH, MEMORY, Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.work import task_of
from runtime.memory.tensor_data import GertTensorData

_UPDATE = ("aicpu_launch_kernel.cc", 0, "UpdateAicpuIoAddr")
_BLOCK = ("aicpu_launch_kernel.cc", 0, "CalcBlockDim")
_CC_FLAG: Final = 8
_BLOCK_DIM, _KERNEL_TYPE = 2, 3
_ALL_ELEMENTS: Final = -1


def update_io_addr(context: KernelContext) -> int:
    """Write the addresses of this step into the argument block; what lies on the host keeps the place it was given."""
    block, *data = (cell.value for cell in context.inputs)
    if block is None:
        return context.kernel_error(_UPDATE, "Get nullptr args_handler")
    handler: ArgsHandler = block
    if len(handler.ios) != len(data):
        handler.ios = [GertTensorData() for _ in data]
    for slot, source in zip(handler.ios, data, strict=True):
        slot.addr, slot.size, slot.placement = source.addr, source.size, source.placement
    return Status.SUCCESS


def expand_optional_inputs(context: KernelContext) -> int:
    """Give one address per declared input. Absent optional inputs get none; they are taken to be the last declared.

    Which declared input an actual one belongs to stands in the operator's IR, which a model does not carry.
    """
    *actual, _placement = (cell.value for cell in context.inputs)
    for index, cell in enumerate(context.outputs):
        data: GertTensorData = cell.value
        if index < len(actual):
            data.share_from(actual[index])
        else:
            data.refer(0, 0, data.placement, data.stream)
    return Status.SUCCESS


def calc_block_dim(context: KernelContext) -> int:
    """Cut one axis, or all elements, into as many pieces as there are AI CPU cores, but none empty."""
    axis, shape = int(context.input(0)), shape_of(context.input(1)).storage
    if axis != _ALL_ELEMENTS and not 0 <= axis < len(shape):
        return context.kernel_error(_BLOCK, f"Invalid axis {axis} of shape with {len(shape)} dims")
    total = shape.elements if axis == _ALL_ELEMENTS else shape[axis]
    context.set(0, max(1, min(total, context.machine.device.profile["aicpu_cores"])))
    return Status.SUCCESS


def launch(context: KernelContext) -> int:
    """Put the task on the stream; a blocking task is followed by the wait for its event."""
    block: ArgsHandler = context.input(0)
    device = context.machine.device
    stream = device.stream(context.input(1))
    work = _work_of(context, block)
    moved = sum(place.size for place in block.ios)
    device.launch(stream, task_of(context, work, AICPU, device.cost_ns("aicpu", moved)))
    if block.is_block:
        # The event that this waits for is the task's own; on a stream with one queue the task before has ended.
        device.launch(stream, Task("EVENT_WAIT", kind=EVENT_WAIT))
    return Status.SUCCESS


def _work_of(context: KernelContext, block: ArgsHandler) -> "OperatorWork | CopyWork":
    node, machine = context.compute_node, context.machine
    places = [Place(data.addr, data.placement, data.size) for data in block.ios]
    if node.type == MEMCPY_TYPE:
        return CopyWork(machine.device, tuple(place.addr for place in places), 2 * len(node.inputs))
    ext = block.ext_info
    outputs = len(node.outputs)
    inputs = len(places) - outputs
    in_shapes = [desc.shape for desc in node.inputs] if ext is None else ext.inputs
    out_shapes = [desc.shape for desc in node.outputs] if ext is None else ext.outputs
    late = ext is not None and ext.shape_class in (ShapeClass.SHAPE_RANGE, ShapeClass.COMPUTE)
    bounds = [None] * outputs if late else out_shapes
    return OperatorWork(
        machine.device,
        evaluate_of(machine.ops, node.type),
        node.attrs,
        tuple((places[at], described(node.inputs, at), in_shapes[at]) for at in range(inputs) if places[at].addr),
        tuple((places[inputs + at], described(node.outputs, at), bounds[at]) for at in range(outputs)),
        ext,
    )


def trace_tf(context: KernelContext) -> Iterator[Event]:
    """Say what a TF launch was given."""
    block: ArgsHandler | None = context.input(0)
    if block is not None:
        yield TfLaunch(context.compute_node.name, context.input(1), block.handle, block.io_num, 0)
        yield from _rest(context, block)


def trace_cc(context: KernelContext) -> Iterator[Event]:
    """Say what a CC launch was given."""
    block: ArgsHandler | None = context.input(0)
    if block is not None:
        name, stream = context.compute_node.name, context.input(1)
        yield CcLaunch(name, int(context.input(_BLOCK_DIM)), stream, block.handle, _CC_FLAG)
        yield from _rest(context, block)


def _rest(context: KernelContext, block: ArgsHandler) -> Iterator[Event]:
    yield block.offsets()
    if block.ios:
        yield AicpuAddresses(tuple(data.addr for data in block.ios), tuple(data.size for data in block.ios))
    else:
        yield AicpuAddresses()
    stream = context.machine.device.streams.get(context.input(1))
    if stream is not None and stream.last_task is not None:
        last = stream.last_task
        yield TaskIds(last.rt_stream, last.task, last.flip, last.flip_task)


KERNELS: Final = (
    Kernel("UpdateAicpuIoAddr", update_io_addr),
    Kernel(
        "ExpandAicpuOptionalInputAddrs",
        expand_optional_inputs,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
    Kernel("CalcBlockDim", calc_block_dim),
    Kernel("AicpuLaunchTfKernel", launch, trace_printer=trace_tf, critical_section=LAUNCH),
    Kernel("AicpuLaunchCCKernel", launch, trace_printer=trace_cc, critical_section=LAUNCH),
)
