"""Custom operators: a user's object allocates its outputs and computes them (spec/lowering.md 4.4, 11.L).

The object is found by type in the machine's register. Its shapes come from the graph, or from the object's own shape
function, which is asked when it runs.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from getrace.events import Event
from getrace.events.engines import CustomTensors
from getrace.events.launch import TaskIds
from getrace.events.shapes import NodeType
from runtime.device.tasks import TaskId
from runtime.kernels.context import KernelContext
from runtime.kernels.engines.author_calls import launch_on_tensors
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import aligned_size, shape_of
from runtime.kernels.status import Status
from runtime.kernels.tensor_build import build_outputs
from runtime.kernels.value_tensors import tensors_of
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData, give_out
from runtime.ops.context import InferShapeContext
from runtime.values import Shape, StorageFormat, StorageShape, Tensor

_FIND = ("custom_op_kernel.cc", 0, "FindCustomOp")
_EXECUTE = ("custom_op_kernel.cc", 0, "ExecuteCustomOp")
_BEHIND: Final = 2
"""Outputs behind the tensors: workspaces, then the handler of the arguments."""

_TAIL: Final = 3
"""Inputs behind the tensors: allocator, stream, object."""


@dataclass(frozen=True, slots=True)
class CustomOp:
    """The user's object."""

    op_type: str


@dataclass(slots=True)
class ArgsHandler:
    """What a launch keeps of its arguments until they are released; ``task`` is the number of the last one."""

    addresses: list[int] = field(default_factory=list)
    task: TaskId | None = None


def find(context: KernelContext) -> int:
    """Find the object of a type, or make it."""
    op_type, objects = str(context.input(0)), context.machine.engines.custom
    op = context.machine.ops.get(op_type)
    if op is None or op.evaluate is None:
        return context.kernel_error(_FIND, f"Failed to create custom op {op_type}")
    context.set(0, objects.setdefault(op_type, CustomOp(op_type)))
    return Status.SUCCESS


def outputs(context: KernelContext) -> int:
    """Make tensors, the list of workspaces, and the handler of the arguments."""
    *tensors, workspaces, handler = context.outputs
    for cell in tensors:
        part = KernelContext(context.name, context.type, (), (cell,), context.node, context.machine)
        build_outputs(part)
    workspaces.value, handler.value = [], ArgsHandler()
    return Status.SUCCESS


def execute(context: KernelContext) -> int:
    """Ask the object for its shapes, give it memory, and let it launch."""
    inputs = [cell.value for cell in context.inputs[:-_TAIL]]
    node, op = context.compute_node, context.machine.ops.find(context.compute_node.type)
    shapes = [tensor.shape.origin for tensor in inputs]
    values = tensors_of(context.machine.device.host, inputs)
    seen = InferShapeContext(node.type, shapes, len(node.outputs), tensors=values, attrs=node.attrs)
    if op.infer_shape is None or op.infer_shape(seen):
        return context.kernel_error(_EXECUTE, f"{node.type} gives no shapes")
    return _execute(context, len(inputs), list(seen.output_shapes))


def execute_with_shapes(context: KernelContext) -> int:
    """The same with shapes that the graph has inferred before."""
    count = len(context.compute_node.outputs)
    shapes = [shape_of(cell.value).storage for cell in context.inputs[-count:]]
    return _execute(context, len(context.inputs) - count - _TAIL, shapes)


def _execute(context: KernelContext, count: int, shapes: list[Shape]) -> int:
    inputs: list[Tensor] = [cell.value for cell in context.inputs[:count]]
    allocator: GertAllocator = context.input(count)
    stream: int = context.input(count + 1)
    made: list[Tensor] = [cell.value for cell in context.outputs[:-_BEHIND]]
    for tensor, shape, desc in zip(made, shapes, context.compute_node.outputs, strict=True):
        size = aligned_size(desc.dtype, shape)
        block = allocator.malloc(size)
        if block is None or tensor.data is None:
            return context.kernel_error(_EXECUTE, f"malloc failed, tensor size={size}")
        data = GertTensorData()
        data.own(block, allocator.placement, allocator.stream)
        give_out(data, tensor.data)
        data.free()
        tensor.shape, tensor.dtype = StorageShape(shape, shape), desc.dtype
        tensor.format = StorageFormat(desc.format.origin, desc.format.storage)
    handler: ArgsHandler = context.outputs[-1].value
    handler.task = launch_on_tensors(context, stream, inputs, made)
    handler.addresses = [tensor.data.addr for tensor in (*inputs, *made) if tensor.data is not None]
    return Status.SUCCESS


def trace_execute(context: KernelContext) -> tuple[Event, ...]:
    """Say the operator, its tensors, and the number of its task."""
    tail = len(context.compute_node.outputs) if context.type.endswith("InferShape") else 0
    inputs = [cell.value for cell in context.inputs[: len(context.inputs) - _TAIL - tail]]
    made = [cell.value for cell in context.outputs[:-_BEHIND]]
    handler: ArgsHandler = context.outputs[-1].value
    said: list[Event] = [NodeType(context.compute_node.type)]
    said += [CustomTensors("input", _listed(inputs)), CustomTensors("output", _listed(made))]
    if handler.task is not None:
        task = handler.task
        said.append(TaskIds(task.rt_stream, task.task, task.flip, task.flip_task))
    return tuple(said)


def _listed(tensors: list[Any]) -> str:
    return ", ".join(f"[{at}]: [{_told(tensor)}]" for at, tensor in enumerate(tensors))


def _told(tensor: Tensor) -> str:
    dims = ", ".join(map(str, tensor.shape.storage))
    address = 0 if tensor.data is None else tensor.data.addr
    form, dtype = tensor.format.storage.ge_name, tensor.dtype.ge_name
    return f"format: {form}, datatype: {dtype}, shape: [{dims}], addr: {address}"


def free_workspaces(context: KernelContext) -> int:
    """Let go of the workspaces."""
    blocks: list[GertTensorData] = context.input(0)
    for block in blocks:
        block.free()
    blocks.clear()
    return Status.SUCCESS


def free_arguments(context: KernelContext) -> int:
    """Let go of what the launch kept."""
    handler: ArgsHandler = context.input(0)
    handler.addresses.clear()
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("FindCustomOp", find),
    Kernel("ExecuteCustomOp", execute, outputs_creator=outputs, trace_printer=trace_execute, critical_section=MEMORY),
    Kernel(
        "ExecuteCustomOpWithInferShape",
        execute_with_shapes,
        outputs_creator=outputs,
        trace_printer=trace_execute,
        critical_section=MEMORY,
    ),
    Kernel("FreeCustomOpWorkspaces", free_workspaces, critical_section=MEMORY),
    Kernel("FreeArgsGuarder", free_arguments, critical_section=MEMORY),
)
