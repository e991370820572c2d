"""Why a graph is dynamic, from dumps made by hand."""

from typing import Any

import pytest
from compute_snapshots import graph, node, snapshot

from getrace.analysis.confidence import Confidence
from getrace.analysis.shapes.dumped import compute_snapshots, dumped_reasons, graph_kinds
from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph

OPEN, KNOWN = (-1, 8), (4, 8)


def one(name: str, **attrs: Any) -> SnapshotGraph:
    """A graph x -> op -> NetOutput whose input is known and whose operator's output is open."""
    nodes = [node("x", "Data", [KNOWN], [KNOWN]), node(name, "Strange", [KNOWN], [OPEN], attrs)]
    return graph("g", nodes, ("x", name, 0))


def told(dump: GraphSnapshot) -> list[tuple[str, str, tuple[int, ...] | None, bool]]:
    return [(each.kind, each.name, each.dims, each.first) for each in dumped_reasons(dump)]


def test_an_open_input_is_the_reason_and_what_only_follows_it_is_none() -> None:
    nodes = [
        node("x", "Data", [(-1, 8, -1)], [(-1, 8, -1)]),
        node("act", "Relu", [(-1, 8, -1)], [(-1, 8, -1)]),
        node("out", "NetOutput", [(-1, 8, -1)]),
    ]
    assert told(snapshot(graph("g", nodes, ("x", "act", 0), ("act", "out", 0)))) == [("input", "x", (0, 2), True)]


def test_an_input_of_unknown_rank_has_no_positions() -> None:
    (reason,) = dumped_reasons(snapshot(graph("g", [node("x", "Data", [(-2,)], [(-2,)])])))
    assert (reason.dims, reason.why) == (None, "even the number of its dimensions is open")


def test_an_input_on_the_host_says_so() -> None:
    (reason,) = dumped_reasons(snapshot(graph("g", [node("x", "Data", [OPEN], [OPEN], {"_host_tensor": True})])))
    assert reason.why == "its dimensions are chosen at run time, and it lies on the host"


@pytest.mark.parametrize(
    ("attrs", "shape_class", "why", "confidence"),
    [
        (
            {"_unknown_shape_type": 3},
            3,
            "its output shape is known only after it ran; a range is inferred before (class 3, shape range)",
            Confidence.HIGH,
        ),
        (
            {"_unknown_shape_type": 4},
            4,
            "its output shape is known only after it ran (class 4, depends on the computation)",
            Confidence.HIGH,
        ),
        ({"op_infer_depends": ("dims",)}, None, "its output shape follows from the value of dims", Confidence.HIGH),
        (
            {},
            None,
            "what goes in is known and what comes out is not; the dump has no _unknown_shape_type that says why",
            Confidence.LOW,
        ),
    ],
)
def test_the_first_operator_that_opens_a_shape_says_why_and_how_sure(
    attrs: dict[str, Any], shape_class: int | None, why: str, confidence: Confidence
) -> None:
    (reason,) = dumped_reasons(snapshot(one("pick", **attrs)))
    assert (reason.name, reason.shape_class, reason.first) == ("pick", shape_class, True)
    assert (reason.why, reason.confidence, reason.dims) == (why, confidence, (0,))


def test_an_operator_whose_shape_depends_on_its_computation_is_told_behind_an_open_input_too() -> None:
    nodes = [
        node("x", "Data", [OPEN], [OPEN]),
        node("pick", "NonZero", [OPEN], [(-1,)], {"_unknown_shape_type": 4}),
    ]
    assert told(snapshot(graph("g", nodes, ("x", "pick", 0)))) == [
        ("input", "x", (0,), True),
        ("operator", "pick", (0,), False),
    ]


def test_a_branch_gives_the_name_of_its_sub_graphs() -> None:
    root = graph(
        "g",
        [node("x", "Data", [KNOWN], [KNOWN]), node("if", "If", [KNOWN], [OPEN], subgraphs=("then", "else"))],
        ("x", "if", 0),
    )
    (reason,) = dumped_reasons(snapshot(root, graph("then", []), graph("else", [])))
    assert reason.why == "its outputs come from the sub graphs then, else"


def test_the_value_of_a_host_input_is_named() -> None:
    nodes = [
        node("x", "Data", [KNOWN], [KNOWN]),
        node("dims", "Data", [(2,)], [(2,)], {"_host_tensor": True}),
        node("fold", "Reshape", [KNOWN, (2,)], [(-1, -1)]),
    ]
    (reason,) = dumped_reasons(snapshot(graph("g", nodes, ("x", "fold", 0), ("dims", "fold", 1))))
    assert reason.why == "a Reshape reads its output shape from an input; dims is given by the host"
    assert reason.confidence is Confidence.MEDIUM


def test_a_static_graph_has_no_reason_and_its_kind_is_static() -> None:
    nodes = [node("x", "Data", [KNOWN], [KNOWN]), node("act", "Relu", [KNOWN], [KNOWN])]
    dump = snapshot(graph("g", nodes, ("x", "act", 0)))
    assert told(dump) == []
    assert [(each.graph, each.kind, each.confidence) for each in graph_kinds(dump)] == [
        ("g", "static", Confidence.MEDIUM)
    ]


def test_ge_says_the_kind_of_a_graph_better_than_its_shapes_do() -> None:
    flagged = SnapshotGraph("g", (node("x", "Data", [KNOWN], [KNOWN]),), (), {"_graph_unknown_flag": True})
    geared = graph("h", [node("case", "Case", attrs={"_batch_num": 2})])
    kinds = graph_kinds(snapshot(flagged, geared))
    assert [(each.graph, each.kind) for each in kinds] == [("g", "dynamic"), ("h", "gears")]


def test_execute_graphs_are_no_dumps_of_shapes_and_of_two_stages_the_better_one_is_read() -> None:
    execute = snapshot(graph("Root", [node("Main", "Main")]), stage="ExecuteGraphAfterSplit")
    early = snapshot(graph("g", [node("x", "Data", [OPEN], [OPEN])]), stage="PreRunBegin")
    late = snapshot(graph("g", [node("x", "Data", [OPEN], [OPEN])]))
    assert compute_snapshots([late, early, execute]) == [late]
