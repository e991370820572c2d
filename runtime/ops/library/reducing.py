"""Operators along axes: sums and extremes, and joining tensors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from runtime.ops.library.row import Asked, Row
from runtime.ops.library.shape_rules import axes_of, without
from runtime.ops.op_def import Array, Evaluate, Result
from runtime.values import Shape

_REDUCE: Final[Mapping[str, Callable[..., Any]]] = {
    "Sum": np.sum,
    "Max": np.max,
    "Min": np.min,
    "Prod": np.prod,
    "Mean": np.mean,
}


def _reduced(asked: Asked) -> Sequence[Shape]:
    elements = asked.elements(1)
    if asked.attrs.get("noop_with_empty_axes") and (elements is None or not elements.size):
        return [asked.shapes[0]]
    axes = axes_of(asked, 1, "axes")
    return [without(asked.shapes[0], axes, keep=bool(asked.attrs.get("keep_dims", False)))]


def _reducer(function: Callable[..., Any]) -> Evaluate:
    def evaluate(arrays: Sequence[Array], attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
        given = arrays[1].reshape(-1).tolist() if len(arrays) > 1 else attrs.get("axes", ())
        axes = (given,) if isinstance(given, int) else tuple(given)
        if attrs.get("noop_with_empty_axes") and not axes:
            return (arrays[0],)
        return (np.asarray(function(arrays[0], axis=axes or None, keepdims=bool(attrs.get("keep_dims", False)))),)

    return evaluate


def _concatenated(asked: Asked) -> Sequence[Shape]:
    first, *others = asked.shapes
    axis = int(asked.attrs.get("concat_dim", 0)) % max(len(first), 1)
    if any(without(first, (axis,), keep=True) != without(other, (axis,), keep=True) for other in others):
        raise ValueError("tensors that are joined differ in another dimension")
    total = sum(shape[axis] for shape in asked.shapes)
    return [Shape(total if at == axis else dim for at, dim in enumerate(first))]


def _concatenate(arrays: Sequence[Array], attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    return (np.concatenate(arrays, axis=int(attrs.get("concat_dim", 0))),)


ROWS: Final = (
    *(
        Row(f"Reduce{name}", ("x", "axes"), ("y",), _reduced, _reducer(function), (1,))
        for name, function in _REDUCE.items()
    ),
    *(Row(f"Reduce{name}D", ("x",), ("y",), _reduced, _reducer(function)) for name, function in _REDUCE.items()),
    Row("ConcatD", ("x*",), ("y",), _concatenated, _concatenate),
)
