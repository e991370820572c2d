"""Execute graphs: edges with two ends, sub graphs on the root, and the walk over all nodes."""

import pytest

from getrace.errors import InternalError
from runtime.graph.execute_graph import ExecuteGraph, FastNode


def chain() -> tuple[ExecuteGraph, FastNode, FastNode]:
    graph = ExecuteGraph("g")
    return graph, graph.add_node("a", "A", 0, 2), graph.add_node("b", "B", 1, 0)


def test_an_edge_is_known_at_both_ends() -> None:
    graph, a, b = chain()
    graph.add_edge(a, 1, b, 0)
    assert b.inputs == [(a, 1)]
    assert a.data_successors == [(1, b, 0)]


def test_a_removed_edge_leaves_an_unconnected_input() -> None:
    graph, a, b = chain()
    graph.remove_edge(graph.add_edge(a, 0, b, 0))
    assert b.inputs == [None]
    assert a.data_successors == []


def test_the_same_order_may_be_asked_for_twice() -> None:
    graph, a, b = chain()
    first, second = graph.add_control_edge(a, b), graph.add_control_edge(a, b)
    graph.remove_edge(first)
    assert list(b.in_control) == [second]
    assert a.control_successors == [b]


@pytest.mark.parametrize(
    ("output", "slot", "words"),
    [(-1, 0, "mixes data and control"), (0, -1, "mixes data and control"), (2, 0, "a has no output 2")],
)
def test_an_edge_that_cannot_exist_is_refused(output: int, slot: int, words: str) -> None:
    graph, a, b = chain()
    with pytest.raises(InternalError, match=words):
        graph.add_edge(a, output, b, slot)


def test_an_input_is_fed_once() -> None:
    graph, a, b = chain()
    graph.add_edge(a, 0, b, 0)
    with pytest.raises(InternalError, match="input 0 of b is fed twice"):
        graph.add_edge(a, 1, b, 0)


def test_an_edge_stays_inside_one_graph() -> None:
    graph, a, _ = chain()
    elsewhere = ExecuteGraph("other").add_node("c", "C", 1)
    with pytest.raises(InternalError, match="a -> c does not lie in graph g"):
        graph.add_edge(a, 0, elsewhere, 0)


def test_a_removed_node_takes_its_edges_along() -> None:
    graph, a, b = chain()
    graph.add_edge(a, 0, b, 0)
    graph.add_control_edge(a, b)
    graph.remove_node(a)
    assert graph.nodes == [b]
    assert b.inputs == [None]
    assert not b.in_control


def nested() -> ExecuteGraph:
    root = ExecuteGraph("ROOT")
    first, last = root.add_node("first", "Init"), root.add_node("last", "Main")
    outer, second = ExecuteGraph("outer"), ExecuteGraph("second")
    root.add_subgraph(first, outer)
    root.add_subgraph(first, second)
    owner = outer.add_node("owner", "If")
    outer.add_node("after", "K")
    inner = ExecuteGraph("inner")
    outer.add_subgraph(owner, inner)
    inner.add_node("deep", "K")
    second.add_node("side", "K")
    assert last.graph is root
    return root


def test_all_nodes_are_walked_depth_first_with_sub_graph_0_first() -> None:
    assert [node.name for node in nested().all_nodes()] == ["first", "owner", "deep", "after", "side", "last"]


def test_sub_graphs_of_every_depth_are_registered_on_the_root() -> None:
    root = nested()
    inner = root.subgraph("inner")
    assert [graph.name for graph in root.all_subgraphs] == ["outer", "second", "inner"]
    assert inner.root is root
    assert root.owned_by("Init").name == "outer"


def test_two_sub_graphs_cannot_share_a_name() -> None:
    root = nested()
    with pytest.raises(InternalError, match="two sub graphs are named inner"):
        root.add_subgraph(root.nodes[0], ExecuteGraph("inner"))


def test_a_walk_over_many_levels_does_not_need_pythons_stack() -> None:
    root = graph = ExecuteGraph("ROOT")
    for level in range(3000):
        below = ExecuteGraph(f"level_{level}")
        graph.add_subgraph(graph.add_node(f"node_{level}", "K"), below)
        graph = below
    assert sum(1 for _ in root.all_nodes()) == 3000
