"""Shape rules: what they may say, what they give, and GE's words about those that cannot be read."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from runtime.ops.context import InferShapeContext
from runtime.ops.shape_rule import shape_rule_from_json
from runtime.ops.tensor import InputTensor
from runtime.values import DType, Shape, StorageShape

FAILED = 4294967295


def text(inputs: Any, outputs: Any) -> str:
    return json.dumps({"shape": {"inputs": inputs, "outputs": outputs}})


def inferred(rule: str, *shapes: Sequence[int], tensors: Sequence[InputTensor | None] = ()) -> list[tuple[int, ...]]:
    context = InferShapeContext("Mine", [Shape(shape) for shape in shapes], 1, tensors=tensors)
    found = shape_rule_from_json(rule)
    assert found.error == ""
    assert found.infer(context) == 0
    return [tuple(shape) for shape in context.output_shapes]


@pytest.mark.parametrize(
    ("dim", "value"),
    [
        ("s1+s0", 96),
        ("s1 - s0", 32),
        ("s1*s0", 2048),
        ("Div(s1,s0)", 2),
        ("Floor(Div(s1,3))", 21),
        ("Ceil(Div(s1,3))", 22),
        ("Div(s1,3)*3", 64),
        ("Pow(s0,2)", 1024),
        ("Mod(s1,7)", 1),
        ("(s1-s0)*2+-1", 63),
        ("128", 128),
        (24, 24),
    ],
)
def test_a_dimension_is_an_expression_over_symbols(dim: object, value: int) -> None:
    assert inferred(text([["s0", "s1"]], [[dim]]), (32, 64)) == [(value,)]


def test_the_first_place_of_a_symbol_counts_and_null_stands_for_any() -> None:
    assert inferred(text([["s0", None, 8], None, ["s0"]], [["s0"]]), (3, 4, 8), (1,), (5,)) == [(3,)]


@pytest.mark.parametrize("dtype", [DType.INT32, DType.UINT32, DType.INT64])
def test_a_value_symbol_is_an_element(dtype: DType) -> None:
    tensor = InputTensor(StorageShape.same((2,)), dtype, lambda: np.array([6, 7], dtype.numpy).tobytes())
    assert inferred(text([["v0", "v1"]], [["v1", "v0+1"]]), (2,), tensors=[tensor]) == [(7, 7)]


@pytest.mark.parametrize(
    ("rule", "tensor"),
    [
        (text([["s0", "s1"]], [["s1"]]), None),
        (text([["v0"]], [["v0"]]), None),
        (text([["v0"]], [["v0"]]), InputTensor(StorageShape.same((1,)), DType.FLOAT, lambda: bytes(4))),
        (text([["s0"]], [["Div(s0,0)"]]), None),
        (text([["s0"]], [["Mod(s0,0)"]]), None),
    ],
)
def test_what_cannot_be_worked_out_fails(rule: str, tensor: InputTensor | None) -> None:
    context = InferShapeContext("Mine", [Shape((4,))], 1, tensors=[tensor])
    assert shape_rule_from_json(rule).infer(context) == FAILED


OF_INPUT = "Error parsing input symbols: Invalid input[0].size(0)"
SYMBOL = "symbol dimension must start with 's' or 'v' and follow with a number"
OF_OUTPUT = "Error parsing output tensors: "


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ("{}", "Missing 'shape' field in rule json."),
        (text(3, []), "Invalid 'shape.inputs' field: 3 field must be an array or null."),
        (text([3], []), "Invalid 'shape.inputs' field: [3] element must be an array of dimension expressions."),
        (text([], [[2.5]]), "Invalid 'shape.outputs' field: [[2.5]] dimension expression must be a string or integer."),
        (text([["t0"]], []), f"{OF_INPUT}: t0, {SYMBOL}"),
        (text([["s0+2"]], []), f"{OF_INPUT}: s0+2, {SYMBOL}"),
        (text([["s0"]], [["s1"]]), f"{OF_OUTPUT}Symbol 's1' used in output but not defined in inputs"),
        (text([], [[None]]), f"{OF_OUTPUT}Invalid output[0].size(0): empty dimension"),
        (
            text([["s0"]], [["Sin(s0)"]]),
            f"{OF_OUTPUT}Invalid dim expr 'Sin(s0)': Invalid function: Sin, supported [Div, Floor, Ceil, Pow, Mod]",
        ),
        (
            text([["s0"]], [["s0/2"]]),
            f"{OF_OUTPUT}Invalid dim expr 's0/2': Expression contains invalid characters",
        ),
        (text([["s0"]], [["s0+"]]), "syntax error"),
        (text([["s0"]], [["s0**2"]]), "syntax error"),
        (text([["s0"]], [["Div(s0)"]]), "syntax error"),
    ],
)
def test_a_rule_that_cannot_be_read_keeps_its_error(rule: str, error: str) -> None:
    found = shape_rule_from_json(rule)
    assert found.error == error
    assert found.infer(InferShapeContext("Mine", [Shape((4,))], 1)) == FAILED


def test_a_text_that_is_no_json_says_so() -> None:
    assert shape_rule_from_json("{").error.startswith("Error parsing json: ")
