"""Shape inference of the old registry: one mutable operator, filled in and asked (spec/lowering.md 11.I, 4.1 v1).

The operator is built once from what the model carries. Each run writes the inputs into it and reads the outputs back,
so a description that an earlier run left behind never shows.
"""

from collections.abc import Sequence
from typing import Final

from runtime.kernels.context import Cell, KernelContext
from runtime.kernels.feed import place_outputs
from runtime.kernels.infer_range import (
    TensorRange,
    give_ranges,
    infer_range_outputs,
    trace_ranges,
)
from runtime.kernels.infer_shape import give_shapes, infer_outputs, trace_shapes
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.value_tensors import tensors_of
from runtime.ops.operator_v1 import InferFunc, OldTensorDesc, Operator
from runtime.values import Shape, StorageShape

_FILE = "infer_shape_compatible.cc"
_OPERATOR, _FUNCTION, _FIRST = range(3)


def operator_outputs(context: KernelContext) -> int:
    """Make the operator of the compute node, for the life of the executor.

    GE reads it from a buffer, the first input; the compute node says the same and needs no second reader of a format.
    """
    node = context.compute_node
    context.outputs[0].own(
        Operator(
            node.name,
            node.type,
            [OldTensorDesc(desc.dtype, desc.format) for desc in node.inputs],
            [OldTensorDesc(desc.dtype, desc.format) for desc in node.outputs],
            node.attrs,
        )
    )
    return Status.SUCCESS


def create_op_from_buffer(_context: KernelContext) -> int:
    """Run nothing: the operator was made when the executor was built."""
    return Status.SUCCESS


def find_compatible_infer_shape_func(context: KernelContext) -> int:
    """Look the function up in the old registry, which serves shapes and ranges."""
    type_name: str = context.input(0)
    op = context.machine.ops.get(type_name)
    if op is None:
        text = f"Failed to find infer shape kernel, node type {type_name}"
        return context.error((_FILE, 223, "FindCompatibleInferShapeFunc"), text)
    if op.infer_func is None:
        text = f"Failed to find v1 infer shape func, node type {type_name}"
        return context.error((_FILE, 228, "FindCompatibleInferShapeFunc"), text)
    context.set(0, op.infer_func)
    return Status.SUCCESS


def compatible_infer_shape(context: KernelContext) -> int:
    """Write the input shapes into the operator, ask it, and take its output shapes over."""
    operator: Operator = context.input(_OPERATOR)
    cells = context.inputs[_FIRST:]
    if status := _matches(context, len(operator.inputs), len(cells), "Input", 115):
        return status
    _write_shapes(context, operator, cells)
    run: InferFunc = context.input(_FUNCTION)
    if run(operator):
        text = f"Fail to infer shape on op {operator.name}."
        return context.error((_FILE, 279, "CompatibleInferShape"), text)
    if status := _matches(context, len(operator.outputs), len(context.outputs), "Output", 90):
        return status
    if not give_shapes(context, [desc.shape.origin for desc in operator.outputs]):
        return context.error((_FILE, 292, "CompatibleInferShape"), "Fail to transform output shapes.")
    return Status.SUCCESS


def _write_shapes(context: KernelContext, operator: Operator, cells: Sequence[Cell]) -> None:
    values = [cell.value for cell in cells]
    tensors = tensors_of(context.machine.device.host, values)
    for desc, value, tensor in zip(operator.inputs, values, tensors, strict=True):
        seen = shape_of(value)
        desc.shape, desc.value = StorageShape(seen.origin, seen.storage), tensor


def compatible_infer_shape_range(context: KernelContext) -> int:
    """The same with ranges: the operator sees the most shape and both ends, and gives a range per output."""
    operator: Operator = context.input(_OPERATOR)
    ranges: list[TensorRange] = [cell.value for cell in context.inputs[_FIRST:]]
    if status := _matches(context, len(operator.inputs), len(ranges), "Input", 115):
        return status
    for desc, each in zip(operator.inputs, ranges, strict=True):
        least, most = shape_of(each.least).origin, shape_of(each.most).origin
        desc.shape, desc.shape_range = StorageShape(most, most), tuple(zip(least, most, strict=True))
    run: InferFunc = context.input(_FUNCTION)
    if run(operator):
        text = f"Fail to infer shape on op {operator.name}."
        return context.error((_FILE, 339, "CompatibleInferShapeRange"), text)
    if not give_ranges(context, [_ends(desc) for desc in operator.outputs]):
        return context.error((_FILE, 353, "CompatibleInferShapeRange"), "Fail to transform output shapes.")
    return Status.SUCCESS


def _ends(desc: OldTensorDesc) -> tuple[Shape, Shape]:
    """Give least and most; without a range both are the shape that was inferred."""
    if not desc.shape_range:
        return desc.shape.origin, desc.shape.origin
    return Shape(least for least, _ in desc.shape_range), Shape(most for _, most in desc.shape_range)


def _matches(context: KernelContext, of_op: int, of_context: int, what: str, line: int) -> Status:
    if of_op == of_context:
        return Status.SUCCESS
    name, side = context.compute_node.name, what.lower()
    text = f"{what} num on op {name} is {of_op}, {side} num on context is {of_context}, not match."
    return context.error((_FILE, line, context.type), text, Status.PARAM_INVALID)


KERNELS: Final = (
    Kernel("CreateOpFromBuffer", create_op_from_buffer, outputs_creator=operator_outputs),
    *(
        Kernel(name, find_compatible_infer_shape_func, outputs_creator=place_outputs)
        for name in ("FindCompatibleInferShapeFunc", "FindCompatibleInferShapeRangeFunc")
    ),
    Kernel(
        "CompatibleInferShape",
        compatible_infer_shape,
        outputs_creator=infer_outputs,
        trace_printer=lambda context: trace_shapes(context, context.inputs[_FIRST:]),
    ),
    Kernel(
        "CompatibleInferShapeRange",
        compatible_infer_shape_range,
        outputs_creator=infer_range_outputs,
        trace_printer=lambda context: trace_ranges(context, [cell.value for cell in context.inputs[_FIRST:]]),
    ),
)
