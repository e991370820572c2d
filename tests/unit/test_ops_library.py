"""The library of operators: what each computes, and that its shape inference says the same shape."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from getrace.errors import InternalError
from runtime.ops.builtin import builtin_ops
from runtime.ops.context import InferShapeContext
from runtime.ops.library import ROWS
from runtime.ops.library.row import register_rows
from runtime.ops.op_def import KernelArgs, Result
from runtime.ops.range_context import InferShapeRangeContext
from runtime.ops.tensor import InputTensor
from runtime.values import DType, Shape, StorageShape

F, N, L, B = np.float32, np.int32, np.int64, np.bool_
DTYPES = {np.dtype(F): DType.FLOAT, np.dtype(N): DType.INT32, np.dtype(L): DType.INT64, np.dtype(B): DType.BOOL}

Array = npt.NDArray[Any]


def f(*values: Any) -> Array:
    return np.array(values, F)


def i(*values: Any) -> Array:
    return np.array(values, N)


def b(*values: Any) -> Array:
    return np.array(values, B)


M = np.arange(6, dtype=F).reshape(2, 3)
NONE: Mapping[str, Any] = {}
ROWS_RUN: list[tuple[str, list[Array], Mapping[str, Any], Any, DType]] = [
    ("Relu", [f(-1, 0, 2)], NONE, [0, 0, 2], DType.FLOAT),
    ("Sigmoid", [f(0)], NONE, [0.5], DType.FLOAT),
    ("Tanh", [f(0, 1)], NONE, [0, 0.7615942], DType.FLOAT),
    ("Exp", [f(0, 1)], NONE, [1, 2.7182817], DType.FLOAT),
    ("Log", [f(1)], NONE, [0], DType.FLOAT),
    ("Neg", [i(3, -2)], NONE, [-3, 2], DType.INT32),
    ("Abs", [i(3, -2)], NONE, [3, 2], DType.INT32),
    ("Sqrt", [f(4, 9)], NONE, [2, 3], DType.FLOAT),
    ("Square", [f(3, -2)], NONE, [9, 4], DType.FLOAT),
    ("Cast", [f(1.9, -1.9)], NONE, [1, -1], DType.INT32),
    ("Add_1", [f(4)], NONE, [5], DType.FLOAT),
    ("Add", [M, f(10, 20, 30)], NONE, [[10, 21, 32], [13, 24, 35]], DType.FLOAT),
    ("Sub", [i(5, 3), i(2, 4)], NONE, [3, -1], DType.INT32),
    ("Mul", [i(5, 3), i(2, 4)], NONE, [10, 12], DType.INT32),
    ("Div", [f(5, 3), f(2, 4)], NONE, [2.5, 0.75], DType.FLOAT),
    ("Div", [i(5, -5, 7), i(2, 2, 0)], NONE, [2, -2, 0], DType.INT32),
    ("RealDiv", [f(1), f(4)], NONE, [0.25], DType.FLOAT),
    ("Maximum", [f(1, 5), f(3, 2)], NONE, [3, 5], DType.FLOAT),
    ("Minimum", [f(1, 5), f(3, 2)], NONE, [1, 2], DType.FLOAT),
    ("Less", [f(1, 5), f(3, 2)], NONE, [True, False], DType.BOOL),
    ("LessEqual", [f(3, 5), f(3, 2)], NONE, [True, False], DType.BOOL),
    ("Greater", [f(1, 5), f(3, 2)], NONE, [False, True], DType.BOOL),
    ("GreaterEqual", [f(1, 2), f(3, 2)], NONE, [False, True], DType.BOOL),
    ("Equal", [i(1, 2), i(3, 2)], NONE, [False, True], DType.BOOL),
    ("NotEqual", [i(1, 2), i(3, 2)], NONE, [True, False], DType.BOOL),
    ("LogicalAnd", [b(True, True), b(True, False)], NONE, [True, False], DType.BOOL),
    ("LogicalOr", [b(False, True), b(False, False)], NONE, [False, True], DType.BOOL),
    ("LogicalNot", [b(False, True)], NONE, [True, False], DType.BOOL),
    ("LessThan_5", [f(4.5, 5)], NONE, [True, False], DType.BOOL),
    ("SelectV2", [b(True, False), f(1, 2), f(8, 9)], NONE, [1, 9], DType.FLOAT),
    ("ReduceSum", [M, i(0)], NONE, [3, 5, 7], DType.FLOAT),
    ("ReduceSum", [M, i(-1)], {"keep_dims": True}, [[3], [12]], DType.FLOAT),
    ("ReduceMax", [M, i(0, 1)], NONE, 5, DType.FLOAT),
    ("ReduceMin", [M, i(1)], NONE, [0, 3], DType.FLOAT),
    ("ReduceProd", [f(2, 3, 4), i(0)], NONE, 24, DType.FLOAT),
    ("ReduceSumD", [M], {"axes": (1,)}, [3, 12], DType.FLOAT),
    ("ReduceMaxD", [M], NONE, 5, DType.FLOAT),
    ("ReduceMinD", [M], {"axes": (0,), "keep_dims": True}, [[0, 1, 2]], DType.FLOAT),
    ("ReduceProdD", [M], {"axes": 1}, [0, 60], DType.FLOAT),
    ("ConcatD", [M, M[:, :1]], {"concat_dim": 1}, [[0, 1, 2, 0], [3, 4, 5, 3]], DType.FLOAT),
    ("Reshape", [M, i(3, -1)], NONE, [[0, 1], [2, 3], [4, 5]], DType.FLOAT),
    ("ExpandDims", [f(1, 2), i(0)], NONE, [[1, 2]], DType.FLOAT),
    ("Squeeze", [np.ones((1, 2, 1), F)], NONE, [1, 1], DType.FLOAT),
    ("Squeeze", [np.ones((1, 2, 1), F)], {"axis": (0,)}, [[1], [1]], DType.FLOAT),
    ("Unsqueeze", [f(1, 2)], {"axes": (0, 2)}, [[[1], [2]]], DType.FLOAT),
    ("Flatten", [np.ones((2, 1, 2), F)], NONE, [[1, 1], [1, 1]], DType.FLOAT),
    ("Bitcast", [f(1)], NONE, [1065353216], DType.INT32),
    ("Bitcast", [i(7, 0)], NONE, 7, DType.INT64),
    ("Shape", [M], NONE, [2, 3], DType.INT64),
    ("Rank", [M], NONE, 2, DType.INT32),
    ("Size", [M], NONE, 6, DType.INT32),
    ("GatherShapes", [M, f(1)], {"axes": ((1, 0), (0, 1))}, [1, 3], DType.INT32),
    ("Assign", [f(1, 2), f(5, 6)], NONE, [5, 6], DType.FLOAT),
    ("AssignAdd", [f(1, 2), f(5, 6)], NONE, [6, 8], DType.FLOAT),
    ("AssignSub", [f(1, 2), f(5, 6)], NONE, [-4, -4], DType.FLOAT),
]


def tensor(array: Array) -> InputTensor:
    return InputTensor(StorageShape.same(array.shape), DTYPES[array.dtype], array.tobytes)


def asked(inputs: list[Array], attrs: Mapping[str, Any], outputs: list[DType], depends: tuple[int, ...]) -> Any:
    return InferShapeContext(
        "Op",
        [Shape(array.shape) for array in inputs],
        len(outputs),
        attrs=attrs,
        tensors=[tensor(array) if index in depends else None for index, array in enumerate(inputs)],
        dtypes=[DTYPES[array.dtype] for array in inputs],
        output_dtypes=outputs,
    )


@pytest.mark.parametrize(("name", "inputs", "attrs", "expected", "dtype"), ROWS_RUN)
def test_an_operator_computes_what_it_is_called_and_infers_the_shape_of_it(
    name: str, inputs: list[Array], attrs: Mapping[str, Any], expected: Any, dtype: DType
) -> None:
    op = builtin_ops().find(name)
    assert op.evaluate is not None
    assert op.infer_shape is not None
    context = asked(inputs, attrs, [dtype], op.data_dependency)
    assert op.infer_shape(context) == 0
    (shape,) = context.output_shapes
    (found,) = op.evaluate(inputs, attrs, [Result(dtype, shape)])
    wanted = np.array(expected, dtype.numpy)
    assert shape == wanted.shape == found.shape
    np.testing.assert_allclose(found.astype(dtype.numpy), wanted, rtol=1e-6)


def test_shapes_of_several_inputs_come_as_several_outputs() -> None:
    op = builtin_ops().find("ShapeN")
    assert op.evaluate is not None
    found = op.evaluate([M, f(1)], {}, [Result(DType.INT64)] * 2)
    assert [array.tolist() for array in found] == [[2, 3], [1]]


@pytest.mark.parametrize("name", ["NonZero", "Where"])
def test_positions_are_bounded_by_all_elements_and_counted_after_the_run(name: str) -> None:
    op = builtin_ops().find(name)
    assert op.evaluate is not None
    assert op.infer_shape is not None
    values = np.array([[0, 2], [3, 0]], N)
    context = asked([values], {}, [DType.INT64], ())
    assert op.infer_shape(context) == 0
    assert context.output_shapes == ((4, 2),)
    (found,) = op.evaluate([values], {}, [Result(DType.INT64)])
    assert found.tolist() == [[0, 1], [1, 0]]


def test_unique_keeps_the_order_in_which_elements_first_stand() -> None:
    op = builtin_ops().find("Unique")
    assert op.evaluate is not None
    values, which = op.evaluate([i(7, 3, 7, 1, 3)], {}, [Result(DType.INT32), Result(DType.INT64)])
    assert values.tolist() == [7, 3, 1]
    assert which.tolist() == [0, 1, 0, 2, 1]


@pytest.mark.parametrize(
    ("name", "inputs", "attrs"),
    [
        ("Add", [f(1, 2), f(1, 2, 3)], NONE),
        ("ReduceSum", [M, i(2)], NONE),
        ("ConcatD", [M, f(1, 2)], {"concat_dim": 0}),
        ("Reshape", [M, i(4, -1)], NONE),
        ("Reshape", [M, i(-1, -1)], NONE),
        ("Squeeze", [M], {"axis": (0,)}),
        ("Unsqueeze", [M], {"axes": (0, 0)}),
    ],
)
def test_inputs_that_do_not_fit_fail_shape_inference(name: str, inputs: list[Array], attrs: Mapping[str, Any]) -> None:
    op = builtin_ops().find(name)
    assert op.infer_shape is not None
    assert op.infer_shape(asked(inputs, attrs, [DType.FLOAT], op.data_dependency)) == 0xFFFFFFFF


def test_a_row_is_entered_once() -> None:
    ops = builtin_ops()
    with pytest.raises(InternalError, match="operator Relu is defined twice"):
        register_rows(ops, ROWS[:1])


def test_a_shape_range_goes_from_nothing_to_all_elements() -> None:
    op = builtin_ops().find("NonZero")
    assert op.infer_shape_range is not None
    context = InferShapeRangeContext("NonZero", [(Shape((2, 3)), Shape((2, 3)))], 1)
    assert op.infer_shape_range(context) == 0
    (found,) = context.output_ranges
    assert (found.least.shape, found.most.shape) == ((0, 2), (6, 2))


def test_a_kernel_on_the_cores_tells_the_shape_it_found() -> None:
    op = builtin_ops().find("NonZero")
    assert op.compute is not None
    out, told = np.zeros(8, L), np.zeros(9, np.uint64)
    op.compute(KernelArgs((i(0, 3, 4, 0),), (out,), (Shape((4,)),), (Shape((4, 1)),), (), b"", 0, 1, {}, told))
    assert out.tolist() == [1, 2, 0, 0, 0, 0, 0, 0]
    assert told.tolist()[:3] == [2 | 1 << 31, 2, 1]
