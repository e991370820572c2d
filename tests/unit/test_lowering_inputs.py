"""Which input of a definition an input of a node is, where weights lie, and what a model says of its ends."""

import pytest

from getrace.dumps.snapshot import AttrValue
from getrace.errors import InternalError
from runtime.engines.ir_inputs import input_name, ir_index, is_optional, output_name
from runtime.engines.op_library import OpLibrary, OpTraits
from runtime.engines.weight_plan import plan_weights
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, ComputeNode, OpDesc, nd_desc
from runtime.lowering.graph_converter import MODEL_DESC, lower
from runtime.lowering.model_desc import ModelDesc
from runtime.values import WeightSpan

REQUIRED, OPTIONAL, DYNAMIC = 0, 1, 2


def node(names: tuple[str, ...], definition: tuple[tuple[str, int], ...] | None) -> ComputeNode:
    """A node whose inputs have names, and the names and kinds of its definition."""
    attrs: dict[str, AttrValue] = {"_input_name_key": names, "_input_name_value": tuple(range(len(names)))}
    if definition is not None:
        attrs["_ir_inputs_key"] = tuple(name for name, _ in definition)
        attrs["_ir_inputs_value"] = tuple(kind for _, kind in definition)
    op = OpDesc("op", "Op", (nd_desc((2,)),) * len(names), (nd_desc((2,)),), attrs=attrs)
    return ComputeGraph("g").add(op)


@pytest.mark.parametrize(
    ("names", "definition", "indices"),
    [
        (("a", "b"), (("a", REQUIRED), ("b", REQUIRED)), [0, 1]),
        (("a", "c"), (("a", REQUIRED), ("b", OPTIONAL), ("c", REQUIRED)), [0, 2]),
        (("a", "b", "c"), (("a", REQUIRED), ("b", OPTIONAL), ("c", REQUIRED)), [0, 1, 2]),
        (("x0", "x1", "y"), (("x", DYNAMIC), ("y", REQUIRED)), [0, 0, 1]),
        (("y", "x0", "x1"), (("y", REQUIRED), ("x", DYNAMIC)), [0, 1, 1]),
        (("a", "b"), (("a", REQUIRED),), [0, None]),
        (("a", "b"), None, [0, 1]),
    ],
)
def test_an_input_is_found_in_the_definition(
    names: tuple[str, ...], definition: tuple[tuple[str, int], ...] | None, indices: list[int | None]
) -> None:
    found = node(names, definition)
    assert [ir_index(found, slot) for slot in range(len(names))] == indices


def test_an_input_may_be_left_out_when_its_definition_says_so() -> None:
    found = node(("a", "b"), (("a", REQUIRED), ("b", OPTIONAL)))
    assert [is_optional(found, slot) for slot in range(2)] == [False, True]
    assert not is_optional(node(("a",), None), 0)


def test_inputs_and_outputs_have_the_names_of_the_model() -> None:
    found = node(("a", "b"), None)
    assert [input_name(found, 0), input_name(found, 1), output_name(found, 0)] == ["a", "b", ""]


def test_an_operator_stands_in_a_library_once() -> None:
    with pytest.raises(InternalError, match="operator Add stands twice in the library"):
        OpLibrary([OpTraits("Add"), OpTraits("Add")])


def test_weights_lie_where_the_model_says_else_one_behind_the_other() -> None:
    builder = GraphBuilder("g")
    for name in ("a", "b"):
        builder.output(builder.const(name, (2,), bytes(8)))
    graph = builder.build()
    assert list(plan_weights(graph).spans.values()) == [WeightSpan(0, 512), WeightSpan(512, 512)]
    assert plan_weights(graph).total == 1024
    graph.node("b").op.attrs["graph_flatten_offset"] = (16, 8)
    assert plan_weights(graph).spans[graph.node("b")] == WeightSpan(16, 8)


def test_weights_of_graphs_below_have_their_place_too() -> None:
    builder = GraphBuilder("g")
    call = builder.op("PartitionedCall", builder.data("x", (2,)), name="call", engine=GE_LOCAL)
    graph = builder.output(call).build()
    below = ComputeGraph("below")
    constant = below.add(OpDesc("c", "Const", (), (nd_desc((2,)),), attrs={"value": bytes(8)}))
    graph.add_subgraph(call.node, below)
    assert plan_weights(graph).spans == {constant: WeightSpan(0, 512)}


def described(names: AttrValue = "") -> ModelDesc:
    """Describe a model of two inputs, one of them a picture, and two outputs."""
    graph = ComputeGraph("g", {"attr_model_out_nodes_name": names} if names else {})
    desc = nd_desc((2,))
    picture = graph.add(
        OpDesc("picture", "AippData", (), (desc,), attrs={"index": 1, "_dynamic_aipp_input_dims": (-1, 3)})
    )
    data = graph.add(OpDesc("data", "RefData", (), (desc,), attrs={"index": 0}))
    end = graph.add(OpDesc("NetOutput", "NetOutput", (desc, desc), ()))
    graph.connect(picture, 0, end, 0)
    graph.connect(data, 0, end, 1)
    model = lower(graph).attrs[MODEL_DESC]
    assert isinstance(model, ModelDesc)
    return model


def test_a_model_lists_its_inputs_of_all_types_by_index_and_says_what_a_picture_is_made_of() -> None:
    assert [(io.name, io.aipp_shape) for io in described().inputs] == [("data", ()), ("picture", (-1, 3))]


def test_a_model_names_its_outputs_itself_or_after_who_makes_them() -> None:
    assert [io.name for io in described().outputs] == ["output_0_picture_0", "output_1_data_0"]
    assert [io.name for io in described(("first", "second:7")).outputs] == ["first:0", "second:7"]
