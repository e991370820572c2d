"""Operators that give a truth value per element, and the one that chooses by it."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from runtime.ops.library.row import Row, elementwise
from runtime.ops.library.shape_rules import broadcast, same
from runtime.ops.op_def import Array

_FIVE: Final = 5

_BINARY: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "LogicalAnd": np.logical_and,
    "LogicalOr": np.logical_or,
}

_UNARY: Final[Mapping[str, Callable[[Array], Array]]] = {
    "LogicalNot": np.logical_not,
    "LessThan_5": lambda x: np.less(x, _FIVE),
}

ROWS: Final = (
    *(Row(name, ("x1", "x2"), ("y",), broadcast, elementwise(function)) for name, function in _BINARY.items()),
    *(Row(name, ("x",), ("y",), same, elementwise(function)) for name, function in _UNARY.items()),
    Row("SelectV2", ("condition", "then", "else"), ("result",), broadcast, elementwise(np.where)),
)
