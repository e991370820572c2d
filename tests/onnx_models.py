"""Small ONNX models, made with the onnx package: one operator between inputs and outputs, or a few."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from getrace.dumps.onnx_reader import parse_onnx
from runtime.frontend.onnx.model import Imported, translate
from runtime.graph.compute_graph import ComputeGraph, ComputeNode

FLOAT, INT64, BOOL, INT32 = (
    onnx.TensorProto.FLOAT,
    onnx.TensorProto.INT64,
    onnx.TensorProto.BOOL,
    onnx.TensorProto.INT32,
)
COMPILED = {"op_para_size", "compile_info_json", "original_type", "_datadump_original_op_names"}

Dims = Sequence[int | str] | None


def value(name: str, dims: Dims = (), dtype: int = FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, dims)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Any],
    outputs: Sequence[str],
    weights: Mapping[str, Any] | None = None,
    opset: int = 17,
) -> onnx.ModelProto:
    """Make a model; an input is its dimensions, or (dimensions, type); outputs say nothing of themselves."""
    described = []
    for name, what in inputs.items():
        dims, dtype = (
            what if isinstance(what, tuple) and len(what) == 2 and isinstance(what[0], list) else (what, FLOAT)
        )
        described.append(value(name, dims, dtype))
    graph = helper.make_graph(
        list(nodes),
        "g",
        described,
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in (weights or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def one(
    op: str,
    inputs: Mapping[str, Any],
    outputs: int = 1,
    opset: int = 17,
    weights: Mapping[str, Any] | None = None,
    **attrs: Any,
) -> onnx.ModelProto:
    """Make a model of one node named ``n``; its inputs are the model's, then the weights."""
    results = [f"y{index}" for index in range(outputs)]
    node = helper.make_node(op, [*inputs, *(weights or {})], results, name="n", **attrs)
    return model([node], inputs, results, weights, opset)


def imported(made: onnx.ModelProto, *, strict: bool = False) -> Imported:
    return translate(parse_onnx(made.SerializeToString(), "made"), "made", None, strict_opset=strict)


def graph_of(made: onnx.ModelProto) -> ComputeGraph:
    return imported(made).graph


def inner_nodes(graph: ComputeGraph) -> list[ComputeNode]:
    """Give the nodes that operators became: no inputs, constants of the file, or the results' node."""
    return [
        node
        for node in graph.nodes
        if node.type not in ("Data", "NetOutput") and not (node.type == "Const" and "_Initializer_" in node.name)
    ]


def structure(graph: ComputeGraph) -> list[tuple[str, list[str], dict[str, Any]]]:
    """Describe these nodes: type, types of what feeds them, attributes; a constant's value as a list."""
    return [(node.type, _fed_by(node), _attrs(node)) for node in inner_nodes(graph)]


def _fed_by(node: ComputeNode) -> list[str]:
    return ["-" if source is None else source[0].type for source in node.inputs]


def _attrs(node: ComputeNode) -> dict[str, Any]:
    own: dict[str, Any] = {key: item for key, item in node.op.attrs.items() if key not in COMPILED}
    if node.type == "Const":
        desc = node.op.outputs[0]
        array = np.frombuffer(own.pop("value"), desc.dtype.numpy).reshape(tuple(desc.shape))
        return {"value": array.tolist(), "dtype": desc.dtype.name}
    return own
