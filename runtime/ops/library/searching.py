"""Operators that know how large their result is only after they ran (spec/lowering.md 5.3).

What the shape rule gives is the largest shape possible: memory is made for it. ``Unique`` belongs to the fourth class:
on the AI CPU it says itself where its results lie, and its rule is asked by nobody.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from runtime.ops.library.row import Asked, Row
from runtime.ops.op_def import Array, Result
from runtime.values import Shape


def _positions_at_most(asked: Asked) -> Sequence[Shape]:
    shape = asked.shapes[0]
    return [Shape((shape.elements, len(shape)))]


def _positions_at_least(asked: Asked) -> Sequence[Shape]:
    return [Shape((0, len(asked.shapes[0])))]


def _positions(arrays: Sequence[Array], _attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    return (np.argwhere(arrays[0]).astype(np.int64),)


def _values_at_most(asked: Asked) -> Sequence[Shape]:
    elements = asked.shapes[0].elements
    return [Shape((elements,))] * asked.outputs


def _values_at_least(asked: Asked) -> Sequence[Shape]:
    return [Shape((0,))] * asked.outputs


def _unique(arrays: Sequence[Array], _attrs: Mapping[str, Any], wanted: Sequence[Result]) -> tuple[Array, ...]:
    """Give the different elements in the order in which they first stand, and for each element which one it is."""
    flat = arrays[0].reshape(-1)
    _, first, which = np.unique(flat, return_index=True, return_inverse=True)
    turn = np.argsort(first, kind="stable")
    place = np.empty_like(turn)
    place[turn] = np.arange(turn.size)
    return (flat[first[turn]], place[which.reshape(-1)])[: len(wanted)]


ROWS: Final = (
    Row("NonZero", ("x",), ("y",), _positions_at_most, _positions, least=_positions_at_least),
    Row("Where", ("x",), ("y",), _positions_at_most, _positions, least=_positions_at_least),
    Row("Unique", ("x",), ("y", "idx"), _values_at_most, _unique, least=_values_at_least),
)
