"""SplitToSequence: shapes of the pieces, the pieces themselves, and the sequence of them (spec/lowering.md 11.N).

The kernel that cuts is given no stream, so it waits for the whole device and copies while the host waits.
"""

from itertools import accumulate
from typing import Final

import numpy as np

from runtime.kernels.context import KernelContext
from runtime.kernels.engine_state import Item
from runtime.kernels.engines.sequences import container_of, give_handle
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of, unaligned_size
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Shape

_VECTOR = ("split_to_sequence_op.cc", 0, "GetSplitVecWithInput")


def piece_shapes(context: KernelContext) -> int:
    """Give the shape of each piece: of one element along the axis, of a given length, or of the given lengths."""
    axis, count, whole, *split = (cell.value for cell in context.inputs)
    dims = shape_of(whole).storage
    if not -len(dims) <= axis < len(dims):
        return context.kernel_error(_VECTOR, f"axis {axis} is out of the dimensions of {dims}")
    at = axis % len(dims)
    lengths = _lengths(context, dims[at], *split) if int(count) > 1 else [1] * dims[at]
    if sum(lengths) != dims[at] or min(lengths, default=0) < 0:
        return context.kernel_error(_VECTOR, f"pieces of {lengths} do not make {dims[at]}")
    context.set(0, [Shape((*dims[:at], length, *dims[at + 1 :])) for length in lengths])
    return Status.SUCCESS


def _lengths(context: KernelContext, whole: int, shape: object, data: GertTensorData) -> list[int]:
    dims, dtype = shape_of(shape).storage, context.compute_node.inputs[1].dtype
    device = context.machine.device
    space = device.host if data.placement.on_host else device.hbm
    given = np.frombuffer(space.read(data.addr, dims.elements * dtype.size), dtype.numpy).tolist()
    if dims:
        return [int(length) for length in given]
    step = max(int(given[0]), 1)
    return [min(step, whole - start) for start in range(0, whole, step)]


def cut(context: KernelContext) -> int:
    """Wait for the tensor and cut it."""
    axis, whole_shape, whole, shapes, pieces = (cell.value for cell in context.inputs)
    device, dtype = context.machine.device, context.compute_node.inputs[0].dtype
    dims = shape_of(whole_shape).storage
    size = unaligned_size(dtype, dims)
    ends = list(accumulate(shape[axis] for shape in shapes))[:-1]
    for stream in list(device.streams):
        if status := context.machine.synchronize(stream):
            return status
    device.clock.spend(device.cost_ns("copy", 2 * size))
    # Elements are bytes in a row here: a type that numpy lacks is cut as well as any other.
    raw = np.frombuffer(device.hbm.read(whole.addr, size) if size else b"", np.uint8).reshape(*dims, dtype.size)
    for piece, part in zip(pieces, np.split(raw, ends, axis % len(dims)), strict=True):
        if part.size:
            device.hbm.write(piece.addr, part.tobytes())
    return Status.SUCCESS


def store(context: KernelContext) -> int:
    """Make the sequence; without ``keepdims`` pieces of one element along the axis lose that dimension."""
    _, _, pieces, shapes, count, keep, axis, _, _ = (cell.value for cell in context.inputs)
    dtype = context.compute_node.inputs[0].dtype
    items = []
    for data, shape in zip(pieces, shapes, strict=True):
        at = axis % len(shape)
        dims = shape if keep or int(count) > 1 else Shape((*shape[:at], *shape[at + 1 :]))
        kept = GertTensorData()
        kept.share_from(data)
        items.append(Item(dims, dtype, kept))
    return give_handle(context, container_of(context), items)


KERNELS: Final = (
    Kernel("GetSplitVecWithInput", piece_shapes),
    Kernel("SplitToSequenceDoCompute", cut),
    Kernel("StoreSplitTensorToSequence", store),
)
