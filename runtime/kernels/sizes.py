"""How many bytes a tensor takes (spec/lowering.md 11.H).

The device reads in lines of 32 bytes and past the end, so a size is rounded up to 32 and has 32 more (all
``Tensor size`` messages in logs of dialect rt2-2026).
"""

from typing import Any, Final

from getrace.events.shapes import TensorSize
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status
from runtime.values import DType, Shape, StorageShape, Tensor

_LINE = 32


def shape_of(value: Any) -> StorageShape:
    """Give the shapes of a value in a shape slot, which may be a whole tensor (spec/lowering.md 1.5)."""
    shape = value.shape if isinstance(value, Tensor) else value
    assert isinstance(shape, StorageShape)
    return shape


def unaligned_size(dtype: DType, shape: Shape) -> int:
    """Give the bytes of the elements alone."""
    return (shape.elements * dtype.bits + 7) // 8


def aligned_size(dtype: DType, shape: Shape) -> int:
    """Give the bytes to allocate."""
    return -(-unaligned_size(dtype, shape) // _LINE) * _LINE + _LINE


def from_shape(context: KernelContext) -> int:
    """Measure the shape that the model means."""
    context.set(0, aligned_size(context.input(0), shape_of(context.input(1)).origin))
    return Status.SUCCESS


def from_storage(context: KernelContext) -> int:
    """Measure the shape that lies in memory."""
    context.set(0, aligned_size(context.input(0), shape_of(context.input(1)).storage))
    return Status.SUCCESS


def unaligned_from_storage(context: KernelContext) -> int:
    """Measure the shape that lies in memory, without the room behind."""
    context.set(0, unaligned_size(context.input(0), shape_of(context.input(1)).storage))
    return Status.SUCCESS


def trace_shape(context: KernelContext) -> tuple[TensorSize, ...]:
    """Say type, shape and size."""
    return (TensorSize(context.input(0).number, tuple(shape_of(context.input(1)).origin), context.output(0)),)


def trace_storage(context: KernelContext) -> tuple[TensorSize, ...]:
    """Say type, storage shape and size."""
    return (TensorSize(context.input(0).number, tuple(shape_of(context.input(1)).storage), context.output(0)),)


KERNELS: Final = (
    Kernel("CalcTensorSizeFromShape", from_shape, trace_printer=trace_shape),
    Kernel("CalcTensorSizeFromStorage", from_storage, trace_printer=trace_storage),
    Kernel("CalcUnalignedTensorSizeFromStorage", unaligned_from_storage, trace_printer=trace_storage),
)
