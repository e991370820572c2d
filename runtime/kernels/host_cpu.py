"""Operators that the host computes (spec/lowering.md 4.6, 11.M, 11.D).

They run when the kernel runs, not on a stream: their inputs have to lie in host memory by then.
"""

from typing import Any, Final

from runtime.kernels.aicpu_args import ArgsHandler
from runtime.kernels.aicpu_ext_info import ShapeClass
from runtime.kernels.aicpu_work import OperatorWork, Place, described, evaluate_of
from runtime.kernels.context import KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Shape, StorageShape, Tensor

_ALLOC = ("aicpu_launch_kernel.cc", 696, "AllocHostCpuOutputMemory")


def host_compute(context: KernelContext) -> int:
    """Run the operator on the addresses that follow the argument block, with the shapes of the block."""
    block: ArgsHandler = context.input(0)
    node, ext = context.compute_node, block.ext_info
    data: list[GertTensorData] = [cell.value for cell in context.inputs[1:]]
    split = len(data) - len(node.outputs)
    in_shapes = [desc.shape for desc in node.inputs] if ext is None else ext.inputs
    out_shapes = [desc.shape for desc in node.outputs] if ext is None else ext.outputs
    late = ext is not None and ext.shape_class == ShapeClass.SHAPE_RANGE
    work = _work(context, data[:split], in_shapes, data[split:], None if late else out_shapes)
    found = _run(work)
    if ext is not None:
        ext.found = found
    return Status.SUCCESS


def host_exec_func(context: KernelContext) -> int:
    """Run the operator: inputs are shapes, addresses and the function; outputs shapes and addresses, all made before.

    The function is found by the operator's type; the last input only says that the host has one. A shape that was an
    upper bound becomes the real one.
    """
    values = [cell.value for cell in context.inputs[:-1]]
    half = len(values) // 2
    outputs = len(context.outputs) // 2
    shapes: list[StorageShape] = [shape_of(value) for value in values[:half]]
    slots = context.outputs[:outputs]
    targets: list[GertTensorData] = [cell.value for cell in context.outputs[outputs:]]
    bounds = [shape_of(cell.value).storage for cell in slots]
    work = _work(context, values[half:], [shape.storage for shape in shapes], targets, bounds)
    for index, (shape, bound) in enumerate(zip(_run(work), bounds, strict=True)):
        if shape != bound:
            _put_shape(context, index, shape)
    return Status.SUCCESS


def _put_shape(context: KernelContext, index: int, shape: Shape) -> None:
    value = context.output(index)
    if isinstance(value, Tensor):
        value.shape = StorageShape(shape, shape)
    else:
        context.set(index, StorageShape(shape, shape))


def _work(
    context: KernelContext,
    sources: list[GertTensorData],
    shapes: list[Shape],
    targets: list[GertTensorData],
    wanted: list[Shape] | None,
) -> OperatorWork:
    node, machine = context.compute_node, context.machine
    return OperatorWork(
        machine.device,
        evaluate_of(machine.ops, node.type),
        node.attrs,
        tuple(
            (Place(data.addr, data.placement), described(node.inputs, at), shapes[at])
            for at, data in enumerate(sources)
            if data.addr
        ),
        tuple(
            (Place(data.addr, data.placement), described(node.outputs, at), None if wanted is None else wanted[at])
            for at, data in enumerate(targets)
        ),
    )


def _run(work: OperatorWork) -> list[Shape]:
    """Compute now; gives the shapes of the results."""
    found = work.results()
    for array, (place, _, _) in zip(found, work.outputs, strict=True):
        if array.size:
            place.space(work.device).write(place.addr, array.tobytes())
    return [Shape(array.shape) for array in found]


def alloc_output_memory(context: KernelContext) -> int:
    """Give each output host memory of its size; what an earlier run got is kept while it is large enough."""
    count = len(context.outputs)
    allocator: GertAllocator = context.input(count)
    for index in range(count):
        size, data = int(context.input(index)), _data(context, index)
        if data.block is not None and data.size >= size:
            continue
        block = allocator.malloc(size)
        if block is None:
            return context.kernel_error(_ALLOC, f"malloc failed, tensor size={size}")
        data.own(block, allocator.placement, allocator.stream)
    return Status.SUCCESS


def _data(context: KernelContext, index: int) -> GertTensorData:
    value: Any = context.output(index)
    assert isinstance(value, GertTensorData)
    return value


KERNELS: Final = (
    Kernel("AicpuHostCompute", host_compute),
    Kernel("AicpuHostExecFunc", host_exec_func),
    Kernel(
        "AllocHostCpuOutputMemory",
        alloc_output_memory,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
)
