"""What networks are made of besides arithmetic: matrix products, softmax, transposing, picking, scaling by a number.

Source: spec/formats.md 5.4 for the attributes; what they mean is ONNX's.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np

from runtime.ops.library.row import Asked, Row
from runtime.ops.library.shape_rules import broadcast, same
from runtime.ops.op_def import Array, Evaluate, Result
from runtime.values import Shape

_MATRIX: Final = 2


def _turned(shape: Shape, turn: object) -> tuple[int, ...]:
    dims = tuple(shape)
    return (*dims[:-2], dims[-1], dims[-2]) if turn and len(dims) >= _MATRIX else dims


def _product_shape(first: str, second: str) -> Callable[[Asked], Sequence[Shape]]:
    def rule(asked: Asked) -> Sequence[Shape]:
        left = _turned(asked.shapes[0], asked.attrs.get(first))
        right = _turned(asked.shapes[1], asked.attrs.get(second))
        if not left or not right or left[-1] != right[-min(len(right), _MATRIX)]:
            raise ValueError(f"matrices {left} and {right} cannot be multiplied")
        rows = left[-2:-1] if len(left) >= _MATRIX else ()
        columns = right[-1:] if len(right) >= _MATRIX else ()
        return [Shape((*np.broadcast_shapes(left[:-2], right[:-2]), *rows, *columns))]

    return rule


def _product(first: str, second: str) -> Evaluate:
    def evaluate(arrays: Sequence[Array], attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
        left, right = (
            np.swapaxes(array, -1, -2) if attrs.get(name) and array.ndim >= _MATRIX else array
            for array, name in zip(arrays, (first, second), strict=False)
        )
        # Sums of halves are kept in single precision, as the matrix unit does.
        wide = np.float32 if left.dtype == np.float16 else left.dtype
        product = np.matmul(left.astype(wide), right.astype(wide))
        return (product if len(arrays) == _MATRIX else product + arrays[_MATRIX],)

    return evaluate


def _softmax(arrays: Sequence[Array], attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    axes = tuple(attrs.get("axes", (-1,)))
    powers = np.exp(arrays[0] - arrays[0].max(axis=axes, keepdims=True))
    return (powers / powers.sum(axis=axes, keepdims=True),)


def _transposed(asked: Asked) -> Sequence[Shape]:
    perm = asked.elements(1)
    if perm is None or sorted(perm.reshape(-1).tolist()) != list(range(len(asked.shapes[0]))):
        raise ValueError(f"{perm} does not name each dimension of {asked.shapes[0]} once")
    return [Shape(asked.shapes[0][int(at)] for at in perm.reshape(-1))]


def _transpose(arrays: Sequence[Array], _attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    return (np.transpose(arrays[0], arrays[1].reshape(-1).tolist()),)


def _axis(elements: Array | None, rank: int) -> int:
    axis = 0 if elements is None else int(elements.reshape(-1)[0])
    if not -rank <= axis < rank:
        raise ValueError(f"there is no axis {axis} of {rank}")
    return axis % rank


def _gathered(asked: Asked) -> Sequence[Shape]:
    x, indices = asked.shapes[:2]
    axis = _axis(asked.elements(2), len(x))
    return [Shape((*x[:axis], *indices, *x[axis + 1 :]))]


def _gather(arrays: Sequence[Array], _attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    return (np.take(arrays[0], arrays[1], axis=_axis(arrays[2], arrays[0].ndim)),)


def _sum(arrays: Sequence[Array], _attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    return (np.asarray(reduce(np.add, arrays)),)


def _by_number(function: Callable[[Array, Any], Array], attr: str) -> Evaluate:
    """Make an operator of an array and a number that is an attribute; the number takes the array's type."""
    return lambda arrays, attrs, _wanted: (np.asarray(function(arrays[0], arrays[0].dtype.type(attrs[attr]))),)


def _leaky(x: Array, slope: Any) -> Array:
    return np.where(x < 0, x * slope, x)


def _clip(arrays: Sequence[Array], _attrs: Mapping[str, Any], _wanted: Sequence[Result]) -> tuple[Array]:
    return (np.minimum(np.maximum(arrays[0], arrays[1]), arrays[2]),)


_NUMBERED: Final = (("Muls", np.multiply, "value"), ("Adds", np.add, "value"), ("LeakyRelu", _leaky, "negative_slope"))
_PRODUCTS: Final = (("MatMulV2", "transpose_x1", "transpose_x2"), ("BatchMatMulV2", "adj_x1", "adj_x2"))

ROWS: Final = (
    *(
        Row(name, ("x1", "x2"), ("y",), _product_shape(first, second), _product(first, second))
        for name, first, second in _PRODUCTS
    ),
    *(Row(name, ("x",), ("y",), same, _by_number(function, attr)) for name, function, attr in _NUMBERED),
    Row("SoftmaxV2", ("x",), ("y",), same, _softmax),
    Row("Transpose", ("x", "perm"), ("y",), _transposed, _transpose, (1,)),
    Row("GatherV2", ("x", "indices", "axis"), ("y",), _gathered, _gather, (2,)),
    Row("AccumulateNV2", ("x*",), ("y",), broadcast, _sum),
    Row("ClipByValue", ("x", "clip_value_min", "clip_value_max"), ("y",), same, _clip),
)
