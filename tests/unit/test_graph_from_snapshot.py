"""From a picture of a graph back to the graph."""

import pytest

from getrace.dumps.snapshot import CONTROL, AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.errors import InputError
from runtime.graph.from_snapshot import execute_graph_of

PEERS = "_src_out_peer_index_for_ge_txt_load"


def picture(owner: tuple[str, ...] = ("sub",)) -> GraphSnapshot:
    reference: dict[str, AttrValue] = {"output_desc_RefFromNode:0": "a", "output_desc_RefFromIndex:0": 0}
    root = (
        SnapshotNode(0, "a", "A", 0, 1, {"index": 3, "_output_name_key": ("__output0",)}),
        SnapshotNode(1, "b", "B", 1, 0, {PEERS: (1,)}),
        SnapshotNode(2, "c", "C", 1, 1, {PEERS: (0,), **reference}, owner),
    )
    edges = (SnapshotEdge(0, 0, 1, 0), SnapshotEdge(0, 0, 2, 0), SnapshotEdge(1, CONTROL, 2, CONTROL))
    below = (SnapshotNode(0, "inner", "InnerData", 0, 1, {"index": 0}),)
    graphs = {"ROOT": SnapshotGraph("ROOT", root, edges), "sub": SnapshotGraph("sub", below, ())}
    return GraphSnapshot("Stage", "ROOT", graphs)


def test_consumers_stand_in_the_order_the_dump_tells() -> None:
    root = execute_graph_of(picture())
    assert [(node.name, slot) for _, node, slot in root.nodes[0].data_successors] == [("c", 0), ("b", 0)]
    assert [node.name for node in root.nodes[1].control_successors] == ["c"]


def test_what_only_a_dump_has_is_left_out() -> None:
    root = execute_graph_of(picture())
    assert [node.attrs for node in root.nodes] == [{"index": 3}, {}, {}]
    assert root.nodes[2].output_refs == {0: ("a", 0)}


def test_sub_graphs_know_their_owner_and_their_inner_data() -> None:
    root = execute_graph_of(picture())
    (graph,) = root.nodes[2].subgraphs
    assert (graph.name, graph.parent_node, graph.root) == ("sub", root.nodes[2], root)
    assert graph.inner_data == {0: graph.nodes[0]}


def test_a_graph_without_owner_is_a_dump_cut_short() -> None:
    with pytest.raises(InputError, match="graph sub of stage Stage belongs to no node"):
        execute_graph_of(picture(()))
