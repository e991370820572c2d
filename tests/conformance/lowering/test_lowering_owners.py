"""Nodes that own graphs: calls lowered in place, and owners that are refused."""

from collections.abc import Callable, Sequence

import pytest
from kernel_lines import home, types

from getrace.errors import ModelError
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.lowering.graph_converter import lower


def _call(read: str) -> ComputeGraph:
    """A call whose graph computes on its input; the input is a model input or a constant."""
    graph = ComputeGraph("m")
    desc = nd_desc((1,))
    source = graph.add(
        OpDesc("x", "Data", (desc,), (desc,), GE_LOCAL, attrs={"index": 0})
        if read == "Data"
        else OpDesc("x", "Const", (), (desc,), GE_LOCAL, attrs={"value": b"\0\0\x80\x3f"})
    )
    call = graph.add(OpDesc("call", "PartitionedCall", (desc,), (desc,), GE_LOCAL))
    end = graph.add(OpDesc("NetOutput", "NetOutput", (desc,), (desc,), GE_LOCAL))
    graph.connect(source, 0, call, 0)
    graph.connect(call, 0, end, 0)
    inner = GraphBuilder("body")
    data = inner.data("data", (1,))
    data.node.op.attrs["_parent_node_index"] = 0
    graph.add_subgraph(call, inner.output(inner.op("Relu", data)).build())
    return graph


@pytest.mark.parametrize("read", ["Data", "Const"])
def test_a_call_is_lowered_in_place(read: str) -> None:
    root = lower(_call(read))
    assert len(root.all_subgraphs) == 3
    main = types(home(root, "Main"))
    assert "PartitionedCall" not in main
    assert "LaunchKernelWithHandle" in main
    assert ("MakeSureTensorAtDevice" in main) == (read == "Data")
    assert ("SinkWeightData" in types(home(root, "Init"))) == (read == "Const")


def _owner(type_name: str, inputs: int, outputs: int, graphs: Sequence[Callable[[], ComputeGraph]]) -> ComputeGraph:
    graph = ComputeGraph("m")
    desc = nd_desc((1,))
    node = graph.add(OpDesc("node", type_name, (desc,) * inputs, (desc,) * outputs, GE_LOCAL))
    end = graph.add(OpDesc("NetOutput", "NetOutput", (desc,) * outputs, (desc,) * outputs, GE_LOCAL))
    for index in range(inputs):
        source = graph.add(OpDesc(f"x{index}", "Data", (desc,), (desc,), GE_LOCAL, attrs={"index": index}))
        graph.connect(source, 0, node, index)
    graph.nodes.sort(key=lambda each: {"Data": 0, "NetOutput": 2}.get(each.type, 1))
    for index in range(outputs):
        graph.connect(node, index, end, index)
    for number, below in enumerate(graphs):
        inner = below()
        inner.name = f"below_{number}"
        graph.add_subgraph(node, inner)
    return graph


def _gives(outputs: int, parent: object = 0) -> Callable[[], ComputeGraph]:
    def build() -> ComputeGraph:
        inner = GraphBuilder("inner")
        data = inner.data("data", (1,))
        if isinstance(parent, int):
            data.node.op.attrs["_parent_node_index"] = parent
        return inner.output(*[data] * outputs).build()

    return build


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (_owner("If", 1, 1, [_gives(1)]), "node node of type If owns 1 graphs"),
        (_owner("Case", 1, 1, []), "node node of type Case owns no graph"),
        (_owner("While", 1, 1, [_gives(1)]), "node node of type While owns 1 graphs"),
        (_owner("PartitionedCall", 1, 1, []), "node node of type PartitionedCall owns 0 graphs"),
        (_owner("If", 0, 1, [_gives(1), _gives(1)]), "node node of type If has no inputs"),
        (_owner("If", 1, 2, [_gives(1), _gives(1)]), "the branches of node node give 1 outputs, the node has 2"),
        (
            _owner("If", 1, 1, [_gives(1), _gives(2)]),
            "Failed to create branch graphs, 1 th(else_graph) outputs num are different with first(then_graph) 4/2",
        ),
        (_owner("While", 1, 2, [_gives(1), _gives(1)]), "node node takes 1 values and gives 2"),
        (_owner("While", 1, 1, [_gives(1), _gives(2)]), "the body of node node gives 2 values of 1"),
        (_owner("PartitionedCall", 1, 1, [_gives(2)]), "the graph of node node gives 2 values, the node 1"),
        (_owner("While", 1, 1, [_gives(1, None), _gives(1)]), "Failed to get the parent node index of node data"),
        (_owner("While", 1, 1, [_gives(1, 1), _gives(1)]), "Failed to get the parent node index of node data"),
    ],
)
def test_a_broken_owner_is_refused_by_name(graph: ComputeGraph, message: str) -> None:
    with pytest.raises(ModelError) as refused:
        lower(graph)
    assert refused.value.message == message
