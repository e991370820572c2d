"""Models that cannot be lowered: GE's texts and status, the node named, and nothing left behind."""

from collections.abc import Callable

import pytest

from getrace.errors import ModelError
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.kernels.status import Status
from runtime.lowering.graph_converter import lower
from runtime.lowering.refusal import LoweringError

DESC = nd_desc((-1,))


def with_op(engine: str, type_name: str = "Mystery") -> ComputeGraph:
    graph = GraphBuilder("model")
    return graph.output(graph.op(type_name, graph.data("x", (-1,)), name="strange", engine=engine)).build()


def with_gap() -> ComputeGraph:
    graph = with_op("AIcoreEngine", "AddExample")
    graph.node("x").op.attrs["index"] = 1
    return graph


def with_bad_task() -> ComputeGraph:
    graph = with_op("AIcoreEngine", "AddExample")
    graph.node("strange").op.attrs["op_para_size"] = -1
    return graph


@pytest.mark.parametrize(
    ("build", "node", "said"),
    [
        (
            lambda: with_op(""),
            "strange",
            (
                "Failed to find the converter for node strange type Mystery",
                "Failed to get lowering func for node name[strange], node type[Mystery], engine[]",
                "Failed lowering compute graph model",
            ),
        ),
        (
            lambda: with_op("NoSuchEngine"),
            "strange",
            (
                "Failed to find the converter for node strange type Mystery",
                "Failed to get lowering func for node name[strange], node type[Mystery], engine[NoSuchEngine]",
                "Failed lowering compute graph model",
            ),
        ),
        (
            with_gap,
            "x",
            (
                "Failed to load exe graph, input data index 1, expect 0",
                "Failed to lowering node x, reason Failed to load exe graph, input data index 1, expect 0",
                "Failed lowering compute graph model",
            ),
        ),
        (
            with_bad_task,
            "strange",
            (
                "Invalid max tiling size of node strange",
                "Failed to lowering node strange, reason Invalid max tiling size of node strange",
                "Failed lowering compute graph model",
            ),
        ),
    ],
)
def test_a_node_that_cannot_be_lowered_is_named_as_ge_names_it(
    build: Callable[[], ComputeGraph], node: str, said: tuple[str, ...]
) -> None:
    with pytest.raises(LoweringError) as caught:
        lower(build())
    assert caught.value.node.name == node
    assert caught.value.said == said
    assert caught.value.status is Status.FAILED


def test_a_circle_is_found_before_anything_is_lowered() -> None:
    graph = ComputeGraph("ring")
    x = graph.add(OpDesc("x", "Data", (DESC,), (DESC,), attrs={"index": 0}))
    a = graph.add(OpDesc("a", "AddExample", (DESC, DESC), (DESC,), "AIcoreEngine"))
    b = graph.add(OpDesc("b", "AddExample", (DESC, DESC), (DESC,), "AIcoreEngine"))
    end = graph.add(OpDesc("NetOutput", "NetOutput", (DESC,)))
    for source, target, slot in ((x, a, 0), (b, a, 1), (x, b, 0), (a, b, 1), (a, end, 0)):
        graph.connect(source, 0, target, slot)
    with pytest.raises(ModelError) as caught:
        lower(graph)
    assert caught.value.message == "Failed to do topo sorting total 4, itered 1, exist closed loop in graph:ring"
    assert caught.value.hint == "these nodes wait for each other: b, a"


def test_a_sub_graph_without_an_end_is_named_with_its_owner() -> None:
    graph = with_op("", "PartitionedCall")
    below = graph.add_subgraph(graph.node("strange"), ComputeGraph("body"))
    below.add(OpDesc("x", "Data", (DESC,), (DESC,), attrs={"index": 0, "_parent_node_index": 0}))
    with pytest.raises(ModelError, match=r"^graph 'body' of node 'strange' has 0 NetOutput nodes$"):
        lower(graph)


def test_a_refused_model_leaves_nothing_behind() -> None:
    graph = with_bad_task()
    for _ in range(2):
        with pytest.raises(LoweringError):
            lower(graph)
    graph.node("strange").op.attrs["op_para_size"] = 2048
    first, second = lower(graph), lower(graph)
    assert [node.name for node in first.all_nodes()] == [node.name for node in second.all_nodes()]


def nested(depth: int) -> ComputeGraph:
    """Build a model of calls in calls."""
    graph = top = with_op("DNN_VM_GE_LOCAL_OP_STORE", "PartitionedCall")
    for level in range(depth):
        below = with_op("DNN_VM_GE_LOCAL_OP_STORE", "PartitionedCall")
        below.name = f"level_{level}"
        below.node("x").op.attrs["_parent_node_index"] = 0
        graph = graph.add_subgraph(graph.node("strange"), below)
    last = GraphBuilder("last")
    graph.add_subgraph(graph.node("strange"), last.output(last.data("x", (-1,))).build())
    graph.node("strange").subgraphs[0].node("x").op.attrs["_parent_node_index"] = 0
    return top


def test_graphs_may_be_nested_but_not_without_end() -> None:
    assert lower(nested(29)).name == "ROOT"
    with pytest.raises(ModelError, match=r"^graph 'last' stands more than 30 graphs deep$"):
        lower(nested(30))


def test_a_graph_below_itself_is_refused() -> None:
    graph = with_op("DNN_VM_GE_LOCAL_OP_STORE", "PartitionedCall")
    graph.node("strange").subgraphs.append(graph)
    with pytest.raises(ModelError, match=r"^graph 'model' is owned twice, or stands below itself$"):
        lower(graph)


def test_a_gap_in_the_numbers_of_inputs_names_the_node_and_the_number_that_nobody_has() -> None:
    with pytest.raises(ModelError) as error:
        lower(with_gap())
    assert error.value.hint == "node 'x' has this index, none has 0: number the inputs 0, 1, ..."


def test_a_circle_made_behind_the_back_of_the_graph_is_a_circle_all_the_same() -> None:
    builder = GraphBuilder("model")
    first = builder.op("AddExample", x := builder.data("x", (-1,)), x, name="first")
    second = builder.op("AddExample", first, x, name="second")
    graph = builder.output(second).build()
    graph.node("first").inputs[0] = (graph.node("second"), 0)
    with pytest.raises(ModelError, match="exist closed loop in graph:model") as error:
        lower(graph)
    assert error.value.hint == "these nodes wait for each other: second, first"


def test_of_a_long_circle_ten_nodes_are_named_and_nodes_behind_it_are_not() -> None:
    builder = GraphBuilder("model")
    last = x = builder.data("x", (-1,))
    for number in range(12):
        last = builder.op("Neg", last, name=f"n{number}")
    graph = builder.output(builder.op("Relu", last)).build()
    graph.order(last.node, graph.node("n0"))
    assert x.node.name == "x"
    with pytest.raises(ModelError) as error:
        lower(graph)
    assert error.value.hint == "these nodes wait for each other: n1, n2, n3, n4, n5, n6, n7, n8, n9, n10 and 2 more"


@pytest.mark.parametrize("attribute", ["stream_num", "event_num", "notify_num", "_attached_stream_num"])
@pytest.mark.parametrize("value", ["two", 2.0, (2,), True])
def test_a_count_of_the_model_that_is_no_number_is_refused(attribute: str, value: object) -> None:
    graph = with_op("AIcoreEngine", "Neg")
    graph.attrs[attribute] = value  # type: ignore[assignment]
    with pytest.raises(ModelError, match=f"attribute '{attribute}' of graph 'model' is .*, which is no number"):
        lower(graph)


@pytest.mark.parametrize("attribute", ["_unknown_shape_type", "_op_aicore_num"])
def test_an_attribute_of_a_node_that_is_no_number_is_refused(attribute: str) -> None:
    graph = with_op("aicpu_tf_kernel", "Add") if attribute == "_unknown_shape_type" else with_op("AIcoreEngine", "Neg")
    graph.node("strange").op.attrs[attribute] = "three"
    with pytest.raises(ModelError, match=f"attribute '{attribute}' of node '?strange'? is"):
        lower(graph)
