"""The comparison that holds lowering against GE can fail, and fails for nothing but structure."""

import random
from dataclasses import replace

import pytest
from isomorphism import differences

from getrace.dumps.snapshot import CONTROL, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode


def node(position: int, kind: str, inputs: int = 0, outputs: int = 1, **attrs: int) -> SnapshotNode:
    return SnapshotNode(position, f"{kind}_{position}", kind, inputs, outputs, attrs)


def picture() -> GraphSnapshot:
    """Two equal chains Const -> Calc -> Alloc, joined by a Launch that a Free waits for."""
    nodes = [
        node(0, "Const"),
        node(1, "Calc", 1),
        node(2, "Alloc", 1),
        node(3, "Const"),
        node(4, "Calc", 1),
        node(5, "Alloc", 1),
        node(6, "Launch", 2, 0),
        node(7, "Free", 1, 0),
    ]
    data = [(0, 0, 1, 0), (1, 0, 2, 0), (3, 0, 4, 0), (4, 0, 5, 0), (2, 0, 6, 0), (5, 0, 6, 1), (2, 0, 7, 0)]
    edges = [*(SnapshotEdge(*edge) for edge in data), SnapshotEdge(6, CONTROL, 7, CONTROL)]
    return GraphSnapshot("left", "g", {"g": SnapshotGraph("g", tuple(nodes), tuple(edges))})


def shuffled(seed: int) -> GraphSnapshot:
    """The same graph with its nodes renamed and listed in another order."""
    graph = picture().graphs["g"]
    order = list(range(len(graph.nodes)))
    random.Random(seed).shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    nodes = tuple(replace(graph.nodes[old], id=new, name=f"n{new}") for new, old in enumerate(order))
    edges = tuple(replace(edge, source=place[edge.source], target=place[edge.target]) for edge in graph.edges)
    return GraphSnapshot("right", "g", {"g": SnapshotGraph("g", nodes, edges)})


def changed(edges: list[SnapshotEdge] | None = None, **swap: SnapshotNode) -> GraphSnapshot:
    graph = picture().graphs["g"]
    nodes = tuple(swap.get(one.name, one) for one in graph.nodes)
    return GraphSnapshot("right", "g", {"g": SnapshotGraph("g", nodes, tuple(edges or graph.edges))})


@pytest.mark.parametrize("seed", range(10))
def test_names_and_the_order_of_the_list_do_not_matter(seed: int) -> None:
    assert differences(picture(), shuffled(seed)) == []


def test_another_type_shows() -> None:
    other = changed(Calc_4=node(4, "CalcOther", 1))
    assert differences(picture(), other) == [
        "only in left: 1 x ('Calc', 1, 1, 0, -9, -9, -9, -9)",
        "only in right: 1 x ('CalcOther', 1, 1, 0, -9, -9, -9, -9)",
    ]


def test_another_compute_node_shows() -> None:
    assert differences(picture(), changed(Calc_4=node(4, "Calc", 1, ComputeNodeIndex=3))) != []


def test_a_missing_control_edge_shows() -> None:
    edges = [edge for edge in picture().graphs["g"].edges if not edge.is_control]
    assert differences(picture(), changed(edges)) != []


def test_swapped_inputs_show() -> None:
    edges = [
        replace(edge, target_input=1 - edge.target_input) if edge.target == 6 and not edge.is_control else edge
        for edge in picture().graphs["g"].edges
    ]
    assert differences(picture(), changed(edges)) != []


def test_rings_of_another_length_show_although_every_node_has_the_same_neighbours() -> None:
    def rings(*lengths: int) -> GraphSnapshot:
        nodes, edges, first = [], [], 0
        for length in lengths:
            nodes += [node(first + step, "Ring", 1) for step in range(length)]
            edges += [SnapshotEdge(first + step, 0, first + (step + 1) % length, 0) for step in range(length)]
            first += length
        return GraphSnapshot("rings", "g", {"g": SnapshotGraph("g", tuple(nodes), tuple(edges))})

    assert differences(rings(3, 3), rings(3, 3)) == []
    assert differences(rings(3, 3), rings(6)) != []
