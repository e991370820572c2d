"""Family I, shape inference: each kernel type is run (spec/lowering.md 11.I, 4.1; kerneltrace.md 3.4)."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from kernel_runs import Workbench

from getrace.events.memory import EmptyOutputs
from getrace.events.shapes import NodeType, RangesIn, RangesOut, ShapesIn, ShapesOut
from runtime.kernels.context import ComputeNodeInfo, IoDesc, KernelContext
from runtime.kernels.infer_range import TensorRange
from runtime.ops.context import InferShapeContext
from runtime.ops.op_def import OpDef
from runtime.ops.operator_v1 import Operator
from runtime.ops.range_context import InferShapeRangeContext
from runtime.ops.registry import (
    OpRegistry,
    impl_op_infershape,
    impl_op_infershaperange,
    infer_func_reg,
    op_add,
)
from runtime.values import DType, Format, Shape, StorageFormat, StorageShape

FAILED, PARAM_INVALID = 4294967295, 1343225857
FLOAT = IoDesc(DType.FLOAT)
NODE = ComputeNodeInfo("op", "Mine", (FLOAT, FLOAT), (FLOAT,))
FIVE = IoDesc(DType.FLOAT, StorageFormat(Format.NCHW, Format.NC1HWC0))
A, B = StorageShape.same((2, 3)), StorageShape.same((4,))
RULE = json.dumps({"shape": {"inputs": [["s0", None], ["s1"]], "outputs": [["s1*s0", "Ceil(Div(s0,2))", 7]]}})


def second_of(context: InferShapeContext) -> int:
    given, wanted = context.get_input_shape(1), context.get_output_shape(0)
    wanted.set_dim_num(given.get_dim_num())
    for index in range(given.get_dim_num()):
        wanted.set_dim(index, given.get_dim(index))
    return 0


def by_value(context: InferShapeContext) -> int:
    tensor, wanted = context.get_input_tensor(1), context.get_output_shape(0)
    if tensor is None:
        return FAILED
    dims = tensor.get_data().tolist()
    wanted.set_dim_num(len(dims))
    for index, dim in enumerate(dims):
        wanted.set_dim(index, dim)
    return 0


def up_to_twice(context: InferShapeRangeContext) -> int:
    given, wanted = context.get_input_shape_range(0), context.get_output_shape_range(0)
    for end, factor in ((wanted.get_min(), 0), (wanted.get_max(), 2)):
        end.set_dim_num(1)
        end.set_dim(0, factor * given.get_max().get_dim(0))
    return 0


def old_second_of(operator: Operator) -> int:
    desc = operator.get_output_desc(0)
    desc.shape = operator.get_input_desc(1).shape
    desc.shape_range = operator.get_input_desc(1).shape_range
    return 0


def ops_with(**parts: Any) -> OpRegistry:
    ops = OpRegistry()
    for name in parts:
        op_add(ops, OpDef(name, (), ()))
    return ops


def shapes_of(context: KernelContext) -> list[tuple[int, ...]]:
    return [tuple(cell.value.shape.origin) for cell in context.outputs]


@pytest.mark.parametrize(
    ("kernel", "enter", "function"),
    [
        ("FindInferShapeFunc", impl_op_infershape, second_of),
        ("FindInferShapeRangeFunc", impl_op_infershaperange, up_to_twice),
    ],
)
@pytest.mark.parametrize("owner", ["Mine", "DefaultImpl"])
def test_a_function_is_found_by_type_or_the_default_serves(
    kernel: str, enter: Callable[..., None], function: Callable[..., int], owner: str
) -> None:
    bench = Workbench()
    ops = ops_with(Mine=1, DefaultImpl=1)
    enter(ops, owner, function)
    context = bench.context(kernel, "Mine", ops)
    assert bench.run(context) == 0
    assert context.output(0) is function


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        ("FindInferShapeFunc", "Failed to find infer shape kernel, node type Mine"),
        ("FindInferShapeRangeFunc", "Failed to find infer shape range kernel, node type Mine"),
    ],
)
def test_a_function_that_nobody_registered_is_missed(kernel: str, text: str) -> None:
    bench = Workbench()
    assert bench.run(bench.context(kernel, "Mine", ops_with(Mine=1))) == FAILED
    assert bench.said() == [f"[{kernel}][k]{text}"]


@pytest.mark.parametrize("kernel", ["FindCompatibleInferShapeFunc", "FindCompatibleInferShapeRangeFunc"])
def test_the_old_registry_serves_shapes_and_ranges(kernel: str) -> None:
    bench = Workbench()
    op_add(bench.machine.ops, OpDef("Mine", (), ()))
    context = bench.context(kernel, "Mine")
    assert bench.run(context) == FAILED
    infer_func_reg(bench.machine.ops, "Mine", old_second_of)
    assert bench.run(context) == 0
    assert context.output(0) is old_second_of
    assert bench.run(bench.context(kernel, "Other")) == FAILED
    assert bench.said() == [
        "Failed to find v1 infer shape func, node type Mine",
        "Failed to find infer shape kernel, node type Other",
    ]


def desc(*dims: int) -> tuple[str, str, tuple[int, ...]]:
    return ("ND", "DT_FLOAT", dims)


def test_shapes_are_inferred_and_said() -> None:
    bench = Workbench()
    context = bench.context("InferShape", A, B, second_of, node=NODE)
    assert bench.run(context) == 0
    assert shapes_of(context) == [(4,)]
    assert bench.traces(context) == [
        NodeType("Mine"),
        ShapesIn((desc(2, 3), desc(4)), (desc(2, 3), desc(4))),
        ShapesOut((desc(4),), (desc(4),)),
    ]


def test_an_operator_may_read_the_values_of_a_host_tensor() -> None:
    bench = Workbench()
    values = bench.host_tensor(np.array([5, 6], np.int64), DType.INT64)
    context = bench.context("InferShape", A, values, by_value, node=NODE)
    assert bench.run(context) == 0
    assert shapes_of(context) == [(5, 6)]
    assert bench.run(bench.context("InferShape", A, B, by_value, node=NODE)) == FAILED


@pytest.mark.parametrize(("kernel", "inputs"), [("LoadShapeRuleFromJson", 0), ("LoadShapeRuleFromBinary", 2)])
def test_a_rule_is_loaded_and_evaluated(kernel: str, inputs: int) -> None:
    bench = Workbench()
    loaded = bench.context(kernel, *([b"\x7fELF", 4][:inputs]), RULE)
    assert bench.run(loaded) == 0
    context = bench.context("InferShapeByRule", A, B, loaded.output(0), node=NODE)
    assert bench.run(context) == 0
    assert shapes_of(context) == [(8, 1, 7)]
    assert bench.traces(context)[2] == ShapesOut((desc(8, 1, 7),), (desc(8, 1, 7),))


def rule(inputs: Sequence[Any], outputs: Sequence[Any]) -> str:
    return json.dumps({"shape": {"inputs": inputs, "outputs": outputs}})


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("{}", PARAM_INVALID, "Assert ((*rule)->Error() == \"\") failed, Missing 'shape' field in rule json."),
        (rule([], [["Div(1,0)"]]), FAILED, "[InferShapeByRule][k]Failed infer shape for node op(Mine)"),
        (rule([["s0"] * 3], [["s0"]]), 0, ""),
        (rule([[None] * 3 + ["s0"]], [["s0"]]), FAILED, "[InferShapeByRule][k]Failed infer shape for node op(Mine)"),
    ],
)
def test_a_rule_that_cannot_be_used_fails_when_it_is(text: str, status: int, said: str) -> None:
    bench = Workbench()
    loaded = bench.context("LoadShapeRuleFromJson", text)
    assert bench.run(loaded) == 0
    context = bench.context("InferShapeByRule", A, B, loaded.output(0), node=NODE)
    assert bench.run(context) == status
    assert bench.said() == ([said] if said else [])


@pytest.mark.parametrize(
    ("origin", "format_", "dtype", "storage"),
    [
        ((2048,), StorageFormat(Format.NCHW, Format.FRACTAL_NZ), DType.FLOAT16, (1, 128, 16, 16)),
        ((8, 1, 32), StorageFormat(Format.NCHW, Format.FRACTAL_NZ), DType.FLOAT16, (8, 2, 1, 16, 16)),
        ((8, 1, 256), StorageFormat(Format.NCHW, Format.FRACTAL_NZ), DType.FLOAT16, (8, 16, 1, 16, 16)),
        ((33, 33), StorageFormat(Format.ND, Format.FRACTAL_NZ), DType.INT8, (2, 3, 16, 32)),
        ((1, 17, 4, 5), StorageFormat(Format.NCHW, Format.NC1HWC0), DType.FLOAT16, (1, 2, 4, 5, 16)),
        ((1, 4, 5, 17), StorageFormat(Format.NHWC, Format.NC1HWC0), DType.FLOAT16, (1, 2, 4, 5, 16)),
        ((3,), StorageFormat(), DType.FLOAT, (3,)),
    ],
)
def test_an_output_has_the_shape_of_its_format_in_memory(
    origin: tuple[int, ...], format_: StorageFormat, dtype: DType, storage: tuple[int, ...]
) -> None:
    """The first three are lines of GraphExecutorWithKernelUnitTest.ExecuteModel_HostInput."""
    bench = Workbench()
    node = ComputeNodeInfo("op", "Mine", (FLOAT, FLOAT), (IoDesc(dtype, format_),))
    context = bench.context("InferShape", A, StorageShape.same(origin), second_of, node=node)
    assert bench.run(context) == 0
    assert context.output(0).shape == StorageShape(Shape(origin), Shape(storage))


def test_a_shape_that_its_format_does_not_fit_is_refused() -> None:
    bench = Workbench()
    node = ComputeNodeInfo("op", "Mine", (FLOAT,), (FIVE,))
    loaded = bench.context("LoadShapeRuleFromJson", rule([["s0"]], [["s0"]]))
    assert bench.run(loaded) == 0
    assert bench.run(bench.context("InferShapeByRule", A, loaded.output(0), node=node)) == FAILED
    assert bench.said() == ["[InferShapeByRule][k]Failed transfer shape format for node op(Mine)"]


def test_ranges_go_from_a_shape_to_itself() -> None:
    bench = Workbench()
    context = bench.context("CreateTensorRangesAndShapeRanges", A, B, outputs=2)
    assert bench.run(context) == 0
    assert [context.output(0), context.output(1)] == [TensorRange(A, A), TensorRange(B, B)]


def test_the_range_of_an_output_has_a_least_and_a_most_shape() -> None:
    bench = Workbench()
    node = ComputeNodeInfo("op", "Mine", (FLOAT,), (FLOAT,))
    context = bench.context("InferShapeRange", TensorRange(B, B), up_to_twice, outputs=3, node=node)
    assert bench.run(context) == 0
    least, most = context.output(1), context.output(2)
    assert (least.shape, most.shape) == (StorageShape.same((0,)), StorageShape.same((8,)))
    assert context.output(0) == TensorRange(least, most)
    assert bench.traces(context) == [
        NodeType("Mine"),
        RangesIn((("ND", "DT_FLOAT", ((4, 4),)),)),
        RangesOut((("ND", "DT_FLOAT", ((0, 8),)),)),
    ]


def test_a_range_whose_ends_have_other_ranks_is_said_in_words() -> None:
    bench = Workbench()
    node = ComputeNodeInfo("op", "Mine", (FLOAT,), (FLOAT,))
    context = bench.context("InferShapeRange", TensorRange(A, B), up_to_twice, outputs=3, node=node)
    assert bench.run(context) == 0
    assert bench.traces(context)[1] == RangesIn(
        (("ND", "DT_FLOAT", "dim num not match. max dim num: 1, min dim num: 2"),)
    )


def test_a_range_function_that_fails_is_named() -> None:
    bench = Workbench()
    context = bench.context("InferShapeRange", TensorRange(B, B), lambda _: 7, outputs=3, node=NODE)
    assert bench.run(context) == FAILED
    assert bench.said() == ["[InferShapeRange][k]infer shape range failed, node type Mine, name op, error-code 7"]


def operator(bench: Workbench, node: ComputeNodeInfo = NODE) -> Operator:
    context = bench.context("CreateOpFromBuffer", b"", 0, node=node)
    assert bench.run(context) == 0
    made: Operator = context.output(0)
    return made


def test_an_old_operator_is_built_from_its_compute_node() -> None:
    made = operator(Workbench())
    assert (made.name, made.type, len(made.inputs), len(made.outputs)) == ("op", "Mine", 2, 1)


def test_an_old_operator_infers_its_shapes() -> None:
    bench = Workbench()
    context = bench.context("CompatibleInferShape", operator(bench), old_second_of, A, B, node=NODE)
    assert bench.run(context) == 0
    assert shapes_of(context) == [(4,)]
    assert bench.traces(context) == [
        NodeType("Mine"),
        ShapesIn((desc(2, 3), desc(4)), (desc(2, 3), desc(4))),
        ShapesOut((desc(4),), (desc(4),)),
    ]


def test_an_old_operator_infers_ranges() -> None:
    bench = Workbench()
    wide = TensorRange(StorageShape.same((1,)), StorageShape.same((9,)))
    inputs = (operator(bench), old_second_of, TensorRange(A, A), wide)
    context = bench.context("CompatibleInferShapeRange", *inputs, outputs=3, node=NODE)
    assert bench.run(context) == 0
    assert (context.output(1).shape, context.output(2).shape) == (StorageShape.same((1,)), StorageShape.same((9,)))
    assert bench.traces(context)[2] == RangesOut((("ND", "DT_FLOAT", ((1, 9),)),))


@pytest.mark.parametrize("kernel", ["CompatibleInferShape", "CompatibleInferShapeRange"])
def test_an_old_operator_that_refuses_or_does_not_fit_is_named(kernel: str) -> None:
    bench = Workbench()
    given: list[Any] = [A, B] if kernel == "CompatibleInferShape" else [TensorRange(A, A), TensorRange(B, B)]
    outputs = 1 if kernel == "CompatibleInferShape" else 3
    made = operator(bench)
    refusing = bench.context(kernel, made, lambda _: 9, *given, outputs=outputs, node=NODE)
    assert bench.run(refusing) == FAILED
    short = bench.context(kernel, made, old_second_of, given[0], outputs=outputs, node=NODE)
    assert bench.run(short) == PARAM_INVALID
    assert bench.said() == [
        "Fail to infer shape on op op.",
        "Input num on op op is 2, input num on context is 1, not match.",
    ]


@pytest.mark.parametrize(
    ("shapes", "branch"),
    [
        ([StorageShape.same((0, 3)), StorageShape.same((2, 0))], 0),
        ([StorageShape.same((0,)), StorageShape.same((2,))], 1),
        ([StorageShape(Shape((0,)), Shape((1,)))], 1),
        ([StorageShape.same(())], 1),
    ],
)
def test_the_empty_branch_is_taken_when_all_outputs_are_empty_in_memory(
    shapes: list[StorageShape], branch: int
) -> None:
    bench = Workbench()
    context = bench.context("CheckOutputShapesEmpty", *shapes, node=NODE)
    assert bench.run(context) == 0
    assert context.output(0) == branch
    assert bench.recorder.events() == [EmptyOutputs(branch == 0, "op")]


WIDE = 1 << 31


@pytest.mark.parametrize(
    "words",
    [
        np.array([WIDE | 2, 5, 6, 0, 0, 0, 0, 0, 0, WIDE, 0, 0, 0, 0, 0, 0, 0, 0], "<u8"),
        np.array([2, 5, 6, 0, 0, 0, 0, 0, 0, 0] + [0] * 26, "<u4"),
    ],
    ids=["8 bytes", "4 bytes"],
)
def test_shapes_that_the_device_found_are_set(words: np.ndarray[tuple[int], np.dtype[np.unsignedinteger[Any]]]) -> None:
    bench = Workbench()
    node = ComputeNodeInfo("op", "Mine", (), (FLOAT, FLOAT))
    outputs = [StorageShape.same((9,)), StorageShape.same((9,))]
    context = bench.context("SetOutputShape", bench.on_device(words), outputs=outputs, node=node)
    assert bench.run(context) == 0
    assert outputs == [StorageShape.same((5, 6)), StorageShape.same(())]
    assert bench.traces(context) == [NodeType("Mine"), ShapesOut((desc(5, 6), desc()), (desc(5, 6), desc()))]


@pytest.mark.parametrize(("wide", "dtype"), [(WIDE, "<u8"), (0, "<u4")])
def test_a_shape_of_too_many_dimensions_is_refused(wide: int, dtype: str) -> None:
    bench = Workbench()
    buffer = bench.on_device(np.array([wide | 26] + [0] * 17, dtype))
    context = bench.context("SetOutputShape", buffer, outputs=[StorageShape.same(())], node=NODE)
    assert bench.run(context) == FAILED
    assert bench.said() == ["[SetOutputShape][k]output[0] dim_num=[26] is greater than MaxDimNum[25]"]
