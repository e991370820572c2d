"""How many bytes a tensor takes (spec/lowering.md 11.H).

The device reads in lines of 32 bytes and past the end, so a size is rounded up to 32 and has 32 more (all
``Tensor size`` messages in logs of dialect rt2-2026).
"""

from struct import iter_unpack
from typing import Any, Final

from getrace.events.shapes import TensorSize
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, Shape, StorageShape, Tensor

_LINE = 32
_STRING_HEAD = 16
_STRING_TYPE = ("memory_copy.cc", 139, "CalcStringTensorSize")
_STRING_HEADS = ("memory_copy.cc", 148, "CalcStringTensorSize")
_STRING_TEXTS = ("memory_copy.cc", 175, "CalcStringTensorSize")


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
    return _with_room(unaligned_size(dtype, shape))


def _with_room(size: int) -> int:
    return -(-size // _LINE) * _LINE + _LINE


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


def string_size(context: KernelContext) -> int:
    """Measure a tensor of strings: a head of 16 bytes for each, then each text with its closing zero.

    A head is (address, length); heads on the device are read while the host waits (spec/lowering.md 11.H).
    """
    dtype, shape, source, _ = (cell.value for cell in context.inputs)
    if dtype != DType.STRING:
        return context.error(_STRING_TYPE, f"[Calc][String] data_type[{dtype.number}] is not DT_STRING")
    data: GertTensorData = source
    count = shape_of(shape).origin.elements
    heads = count * _STRING_HEAD
    if data.size < heads:
        text = f"[Calc][String]src tensor size [{data.size}] is less than calc string head size [{heads}]"
        return context.error(_STRING_HEADS, text, code=Status.PARAM_INVALID)
    size = heads + sum(length + 1 for length in _lengths(context, data, count))
    if data.size < size:
        text = f"[Calc][String]src tensor size [{data.size}] is less than calc string real size [{size}]"
        return context.error(_STRING_TEXTS, text, code=Status.PARAM_INVALID)
    context.set(0, _with_room(size))
    return Status.SUCCESS


def _lengths(context: KernelContext, data: GertTensorData, count: int) -> list[int]:
    device = context.machine.device
    space = device.hbm if data.placement.on_device else device.host
    if data.placement.on_device:
        device.clock.spend(device.copy_ns(count * _STRING_HEAD))
        device.advance()
    content = space.read(data.addr, count * _STRING_HEAD) if count else b""
    return [length for _, length in iter_unpack("<qq", content)]


def from_specified_shapes(context: KernelContext) -> int:
    """Measure several shapes of one type."""
    context.set(0, [aligned_size(context.input(0), shape) for shape in context.input(1)])
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
    Kernel("CalcStringTensorSize", string_size),
    Kernel("CalcTensorSizeFromSpecifiedShape", from_specified_shapes),
    Kernel("CalcUnalignedTensorSizeFromStorage", unaligned_from_storage, trace_printer=trace_storage),
)
