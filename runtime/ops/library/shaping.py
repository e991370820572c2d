"""Operators that give the same bytes another shape; GE's own engine runs only their shape inference."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from runtime.ops.library.row import Asked, Row
from runtime.ops.library.shape_rules import axes_of, reshaped, without
from runtime.ops.op_def import Array, Result
from runtime.values import Shape


def _reshape(asked: Asked) -> Sequence[Shape]:
    wanted = asked.elements(1)
    dims = asked.attrs.get("shape") if wanted is None else wanted.reshape(-1).tolist()
    if dims is None:
        raise ValueError("nobody says which shape is wanted")
    return [reshaped(asked.shapes[0], dims)]


def _squeeze(asked: Asked) -> Sequence[Shape]:
    shape = asked.shapes[0]
    elements = asked.elements(1)
    said = asked.attrs.get("axis", asked.attrs.get("axes", ()))
    given = said if elements is None else tuple(elements.reshape(-1).tolist())
    if not given and not isinstance(given, int):
        return [Shape(dim for dim in shape if dim != 1)]
    axes = axes_of(asked, 1, "axis" if "axis" in asked.attrs else "axes")
    if any(shape[axis] != 1 for axis in axes):
        raise ValueError(f"{shape} has more than one element along axes {axes}")
    return [without(shape, axes, keep=False)]


def _unsqueeze(asked: Asked) -> Sequence[Shape]:
    elements = asked.elements(1)
    given = asked.attrs.get("axes", asked.attrs.get("axis", ())) if elements is None else elements.reshape(-1).tolist()
    wanted = [given] if isinstance(given, int) else [int(axis) for axis in given]
    rank = len(asked.shapes[0]) + len(wanted)
    axes = {axis % rank for axis in wanted}
    if len(axes) != len(wanted):
        raise ValueError(f"axes {wanted} name one dimension twice")
    old = iter(asked.shapes[0])
    return [Shape(1 if at in axes else next(old) for at in range(rank))]


def _flatten(asked: Asked) -> Sequence[Shape]:
    shape, axis = asked.shapes[0], int(asked.attrs.get("axis", 1))
    return [Shape((Shape(shape[:axis]).elements, Shape(shape[axis:]).elements))]


def _bitcast(asked: Asked) -> Sequence[Shape]:
    shape = asked.shapes[0]
    before, after = asked.dtypes[0].size, asked.output_dtypes[0].size
    if before == after:
        return [shape]
    if before > after:
        return [Shape((*shape, before // after))]
    if not shape or shape[-1] * before != after:
        raise ValueError(f"the last dimension of {shape} does not fill one element")
    return [Shape(shape[:-1])]


def _same_bytes(arrays: Sequence[Array], _attrs: Mapping[str, Any], wanted: Sequence[Result]) -> tuple[Array]:
    raw = np.ascontiguousarray(arrays[0]).reshape(-1).view(np.uint8).view(wanted[0].dtype.numpy)
    return (raw if wanted[0].shape is None else raw.reshape(wanted[0].shape),)


ROWS: Final = (
    Row("Reshape", ("x", "shape"), ("y",), _reshape, _same_bytes, (1,)),
    Row("ExpandDims", ("x", "axis"), ("y",), _unsqueeze, _same_bytes, (1,)),
    Row("SqueezeV3", ("x", "axes"), ("y",), _squeeze, _same_bytes, (1,)),
    Row("UnsqueezeV3", ("x", "axes"), ("y",), _unsqueeze, _same_bytes, (1,)),
    Row("Squeeze", ("x",), ("y",), _squeeze, _same_bytes),
    Row("Unsqueeze", ("x",), ("y",), _unsqueeze, _same_bytes),
    Row("Flatten", ("x",), ("y",), _flatten, _same_bytes),
    Row("Bitcast", ("x",), ("y",), _bitcast, _same_bytes),
)
