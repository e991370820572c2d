"""Kernels whose outputs are their inputs (spec/lowering.md 11.F).

They stand where two branches must give the same end point, or where nothing is fed. What an output owns is decided
here: a shape is copied, an address is shared, a pointed-to value belongs to the input alone.
"""

from collections.abc import Sequence
from typing import Any, Final

from runtime.kernels.context import Cell, KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Shape, StorageShape


def unfed_data(_context: KernelContext) -> int:
    """Run nothing: the input of the model is not fed."""
    return Status.SUCCESS


def shape_outputs(context: KernelContext) -> int:
    """Make one shape per output, for the life of the executor."""
    _own_shapes(context.outputs)
    return Status.SUCCESS


def shape_and_addr_outputs(context: KernelContext) -> int:
    """Make shapes for the first half of the outputs and tensor data for the second."""
    half = len(context.outputs) // 2
    _own_shapes(context.outputs[:half])
    for cell in context.outputs[half:]:
        data = GertTensorData()
        cell.own(data, data.free)
    return Status.SUCCESS


def _own_shapes(cells: Sequence[Cell]) -> None:
    for cell in cells:
        cell.own(StorageShape(Shape(), Shape()))


def identity_shape(context: KernelContext) -> int:
    """Copy each shape."""
    _copy_shapes(context.inputs, context.outputs)
    return Status.SUCCESS


def identity_addr(context: KernelContext) -> int:
    """Become one more owner of what each input has."""
    _share(context.inputs, context.outputs)
    return Status.SUCCESS


def identity_shape_and_addr(context: KernelContext) -> int:
    """Do both: the first half of the inputs are shapes, the second half addresses."""
    half = len(context.inputs) // 2
    _copy_shapes(context.inputs[:half], context.outputs[:half])
    _share(context.inputs[half:], context.outputs[half:])
    return Status.SUCCESS


def _copy_shapes(sources: Sequence[Cell], targets: Sequence[Cell]) -> None:
    for source, target in zip(sources, targets, strict=True):
        seen, copy = shape_of(source.value), target.value
        copy.origin, copy.storage = seen.origin, seen.storage


def _share(sources: Sequence[Cell], targets: Sequence[Cell]) -> None:
    for source, target in zip(sources, targets, strict=True):
        data: GertTensorData = target.value
        data.share_from(source.value)


def point_from_inputs(context: KernelContext) -> int:
    """Let each output be the very value of its input, without owning it."""
    for source, target in zip(context.inputs, context.outputs, strict=True):
        value: Any = source.value
        target.own(value)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("UnfedData", unfed_data),
    Kernel("IdentityShape", identity_shape, outputs_creator=shape_outputs),
    Kernel("IdentityAddr", identity_addr, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel(
        "IdentityShapeAndAddr",
        identity_shape_and_addr,
        outputs_creator=shape_and_addr_outputs,
        critical_section=MEMORY,
    ),
    Kernel("PointFromInputs", point_from_inputs),
)
