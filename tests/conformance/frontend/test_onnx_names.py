"""What the nodes of an imported ONNX model are called, and the types and shapes of what it takes and gives."""

import numpy as np
from onnx_models import graph_of, inner_nodes, one


def test_one_piece_keeps_the_name_and_several_get_names_of_ge() -> None:
    assert [node.name for node in inner_nodes(graph_of(one("Concat", {"a": [2, 3], "b": [2, 3]}, axis=1)))] == ["n"]
    several = inner_nodes(graph_of(one("Mean", {"a": [4], "b": [4]})))
    assert [node.name for node in several] == ["PartitionedCall_n_AccumulateNV2_0", "PartitionedCall_n_Muls_1"]
    assert [node.op.attrs["_datadump_original_op_names"] for node in several] == [("n",), ("n",)]
    assert several[0].op.attrs["original_type"] == "ai.onnx::17::Mean"


def test_constants_inputs_and_results_are_named_as_ge_names_them() -> None:
    graph = graph_of(one("Add", {"x": ["batch", 3]}, weights={"w": np.zeros(3, np.float32)}))
    assert [(node.name, node.type) for node in graph.nodes] == [
        ("x", "Data"),
        ("w_Initializer_0", "Const"),
        ("n", "Add"),
        ("Node_Output", "NetOutput"),
    ]
    data = graph.node("x").op
    assert (data.attrs["index"], tuple(data.outputs[0].shape), data.outputs[0].shape_range) == (
        0,
        (-1, 3),
        ((1, -1), (3, 3)),
    )
    assert graph.attrs["attr_model_out_nodes_name"] == ("n:0:y0",)


def test_an_input_without_a_shape_has_an_open_rank() -> None:
    assert tuple(graph_of(one("Relu", {"x": None})).node("x").op.outputs[0].shape) == (-2,)


def test_types_follow_the_operators() -> None:
    graph = graph_of(one("Less", {"a": [4], "b": [4]}))
    assert graph.node("n").op.outputs[0].dtype.name == "BOOL"
