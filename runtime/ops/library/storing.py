"""Operators that write into their first input: their output is that input."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from runtime.ops.library.row import Row, elementwise
from runtime.ops.library.shape_rules import same
from runtime.ops.op_def import Array


def _replaced(ref: Array, value: Array) -> Array:
    return np.asarray(np.broadcast_to(value, ref.shape))


_STORE: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "Assign": _replaced,
    "AssignAdd": np.add,
    "AssignSub": np.subtract,
}

ROWS: Final = tuple(
    Row(name, ("ref", "value"), ("ref",), same, elementwise(function)) for name, function in _STORE.items()
)
