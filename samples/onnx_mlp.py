"""A network of two layers as an ONNX model, translated to Ascend's operators.

``getrace run onnx_mlp`` runs it on the simulated device. Started by itself it prints what its operators become. Making
the model needs the extra ``onnx``; a file that ``onnx.save(model(), "mlp.onnx")`` writes is read without it.
"""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from getrace.dumps.onnx_reader import parse_onnx
from runtime.frontend.onnx.model import translate
from runtime.graph.compute_graph import ComputeGraph

EXAMPLE_INPUTS = {"x": (2, 4)}
"""Shapes for inputs that the caller does not choose."""


def model() -> onnx.ModelProto:
    """Make the model: y = softmax(relu(x w1 + b1) w2); the number of rows is open."""
    source = np.random.default_rng(0)
    weights = {"w1": (4, 8), "b1": (8,), "w2": (8, 3)}
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["product"], name="first"),
        helper.make_node("Add", ["product", "b1"], ["sum"], name="bias"),
        helper.make_node("Relu", ["sum"], ["hidden"], name="relu"),
        helper.make_node("MatMul", ["hidden", "w2"], ["logits"], name="second"),
        helper.make_node("Softmax", ["logits"], ["y"], name="softmax", axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "mlp",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["rows", 4])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["rows", 3])],
        [numpy_helper.from_array(source.normal(size=s).astype(np.float32), name) for name, s in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def build() -> ComputeGraph:
    """Translate the model."""
    return translate(parse_onnx(model().SerializeToString(), "onnx_mlp"), "onnx_mlp", None).graph


def main() -> None:
    """Print the nodes of the compute graph."""
    for node in build().nodes:
        print(f"{node.type:14} {node.name}")


if __name__ == "__main__":
    main()
