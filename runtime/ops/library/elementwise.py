"""Operators that work element by element: one or two inputs of one type, broadcast, and an output of that type."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from runtime.ops.library.row import Row, elementwise
from runtime.ops.library.shape_rules import broadcast, same
from runtime.ops.op_def import Array


def relu(x: Array) -> Array:
    """Cut off what is below 0."""
    return np.asarray(np.maximum(x, np.zeros((), x.dtype)))


def sigmoid(x: Array) -> Array:
    """Squeeze into 0..1."""
    return np.asarray(1 / (1 + np.exp(-x)))


def divide(x: Array, y: Array) -> Array:
    """Divide; whole numbers are cut off towards 0, and a division by 0 gives 0 for them."""
    if x.dtype.kind == "f":
        return np.asarray(x / y)
    whole = np.trunc(np.divide(x, y, out=np.zeros(np.broadcast_shapes(x.shape, y.shape)), where=y != 0))
    return whole.astype(x.dtype)


def add_one(x: Array) -> Array:
    """Add 1, as the counting bodies of loops do."""
    return np.asarray(x + np.ones((), x.dtype))


_UNARY: Final[Mapping[str, Callable[[Array], Array]]] = {
    "Relu": relu,
    "Sigmoid": sigmoid,
    "Tanh": np.tanh,
    "Exp": np.exp,
    "Log": np.log,
    "Neg": np.negative,
    "Abs": np.abs,
    "Sqrt": np.sqrt,
    "Square": np.square,
    "Cast": np.asarray,
    "Add_1": add_one,
}

_BINARY: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": divide,
    "RealDiv": divide,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
}

ROWS: Final = (
    *(Row(name, ("x",), ("y",), same, elementwise(function)) for name, function in _UNARY.items()),
    *(Row(name, ("x1", "x2"), ("y",), broadcast, elementwise(function)) for name, function in _BINARY.items()),
)
