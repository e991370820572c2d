"""The order of nodes after lowering (spec/lowering.md 8.1)."""

import pytest

from getrace.errors import ModelError
from runtime.engines.options import TopoSortingMode
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.sorting import sort_graph


def two_paths() -> ExecuteGraph:
    """``a`` and ``d`` wait for nothing; ``a`` feeds ``b`` and ``c``; ``e`` reads ``b`` and waits for ``d``."""
    graph = ExecuteGraph("ROOT")
    a, d = graph.add_node("a", "Const", 0, 1), graph.add_node("d", "Data", 0, 1)
    e, b, c = (graph.add_node(name, "Kernel", 1, 1) for name in "ebc")
    graph.add_edge(a, 0, b, 0)
    graph.add_edge(a, 0, c, 0)
    graph.add_edge(b, 0, e, 0)
    graph.add_control_edge(d, e)
    return graph


@pytest.mark.parametrize(
    ("mode", "order"),
    [
        (TopoSortingMode.DFS, ["d", "a", "c", "b", "e"]),
        (TopoSortingMode.BFS, ["d", "a", "b", "c", "e"]),
        (TopoSortingMode.REVERSE_DFS, ["a", "b", "d", "e", "c"]),
    ],
)
def test_each_mode_has_its_order(mode: TopoSortingMode, order: list[str]) -> None:
    graph = two_paths()
    sort_graph(graph, mode)
    assert [node.name for node in graph.nodes] == order
    assert [node.id for node in graph.nodes] == [0, 1, 2, 3, 4]


def test_what_waits_without_data_comes_before_readers_that_are_ready_as_well() -> None:
    graph = ExecuteGraph("ROOT")
    a = graph.add_node("a", "Kernel", 0, 1)
    reader, waiting = graph.add_node("reader", "Kernel", 1), graph.add_node("waiting", "Kernel")
    graph.add_control_edge(a, waiting)
    graph.add_edge(a, 0, reader, 0)
    sort_graph(graph)
    assert [node.name for node in graph.nodes] == ["a", "waiting", "reader"]


def test_ids_count_over_sub_graphs_and_these_are_registered_last_branch_first() -> None:
    root = ExecuteGraph("ROOT")
    owner, behind = root.add_node("if", "If"), root.add_node("behind", "Kernel")
    for name in ("frame", "then", "else"):
        root.add_subgraph(owner, ExecuteGraph(name))
        root.subgraph(name).add_node(f"in_{name}", "Kernel")
    root.add_control_edge(owner, behind)
    sort_graph(root)
    assert [(node.id, node.name) for node in root.all_nodes()] == [
        (0, "if"),
        (1, "in_frame"),
        (2, "in_then"),
        (3, "in_else"),
        (4, "behind"),
    ]
    assert [graph.name for graph in root.all_subgraphs] == ["else", "then", "frame"]


@pytest.mark.parametrize("mode", list(TopoSortingMode))
def test_a_circle_is_refused_in_ges_words(mode: TopoSortingMode) -> None:
    graph = two_paths()
    nodes = {node.name: node for node in graph.nodes}
    graph.add_control_edge(nodes["e"], nodes["b"])
    with pytest.raises(
        ModelError, match=r"Failed to do topo sorting total 5, itered \d, exist closed loop in graph:ROOT"
    ):
        sort_graph(graph, mode)
