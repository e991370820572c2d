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
    assert caught.value.hint == "these nodes wait for each other: a, b, NetOutput"


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
