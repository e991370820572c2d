"""What a model's description answers about shapes: the bytes of a tensor, and whether a shape is one the model takes.

Source: spec/execution.md 1.9 (``ModelIoDesc::GetSize``, ``IsShapeInRange``, ``CheckShapeByShapeRange``).
"""

from collections.abc import Sequence
from typing import Final

from runtime.graph.compute_graph import TensorDesc
from runtime.lowering.model_desc import ModelIoDesc
from runtime.values import UNKNOWN_RANK, Shape

_MOST: Final = (1 << 63) - 1
Range = Sequence[tuple[int, int]]


def io_size(io: ModelIoDesc) -> int:
    """``GetSize``: bytes of the tensor; 0 when a dimension is open, or the number is no int64."""
    shape = io.desc.storage
    if not shape.is_known:
        return 0
    size = (shape.elements * io.desc.dtype.bits + 7) // 8
    return size if size <= _MOST else 0


def is_shape_in_range(io: ModelIoDesc, shape: Shape) -> bool:
    """``IsShapeInRange``: whether the model takes a tensor that lies in memory with this shape."""
    return shape_fault(shape, storage_range(io.desc)) is None


def is_origin_shape_in_range(io: ModelIoDesc, shape: Shape) -> bool:
    """``IsOriginShapeInRange``: the same for the shape as the model means it."""
    return shape_fault(shape, origin_range(io.desc)) is None


def storage_range(desc: TensorDesc) -> Range | None:
    """Give the least and the most of each dimension in memory; None when any shape will do."""
    return origin_range(desc) if desc.storage_is_origin else _range_of(desc.storage)


def origin_range(desc: TensorDesc) -> Range | None:
    """Give the least and the most of each dimension as the model means it; None when any shape will do."""
    return _range_of(desc.shape) if desc.shape_range is None else desc.shape_range


def _range_of(shape: Shape) -> Range | None:
    if shape == (UNKNOWN_RANK,):
        return None
    return [(dim, dim) if dim >= 0 else (0, -1) for dim in shape]


def shape_fault(shape: Shape, limits: Range | None) -> str | None:
    """``CheckShapeByShapeRange``: say in GE's words what is wrong with a shape, None when nothing is."""
    if limits is None:
        return None
    if len(shape) != len(limits):
        number = len(limits)
        return f"Shape size {len(shape)} is different from min shape size {number} or max shape size {number}"
    faults = (_dim_fault(dim, *limit) for dim, limit in zip(shape, limits, strict=True) if dim != -1)
    return next((fault for fault in faults if fault is not None), None)


def _dim_fault(dim: int, least: int, most: int) -> str | None:
    if least < 0:
        return f"lower bound[{least}] is less than 0"
    upper = _MOST if most == -1 else most
    if least > upper:
        return f"lower bound[{least}] is larger than upper bound[{upper}]"
    return None if least <= dim <= upper else f"cur dim[{dim}] is not in shape range[{least}, {upper}]"
