"""Shape inference as a kernel (spec/lowering.md 11.I, kerneltrace.md 3.4)."""

from collections.abc import Sequence
from typing import Final

from getrace.events import Event
from getrace.events.shapes import NodeType, ShapesIn, ShapesOut, TensorDesc
from runtime.kernels.context import Cell, IoDesc, KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.storage_format import storage_shape
from runtime.kernels.value_tensors import tensors_of
from runtime.ops.context import InferShapeContext
from runtime.ops.op_def import InferShape
from runtime.ops.registry import OpRegistry
from runtime.values import Shape, StorageShape, Tensor

_FIND = ("infer_shape.cc", 227, "FindInferShapeFunc")
_RUN = ("infer_shape.cc", 263, "InferShape")
_TRANSFORM = ("infer_shape.cc", 269, "InferShape")


def find_infer_shape_func(context: KernelContext) -> int:
    """Look the operator's shape inference up."""
    type_name: str = context.input(0)
    ops: OpRegistry = context.input(1)
    op = ops.implementing(type_name, "infer_shape")
    if op is None:
        return context.kernel_error(_FIND, f"Failed to find infer shape kernel, node type {type_name}")
    context.set(0, op.infer_shape)
    return Status.SUCCESS


def infer_outputs(context: KernelContext) -> int:
    """Make one tensor per output, in which only shape, type and formats are used."""
    for cell, desc in zip(context.outputs, context.compute_node.outputs, strict=True):
        cell.own(Tensor(StorageShape(Shape(), Shape()), desc.dtype, desc.format))
    return Status.SUCCESS


def infer_shape(context: KernelContext) -> int:
    """Call the operator, then give each output the shape that it has in memory."""
    seen = infer_context(context, context.inputs[:-1])
    node = context.compute_node
    run: InferShape = context.input(len(context.inputs) - 1)
    status = run(seen)
    if status:
        text = f"InferShape failed, node type {node.type}, name {node.name}, error-code {status}"
        return context.kernel_error(_RUN, text)
    if not give_shapes(context, seen.output_shapes):
        text = f"Failed to trans shape to 5D when infer shape for node {node.name}, type {node.type}, error-code 0"
        return context.kernel_error(_TRANSFORM, text)
    return Status.SUCCESS


def infer_context(context: KernelContext, shapes: Sequence[Cell]) -> InferShapeContext:
    """Give what an operator's shape inference sees, its inputs taken from some of the kernel's."""
    node = context.compute_node
    values = [cell.value for cell in shapes]
    return InferShapeContext(
        node.type,
        [shape_of(value).origin for value in values],
        len(context.outputs),
        tensors=tensors_of(context.machine.device.host, values),
        attrs=node.attrs,
        dtypes=[desc.dtype for desc in node.inputs],
        output_dtypes=[desc.dtype for desc in node.outputs],
    )


def give_shapes(context: KernelContext, shapes: Sequence[Shape]) -> bool:
    """Set the output shapes; False when the shape of an output in memory is not known."""
    found = [
        storage_shape(shape, desc.format, desc.dtype)
        for desc, shape in zip(context.compute_node.outputs, shapes, strict=True)
    ]
    for cell, shape, storage in zip(context.outputs, shapes, found, strict=True):
        if storage is None:
            return False
        cell.value.shape = StorageShape(shape, storage)
    return True


def trace_infer_shape(context: KernelContext) -> tuple[Event, ...]:
    """Say the operator's type, the shapes that went in and those that came out."""
    return trace_shapes(context, context.inputs[:-1])


def trace_shapes(context: KernelContext, shapes: Sequence[Cell]) -> tuple[Event, ...]:
    """The same for inputs that stand elsewhere among the kernel's."""
    node = context.compute_node
    inputs = [shape_of(cell.value) for cell in shapes]
    outputs = [shape_of(cell.value) for cell in context.outputs]
    return (
        NodeType(node.type),
        ShapesIn(_originals(node.inputs, inputs), _storages(node.inputs, inputs)),
        ShapesOut(_originals(node.outputs, outputs), _storages(node.outputs, outputs)),
    )


def trace_outputs(context: KernelContext) -> tuple[Event, ...]:
    """Say the operator's type and the shapes that came out."""
    node = context.compute_node
    outputs = [shape_of(cell.value) for cell in context.outputs]
    return NodeType(node.type), ShapesOut(_originals(node.outputs, outputs), _storages(node.outputs, outputs))


def _originals(descs: tuple[IoDesc, ...], shapes: list[StorageShape]) -> tuple[TensorDesc, ...]:
    pairs = zip(descs, shapes, strict=True)
    return tuple((desc.format.origin.ge_name, desc.dtype.ge_name, tuple(shape.origin)) for desc, shape in pairs)


def _storages(descs: tuple[IoDesc, ...], shapes: list[StorageShape]) -> tuple[TensorDesc, ...]:
    pairs = zip(descs, shapes, strict=True)
    return tuple((desc.format.storage.ge_name, desc.dtype.ge_name, tuple(shape.storage)) for desc, shape in pairs)


KERNELS: Final = (
    Kernel("FindInferShapeFunc", find_infer_shape_func),
    Kernel("InferShape", infer_shape, outputs_creator=infer_outputs, trace_printer=trace_infer_shape),
)
