"""Shape inference as a kernel (spec/lowering.md 11.I, kerneltrace.md 3.4)."""

from collections.abc import Sequence
from typing import Any, Final

from getrace.events import Event
from getrace.events.shapes import NodeType, ShapesIn, ShapesOut, TensorDesc
from runtime.kernels.context import IoDesc, KernelContext
from runtime.kernels.host_values import host_array
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.ops.context import InferShapeContext
from runtime.ops.op_def import Array, InferShape
from runtime.ops.registry import OpRegistry
from runtime.values import Shape, StorageShape, Tensor

_FIND = ("infer_shape.cc", 227, "FindInferShapeFunc")
_RUN = ("infer_shape.cc", 263, "InferShape")
_TRANSFORM = ("infer_shape.cc", 269, "InferShape")


def find_infer_shape_func(context: KernelContext) -> int:
    """Look the operator's shape inference up."""
    type_name: str = context.input(0)
    ops: OpRegistry = context.input(1)
    op = ops.get(type_name)
    if op is None or op.infer_shape is None:
        return context.kernel_error(_FIND, f"Failed to find infer shape kernel, node type {type_name}")
    context.set(0, op.infer_shape)
    return Status.SUCCESS


def shape_outputs(context: KernelContext) -> int:
    """Make one tensor per output, in which only shape, type and formats are used."""
    for cell, desc in zip(context.outputs, context.compute_node.outputs, strict=True):
        cell.own(Tensor(StorageShape(Shape(), Shape()), desc.dtype, desc.format))
    return Status.SUCCESS


def infer_shape(context: KernelContext) -> int:
    """Call the operator, then give each output the shape it has in memory, which is the same in every format here."""
    *shapes, function = (cell.value for cell in context.inputs)
    node = context.compute_node
    seen = InferShapeContext(
        node.type,
        [shape_of(shape).origin for shape in shapes],
        len(context.outputs),
        dtypes=[desc.dtype for desc in node.inputs],
        output_dtypes=[desc.dtype for desc in node.outputs],
        attrs=node.attrs,
        tensors=_readable(context, shapes),
    )
    run: InferShape = function
    status = run(seen)
    if status:
        text = f"InferShape failed, node type {node.type}, name {node.name}, error-code {status}"
        return context.kernel_error(_RUN, text)
    if any(desc.format.storage != desc.format.origin for desc in node.outputs):
        text = (
            f"Failed to trans shape to 5D when infer shape for node {node.name}, type {node.type}, error-code {status}"
        )
        return context.kernel_error(_TRANSFORM, text)
    for cell, shape in zip(context.outputs, seen.output_shapes, strict=True):
        cell.value.shape = StorageShape(shape, shape)
    return Status.SUCCESS


def _readable(context: KernelContext, shapes: Sequence[Any]) -> dict[int, Array]:
    """Give the elements of the inputs that came as whole tensors into the shape slot, as data dependence makes them."""
    device = context.machine.device
    return {
        index: host_array(device, value.data, value.dtype, value.shape.storage)
        for index, value in enumerate(shapes)
        if isinstance(value, Tensor) and value.data is not None and value.placement.on_host
    }


def trace_infer_shape(context: KernelContext) -> tuple[Event, ...]:
    """Say the operator's type, the shapes that went in and those that came out."""
    node = context.compute_node
    inputs = [shape_of(cell.value) for cell in context.inputs[:-1]]
    outputs = [shape_of(cell.value) for cell in context.outputs]
    return (
        NodeType(node.type),
        ShapesIn(_originals(node.inputs, inputs), _storages(node.inputs, inputs)),
        ShapesOut(_originals(node.outputs, outputs), _storages(node.outputs, outputs)),
    )


def _originals(descs: tuple[IoDesc, ...], shapes: list[StorageShape]) -> tuple[TensorDesc, ...]:
    pairs = zip(descs, shapes, strict=True)
    return tuple((desc.format.origin.ge_name, desc.dtype.ge_name, tuple(shape.origin)) for desc, shape in pairs)


def _storages(descs: tuple[IoDesc, ...], shapes: list[StorageShape]) -> tuple[TensorDesc, ...]:
    pairs = zip(descs, shapes, strict=True)
    return tuple((desc.format.storage.ge_name, desc.dtype.ge_name, tuple(shape.storage)) for desc, shape in pairs)


KERNELS: Final = (
    Kernel("FindInferShapeFunc", find_infer_shape_func),
    Kernel("InferShape", infer_shape, outputs_creator=shape_outputs, trace_printer=trace_infer_shape),
)
