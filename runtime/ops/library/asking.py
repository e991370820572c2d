"""Operators whose result is a fact about the shapes of their inputs."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from runtime.ops.library.row import Asked, Row
from runtime.ops.op_def import Array, Result
from runtime.values import Shape


def _one_dim_each(asked: Asked) -> Sequence[Shape]:
    return [Shape((len(shape),)) for shape in asked.shapes]


def _shapes(arrays: Sequence[Array], _attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array, ...]:
    return tuple(np.array(array.shape, np.int64) for array in arrays)


def _scalar(_asked: Asked) -> Sequence[Shape]:
    return [Shape()]


def _rank(arrays: Sequence[Array], _attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    return (np.asarray(arrays[0].ndim),)


def _size(arrays: Sequence[Array], _attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    return (np.asarray(arrays[0].size),)


def _gathered(asked: Asked) -> Sequence[Shape]:
    return [Shape((len(asked.attrs.get("axes", ())),))]


def _gather(arrays: Sequence[Array], attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    return (np.array([arrays[number].shape[dim] for number, dim in attrs.get("axes", ())], np.int64),)


ROWS: Final = (
    Row("Shape", ("x",), ("y",), _one_dim_each, _shapes),
    Row("ShapeN", ("x*",), ("y*",), _one_dim_each, _shapes),
    Row("Rank", ("x",), ("y",), _scalar, _rank),
    Row("Size", ("x",), ("y",), _scalar, _size),
    Row("GatherShapes", ("x*",), ("shape",), _gathered, _gather),
)
