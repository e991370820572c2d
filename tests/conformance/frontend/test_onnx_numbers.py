"""ONNX models run on the simulated device: the numbers are those of the onnx package's own evaluation."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx_models import BOOL, FLOAT, INT64, imported, model, one, value

from getrace.bus import Bus
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, RunResult, run_model

RNG = np.random.default_rng(1)
W1, W2 = RNG.normal(size=(4, 8)).astype(np.float32), RNG.normal(size=(3, 8)).astype(np.float32)
B1, B2 = RNG.normal(size=8).astype(np.float32), RNG.normal(size=3).astype(np.float32)


def run(made: onnx.ModelProto, *words: str) -> RunResult:
    result = run_model(Model("made", imported(made).graph), RunOptions(inputs=words), Bus(now=int))
    assert (result.status, result.fault, result.leaked_bytes) == (0, "", 0)
    return result


def choice(then: list[onnx.NodeProto], other: list[onnx.NodeProto]) -> onnx.ModelProto:
    """Make a model that adds or multiplies x and w, values from outside of the branches."""
    graphs = [
        helper.make_graph(nodes, name, [], [value("r", None)]) for name, nodes in (("then", then), ("else", other))
    ]
    node = helper.make_node("If", ["c"], ["y"], name="choose", then_branch=graphs[0], else_branch=graphs[1])
    return model([node], {"c": ([], BOOL), "x": ["n", 2]}, ["y"], {"w": np.array([3, 4], np.float32)})


def mlp() -> onnx.ModelProto:
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["m"]),
        helper.make_node("Add", ["m", "b1"], ["a"]),
        helper.make_node("Relu", ["a"], ["h"]),
        helper.make_node("Gemm", ["h", "w2", "b2"], ["g"], transB=1, alpha=0.5),
        helper.make_node("Softmax", ["g"], ["y"], axis=-1),
    ]
    return model(nodes, {"x": ["n", 4]}, ["y"], {"w1": W1, "b1": B1, "w2": W2, "b2": B2})


def shapes() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
        helper.make_node("Unsqueeze", ["t", "zero"], ["u"]),
        helper.make_node("Reshape", ["u", "flat"], ["r"]),
        helper.make_node("Gather", ["r", "which"], ["g"]),
        helper.make_node("Shape", ["u"], ["s"]),
    ]
    weights = {"zero": np.array([0]), "flat": np.array([-1]), "which": np.array([[0, 2], [1, 1]])}
    return model(nodes, {"x": ["n", 3]}, ["g", "s"], weights)


ADDS = [helper.make_node("Add", ["x", "w"], ["r"])]
MULTIPLIES = [helper.make_node("Mul", ["x", "w"], ["m"]), helper.make_node("Neg", ["m"], ["r"])]

MODELS: dict[str, tuple[onnx.ModelProto, tuple[str, ...]]] = {
    "add": (one("Add", {"x": ["n", 3], "z": [3]}), ("x=4x3",)),
    "mlp": (mlp(), ("x=5x4",)),
    "reduce before 13": (one("ReduceMean", {"x": ["n", 6]}, axes=[1], keepdims=0, opset=11), ("x=3x6",)),
    "reduce from 13": (one("ReduceSum", {"x": [3, 6]}, weights={"a": np.array([0])}), ()),
    "reduce everything": (one("ReduceMax", {"x": [3, 6]}, keepdims=0), ()),
    "concat": (one("Concat", {"a": ["n", 2], "b": ["m", 2]}, axis=0), ("a=3x2", "b=1x2")),
    "cast": (one("Cast", {"x": ([6], INT64)}, to=FLOAT), ()),
    "clip": (one("Clip", {"x": [9]}, opset=9, min=-0.5, max=0.5), ()),
    "mean of three": (one("Mean", {"a": [4], "b": [4], "c": [4]}), ()),
    "where": (one("Where", {"c": ([4], BOOL), "a": [4], "b": [4]}), ()),
    "shapes": (shapes(), ("x=2x3",)),
    "if": (choice(ADDS, MULTIPLIES), ("x=5x2",)),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_numbers_are_those_of_onnx(name: str) -> None:
    made, words = MODELS[name]
    result = run(made, *words)
    expected = ReferenceEvaluator(made).run(None, dict(result.inputs))
    for found, wanted in zip(result.outputs.values(), expected, strict=True):
        assert (found.dtype, found.shape) == (np.asarray(wanted).dtype, np.asarray(wanted).shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("condition", "expected"), [(True, [[4.0, 6.0]]), (False, [[-3.0, -8.0]])])
def test_an_if_runs_the_branch_it_is_told(condition: bool, expected: Any, tmp_path: Any) -> None:
    np.save(tmp_path / "c.npy", np.array(condition))
    np.save(tmp_path / "x.npy", np.array([[1, 2]], np.float32))
    result = run(choice(ADDS, MULTIPLIES), f"c={tmp_path / 'c.npy'}", f"x={tmp_path / 'x.npy'}")
    assert result.outputs["choose:0:y"].tolist() == expected


def test_branches_take_what_they_read_from_outside_as_inputs() -> None:
    graph = imported(choice(ADDS, MULTIPLIES)).graph
    owner = graph.node("choose")
    assert [source[0].name for source in owner.inputs if source] == ["c", "w_Initializer_0", "x"]
    then, other = owner.subgraphs
    assert (then.name, other.name) == ("choose_0_then_branch", "choose_1_else_branch")
    assert [(node.name, node.type) for node in then.nodes] == [
        ("choose_0_then_branch/w", "Data"),
        ("choose_0_then_branch/x", "Data"),
        ("choose_0_then_branch/Add_0", "Add"),
        ("choose_0_then_branch/Node_Output", "NetOutput"),
    ]
    assert [node.op.attrs["_parent_node_index"] for node in other.of_type(["Data"])] == [1, 2]


def test_a_constant_operator_and_typed_lists_hold_their_elements() -> None:
    tensor = helper.make_tensor("t", FLOAT, [3], [1.0, 2.0, 3.0])
    nodes = [
        helper.make_node("Constant", [], ["k"], value=tensor, name="k"),
        helper.make_node("Mul", ["x", "k"], ["y"]),
    ]
    made = model(nodes, {"x": [3]}, ["y"])
    result = run(made)
    np.testing.assert_allclose(next(iter(result.outputs.values())), result.inputs["x"] * [1, 2, 3], rtol=1e-6)
    assert numpy_helper.to_array(tensor).tolist() == [1, 2, 3]
