"""The shapes of outputs, by what is known of the inputs.

A rule raises ValueError when the inputs do not fit together; shape inference fails then, as an author's code would.
"""

from collections.abc import Sequence

import numpy as np

from runtime.ops.library.row import Asked
from runtime.values import Shape


def same(asked: Asked) -> Sequence[Shape]:
    """Give each output the shape of the first input."""
    return [asked.shapes[0]] * asked.outputs


def broadcast(asked: Asked) -> Sequence[Shape]:
    """Give the shape that all inputs stretch to, as numpy does."""
    return [Shape(np.broadcast_shapes(*asked.shapes))]


def axes_of(asked: Asked, index: int, attr: str) -> tuple[int, ...]:
    """Give axes, counted from the front, from the elements of an input or from an attribute; none means all."""
    rank = len(asked.shapes[0])
    elements = asked.elements(index)
    given = asked.attrs.get(attr, ()) if elements is None else elements.reshape(-1).tolist()
    axes = (given,) if isinstance(given, int) else tuple(int(axis) for axis in given)
    if any(not -rank <= axis < max(rank, 1) for axis in axes):
        raise ValueError(f"axes {axes} of a tensor with {rank} dimensions")
    return tuple(sorted({axis % rank for axis in axes})) if axes else tuple(range(rank))


def without(shape: Shape, axes: Sequence[int], *, keep: bool) -> Shape:
    """Drop axes, or make them 1 long."""
    return Shape(1 if at in axes else dim for at, dim in enumerate(shape) if keep or at not in axes)


def reshaped(shape: Shape, wanted: Sequence[int]) -> Shape:
    """Give the wanted dimensions, the one that is -1 computed from the rest."""
    known = [int(dim) for dim in wanted if dim != -1]
    if len(wanted) - len(known) > 1:
        raise ValueError("more than one dimension is -1")
    product = Shape(known).elements
    missing = shape.elements // product if product else 0
    found = Shape(missing if dim == -1 else dim for dim in wanted)
    if found.elements != shape.elements:
        raise ValueError(f"{shape} cannot become {list(wanted)}")
    return found
