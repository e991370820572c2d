"""Owners of sub graphs, guessed from names where a dump does not say them."""

import pytest

from getrace.dumps.owners import GUESSED, guess_owners
from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode


def snapshot(owners: dict[str, list[tuple[str, str]]], *names: str) -> GraphSnapshot:
    """Make graphs of nodes (name, type), and empty graphs of further names; the first is the root."""
    graphs = {
        name: SnapshotGraph(name, tuple(SnapshotNode(i, *node) for i, node in enumerate(nodes)), ())
        for name, nodes in owners.items()
    }
    return GraphSnapshot("S", next(iter(owners)), {**graphs, **{name: SnapshotGraph(name, (), ()) for name in names}})


def found(guessed: GraphSnapshot) -> dict[str, tuple[str, ...]]:
    return {node.name: node.subgraphs for graph in guessed.graphs.values() for node in graph.nodes if node.subgraphs}


@pytest.mark.parametrize(
    ("nodes", "names", "owners"),
    [
        (
            [("Init_0", "Init"), ("Main_28", "Main")],
            ["Main_30", "Init_4"],
            {"Init_0": ("Init_4",), "Main_28": ("Main_30",)},
        ),
        (
            [("If_a/If_9", "If"), ("If_a/If_50", "If")],
            ["else_graph_a/If_40", "CondGraph_a/If_11", "then_graph_a/If_20", "CondGraph_a/If_52"],
            {
                "If_a/If_9": ("CondGraph_a/If_11", "then_graph_a/If_20", "else_graph_a/If_40"),
                "If_a/If_50": ("CondGraph_a/If_52",),
            },
        ),
        (
            [("Case_c_7", "Case")],
            ["branch_10_c_30", "branch_2_c_20", "CondGraph_c_9"],
            {"Case_c_7": ("CondGraph_c_9", "branch_2_c_20", "branch_10_c_30")},
        ),
        (
            [("While_w_93", "While"), ("SubgraphCall_w_107", "SubgraphCall")],
            ["body_w_168", "control_frame_w_98", "f_w_115", "control_frame_w_110"],
            {
                "While_w_93": ("control_frame_w_98", "body_w_168"),
                "SubgraphCall_w_107": ("control_frame_w_110", "f_w_115"),
            },
        ),
        ([("s_0_PartitionedCall_3", "PartitionedCall")], ["s_0"], {"s_0_PartitionedCall_3": ("s_0",)}),
        ([("pick", "If")], ["pick_1_else", "pick_0_then"], {"pick": ("pick_0_then", "pick_1_else")}),
        ([("while", "While")], ["body_x", "cond_x"], {"while": ("cond_x", "body_x")}),
        ([("if", "If")], ["else", "then"], {"if": ("then", "else")}),
        ([("case", "Case")], ["b10", "b9"], {"case": ("b9", "b10")}),
        ([("call", "PartitionedCall")], ["any"], {"call": ("any",)}),
    ],
    ids=["stages", "if twice", "case", "while", "partition", "branches", "cond", "then", "many", "one"],
)
def test_names_tell_owners(nodes: list[tuple[str, str]], names: list[str], owners: dict[str, tuple[str, ...]]) -> None:
    assert found(guess_owners(snapshot({"ROOT": nodes}, *names))) == owners


@pytest.mark.parametrize(
    ("nodes", "names"),
    [
        ([("a", "If"), ("b", "If")], ["then", "else"]),
        ([("a", "If")], ["left", "right"]),
        ([("a", "PartitionedCall")], ["one", "two"]),
        ([("a", "Add")], ["one"]),
        ([("Main_28", "Main")], ["Main_27"]),
    ],
    ids=["two could", "no words", "too many", "nobody", "older than its owner"],
)
def test_where_names_do_not_tell_nothing_is_guessed(nodes: list[tuple[str, str]], names: list[str]) -> None:
    given = snapshot({"ROOT": nodes}, *names)
    assert guess_owners(given) == given


def test_a_guessed_owner_says_so_and_a_known_one_is_kept() -> None:
    known = SnapshotNode(0, "Main_28", "Main", subgraphs=("Main_30",))
    graphs = {
        "ROOT": SnapshotGraph("ROOT", (known, SnapshotNode(1, "Init_0", "Init")), ()),
        "Main_30": SnapshotGraph("Main_30", (), ()),
        "Init_4": SnapshotGraph("Init_4", (), ()),
    }
    nodes = guess_owners(GraphSnapshot("S", "ROOT", graphs)).graphs["ROOT"].nodes
    assert [(node.subgraphs, dict(node.attrs)) for node in nodes] == [
        (("Main_30",), {}),
        (("Init_4",), {GUESSED: True}),
    ]
