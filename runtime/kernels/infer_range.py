"""Ranges of the shapes of operators that tell their shape after they ran (spec/lowering.md 4.1, 11.I).

The outputs of the range kernel come in threes: the range, its least shape, its most shape. Memory is made for the
most, and SetOutputShape writes the true shape into that same value once the device has told it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from getrace.events import Event
from getrace.events.shapes import NodeType, RangeDesc, RangesIn, RangesOut
from runtime.kernels.context import IoDesc, KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.storage_format import storage_shape
from runtime.kernels.value_tensors import tensors_of
from runtime.ops.op_def import InferShapeRange
from runtime.ops.range_context import InferShapeRangeContext
from runtime.ops.registry import OpRegistry
from runtime.values import Shape, StorageShape, Tensor

_FIND = ("infer_shape_range.cc", 173, "FindInferShapeRangeFunc")
_RUN = ("infer_shape_range.cc", 206, "InferShapeRange")
_TRANSFORM = ("infer_shape_range.cc", 212, "InferShapeRange")
_PER_OUTPUT = 3


@dataclass(slots=True)
class TensorRange:
    """``Range<Shape>`` or ``TensorRange``: least and most; both are one value when the shape is known.

    An open end is a most dimension of -1.
    """

    least: Any
    most: Any


def create_ranges_outputs(context: KernelContext) -> int:
    """Make one range per input, for the life of the executor."""
    for cell in context.outputs:
        cell.own(TensorRange(None, None))
    return Status.SUCCESS


def create_ranges(context: KernelContext) -> int:
    """Turn each input, whose shape is known while a model runs, into the range from itself to itself."""
    for source, target in zip(context.inputs, context.outputs, strict=True):
        target.value.least = target.value.most = source.value
    return Status.SUCCESS


def find_infer_shape_range_func(context: KernelContext) -> int:
    """Look the operator's inference of ranges up."""
    type_name: str = context.input(0)
    ops: OpRegistry = context.input(1)
    op = ops.implementing(type_name, "infer_shape_range")
    if op is None:
        text = f"Failed to find infer shape range kernel, node type {type_name}"
        return context.kernel_error(_FIND, text)
    context.set(0, op.infer_shape_range)
    return Status.SUCCESS


def infer_range_outputs(context: KernelContext) -> int:
    """Make a range and its two ends per output of the operator; only the ends carry shapes that others read."""
    for index, desc in enumerate(context.compute_node.outputs):
        ends = [Tensor(StorageShape(Shape(), Shape()), desc.dtype, desc.format) for _ in range(2)]
        context.outputs[_PER_OUTPUT * index].own(TensorRange(*ends))
        for offset, end in enumerate(ends, 1):
            context.outputs[_PER_OUTPUT * index + offset].own(end)
    return Status.SUCCESS


def infer_shape_range(context: KernelContext) -> int:
    """Ask the operator how large its outputs may become."""
    node = context.compute_node
    ranges: list[TensorRange] = [cell.value for cell in context.inputs[:-1]]
    seen = InferShapeRangeContext(
        node.type,
        [(shape_of(each.least).origin, shape_of(each.most).origin) for each in ranges],
        len(node.outputs),
        tensors=tensors_of(context.machine.device.host, [each.most for each in ranges]),
        attrs=node.attrs,
    )
    run: InferShapeRange = context.input(len(ranges))
    if status := run(seen):
        text = f"infer shape range failed, node type {node.type}, name {node.name}, error-code {status}"
        return context.kernel_error(_RUN, text)
    found = [(each.least.shape, each.most.shape) for each in seen.output_ranges]
    if not give_ranges(context, found):
        text = f"Failed to trans shape to 5D when infer shape for node {node.name}, type {node.type}, error-code 0"
        return context.kernel_error(_TRANSFORM, text)
    return Status.SUCCESS


def give_ranges(context: KernelContext, found: Sequence[tuple[Shape, Shape]]) -> bool:
    """Set both ends of each output; False when the shape of an output in memory is not known."""
    for index, (desc, ends) in enumerate(zip(context.compute_node.outputs, found, strict=True)):
        for offset, shape in enumerate(ends, 1):
            storage = storage_shape(shape, desc.format, desc.dtype)
            if storage is None:
                return False
            context.output(_PER_OUTPUT * index + offset).shape = StorageShape(shape, storage)
    return True


def trace_infer_shape_range(context: KernelContext) -> tuple[Event, ...]:
    """Say the operator's type, the ranges that went in and those that came out."""
    return trace_ranges(context, [cell.value for cell in context.inputs[:-1]])


def trace_ranges(context: KernelContext, ranges: Sequence[TensorRange]) -> tuple[Event, ...]:
    """The same for inputs that stand elsewhere among the kernel's."""
    node = context.compute_node
    outputs = [cell.value for cell in context.outputs[::_PER_OUTPUT]]
    return NodeType(node.type), RangesIn(_described(node.inputs, ranges)), RangesOut(_described(node.outputs, outputs))


def _described(descs: Sequence[IoDesc], ranges: Sequence[TensorRange]) -> tuple[RangeDesc, ...]:
    return tuple(
        (desc.format.origin.ge_name, desc.dtype.ge_name, _pairs(each)) for desc, each in zip(descs, ranges, strict=True)
    )


def _pairs(each: TensorRange) -> tuple[tuple[int, int], ...] | str:
    least, most = shape_of(each.least).origin, shape_of(each.most).origin
    if len(least) != len(most):
        return f"dim num not match. max dim num: {len(most)}, min dim num: {len(least)}"
    return tuple(zip(least, most, strict=True))


KERNELS: Final = (
    Kernel("CreateTensorRangesAndShapeRanges", create_ranges, outputs_creator=create_ranges_outputs),
    Kernel("FindInferShapeRangeFunc", find_infer_shape_range_func),
    Kernel(
        "InferShapeRange",
        infer_shape_range,
        outputs_creator=infer_range_outputs,
        trace_printer=trace_infer_shape_range,
    ),
)
