"""If, Case and While, paragraph by paragraph: what they become, and in which graph."""

from collections.abc import Callable

import pytest
from flow_models import (
    Outputs,
    case_model,
    copied,
    if_model,
    kept,
    passed,
    shape_of,
    size_is_true,
    swapped,
    while_model,
)
from kernel_lines import home, lines, types

from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import FastNode
from runtime.lowering.graph_converter import lower
from runtime.values import DType

_DECISION_OF_TWO = [
    "BranchDone | BranchPivot",
    "BranchDone | BranchPivot",
    "BranchPivot <- SwitchNotify.1",
    "BranchPivot <- SwitchNotify.2",
    "SwitchNotify <- InnerData[0]",
    "WaitAnyone | BranchDone BranchDone",
    "WatcherPlaceholder <- SwitchNotify.0",
]

ROWS: list[tuple[str, Callable[[], ComputeGraph], str, str | None, list[str]]] = [
    (
        "If: index, all shapes, all addresses, then what the branches take from Main",
        if_model,
        "Main",
        "if",
        [
            "FreeMemory <- If.1 | EnsureTensorAtOutMemory",
            "GenIndexForIf <- BuildTensor",
            (
                "If <- GenIndexForIf, BuildTensor, SplitDataTensor.0, SplitDataTensor.1, "
                "SplitDataTensor.1, InnerData[5]"
                " | MakeSureTensorAtHostWithoutSync"
            ),
        ],
    ),
    ("If: the graph that decides", if_model, "CondGraph", None, _DECISION_OF_TWO),
    (
        "If: a branch reads shape 1 and address 1 and gives both through kernels of its own",
        if_model,
        "then_graph",
        None,
        [
            "BuildShapeTensorData <- InnerData[2]",
            "IdentityAddr <- BuildShapeTensorData",
            "IdentityShape <- InferShape",
            "InferShape <- InnerData[2], InnerData[5]",
            "InnerNetOutput <- IdentityShape, IdentityAddr",
        ],
    ),
    (
        "If: kernels of a branch run before its values leave",
        if_model,
        "else_graph",
        None,
        [
            "Const",
            "IdentityAddr <- RankKernel | RankKernel",
            "IdentityShape <- Const | RankKernel",
            "InnerNetOutput <- IdentityShape, IdentityAddr",
            "RankKernel <- InnerData[2]",
        ],
    ),
    (
        "If: its consumers wait for the node",
        if_model,
        "Main",
        "NetOutput",
        [
            "Const",
            "EnsureTensorAtOutMemory <- If.0, If.1, Const, SplitRtStreams, OutputData | If",
            "NetOutput <- OutputData | EnsureTensorAtOutMemory",
            "OutputData",
        ],
    ),
    (
        "Case: the number of branches is an input of the index",
        case_model,
        "Main",
        "case",
        [
            (
                "Case <- GenIndexForCase, BuildTensor, SplitDataTensor.0, SplitDataTensor.1, "
                "SplitDataTensor.1, InnerData[5]"
                " | MakeSureTensorAtHostWithoutSync"
            ),
            "Const",
            "FreeMemory <- Case.1 | EnsureTensorAtOutMemory",
            "GenIndexForCase <- BuildTensor, Const",
        ],
    ),
    (
        "Case: one pivot and one done per branch",
        case_model,
        "CondGraph",
        None,
        [
            "BranchDone | BranchPivot",
            "BranchDone | BranchPivot",
            "BranchDone | BranchPivot",
            "BranchPivot <- SwitchNotify.1",
            "BranchPivot <- SwitchNotify.2",
            "BranchPivot <- SwitchNotify.3",
            "SwitchNotify <- InnerData[0]",
            "WaitAnyone | BranchDone BranchDone BranchDone",
            "WatcherPlaceholder <- SwitchNotify.0",
        ],
    ),
    (
        "While: values pass kernels first, so that what goes round is the loop's own",
        lambda: while_model(kept),
        "Main",
        "while",
        [
            "FreeMemory <- While.2 | EnsureTensorAtOutMemory",
            "FreeMemory <- While.3 | EnsureTensorAtOutMemory",
            "IdentityAddr <- MakeSureTensorAtDevice, MakeSureTensorAtDevice",
            "IdentityShape <- SplitDataTensor.0, SplitDataTensor.0",
            "While <- IdentityShape.0, IdentityShape.1, IdentityAddr.0, IdentityAddr.1",
        ],
    ),
    (
        "While: the graph that controls",
        lambda: while_model(kept),
        "control_frame_while_119",
        None,
        [
            "BranchDone | BranchPivot",
            "BranchPivot <- CondSwitchNotify.1",
            "CondSwitchNotify <- SubgraphCall.0, SubgraphCall.1",
            "Enter",
            "Exit <- CondSwitchNotify.2",
            "SubgraphCall <- InnerData[0], InnerData[1], InnerData[2], InnerData[3] | WaitAnyone",
            "WaitAnyone | Enter",
            "WatcherPlaceholder <- CondSwitchNotify.0",
        ],
    ),
    (
        "While: the call of the condition has a pivot and a done of its own",
        lambda: while_model(kept),
        "control_frame_while_135",
        None,
        ["BranchDone | BranchPivot", "BranchPivot"],
    ),
    (
        "While: the condition becomes one bool",
        lambda: while_model(kept),
        "f",
        None,
        [
            "Const",
            "Const",
            "GenCondForWhile <- GetShapeSizeKernel, Const, Const",
            "GetShapeSizeKernel <- InnerData[0]",
            "InnerNetOutput <- GenCondForWhile",
        ],
    ),
    (
        "While: a body that keeps its values where they are writes them in place",
        lambda: while_model(kept),
        "body",
        None,
        [
            "IdentityShapeAndAddr <- InnerData[0], InnerData[1], InnerData[2], InnerData[3]",
            (
                "InnerNetOutput <- IdentityShapeAndAddr.0, IdentityShapeAndAddr.1, IdentityShapeAndAddr.2,"
                " IdentityShapeAndAddr.3"
            ),
        ],
    ),
    (
        "While: a body that lets values change places copies them first",
        lambda: while_model(swapped),
        "body",
        None,
        [
            "FreeMemory <- IdentityAddr.0 | IdentityShapeAndAddr",
            "FreeMemory <- IdentityAddr.1 | IdentityShapeAndAddr",
            "IdentityAddr <- InnerData[3], InnerData[2]",
            "IdentityShape <- InnerData[1], InnerData[0]",
            "IdentityShapeAndAddr <- IdentityShape.0, IdentityShape.1, IdentityAddr.0, IdentityAddr.1",
            (
                "InnerNetOutput <- IdentityShapeAndAddr.0, IdentityShapeAndAddr.1, IdentityShapeAndAddr.2,"
                " IdentityShapeAndAddr.3"
            ),
        ],
    ),
    (
        "While: the kernels of a turn run before its values go round",
        lambda: while_model(copied),
        "body",
        "NetOutput",
        [
            "IdentityShapeAndAddr <- InferShape, InferShape, AllocMemHbm, AllocMemHbm | CopyD2D CopyD2D",
            (
                "InnerNetOutput <- IdentityShapeAndAddr.0, IdentityShapeAndAddr.1, IdentityShapeAndAddr.2,"
                " IdentityShapeAndAddr.3"
            ),
        ],
    ),
]


@pytest.mark.parametrize(("what", "model", "stem", "node", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_control_flow_becomes(
    what: str, model: Callable[[], ComputeGraph], stem: str, node: str | None, expected: list[str]
) -> None:
    root = lower(model())
    found = [graph for graph in root.all_subgraphs if graph.name == stem] or [home(root, stem)]
    assert lines(found[0], node) == expected, what


def test_pivot_and_done_of_a_branch_carry_its_number() -> None:
    graph = home(lower(case_model()), "CondGraph")
    numbers = [(node.type, node.attrs["branch"]) for node in graph.nodes if "branch" in node.attrs]
    assert numbers == [
        ("BranchPivot", 1),
        ("BranchDone", 1),
        ("BranchPivot", 2),
        ("BranchDone", 2),
        ("BranchPivot", 3),
        ("BranchDone", 3),
    ]


def test_the_notify_of_a_decision_asks_for_a_watcher_and_no_other_kernel_does() -> None:
    for model in (if_model(), while_model(kept)):
        root = lower(model)
        asking = {node.type for node in root.all_nodes() if "_request_watcher" in node.attrs}
        assert asking in ({"SwitchNotify"}, {"CondSwitchNotify"})


def test_the_graphs_of_an_owner_come_in_order() -> None:
    assert [g.name.rpartition("_")[0] for g in lower(case_model()).all_subgraphs] == [
        "Init",
        "DeInit",
        "Main",
        "CondGraph_case",
        "branch_0_case",
        "branch_1_case",
        "branch_2_case",
    ]
    assert [g.name.rpartition("_")[0] for g in lower(while_model(kept)).all_subgraphs[3:]] == [
        "control_frame_while",
        "control_frame_while",
        "f_while",
        "body_while",
    ]


def test_an_output_of_a_loop_is_its_input_of_the_same_number() -> None:
    (loop,) = [node for node in lower(while_model(kept)).all_nodes() if node.type == "While"]
    identity = {source[0].type: source[0].name for source in loop.inputs if source is not None}
    assert loop.output_refs == {
        0: (identity["IdentityShape"], 0),
        1: (identity["IdentityShape"], 1),
        2: (identity["IdentityAddr"], 0),
        3: (identity["IdentityAddr"], 1),
    }


def test_an_output_of_an_if_is_a_value_of_its_own() -> None:
    (node,) = [node for node in lower(if_model()).all_nodes() if node.type == "If"]
    assert node.output_refs == {}


def test_what_a_branch_asks_main_for_belongs_to_the_owner_of_the_branch() -> None:
    g = GraphBuilder("m")
    pred, x = g.data("pred", (), DType.BOOL), g.data("x", (-1,))
    root = lower(g.output(*g.if_(pred, [x], copied, copied, "if")).build())
    (allocator,) = [node for node in home(root, "Main").nodes if node.type == "SelectL2Allocator"]
    assert root.compute_nodes[_index(allocator)].name == "if"
    assert "SelectL2Allocator" not in types(home(root, "then_graph"))


def test_a_constant_of_a_branch_is_made_on_init() -> None:
    def constant(b: GraphBuilder, _: Outputs) -> Outputs:
        return [b.const("c", (1,), b"\0\0\x80\x3f")]

    g = GraphBuilder("m")
    pred, x = g.data("pred", (), DType.BOOL), g.data("x", (1,))
    root = lower(g.output(*g.if_(pred, [x], constant, passed, "if")).build())
    assert "SplitConstTensor" in types(home(root, "Init"))
    assert types(home(root, "then_graph")) == {"InnerData", "IdentityShape", "IdentityAddr", "InnerNetOutput"}


def test_an_if_whose_branches_give_different_places_is_anywhere_and_copied_by_its_consumer() -> None:
    g = GraphBuilder("m")
    pred, x = g.data("pred", (), DType.BOOL), g.data("x", (1,), DType.INT64)
    (out,) = g.if_(pred, [x], shape_of, copied, "if")
    root = lower(g.output(g.op("Identity", out, engine=GE_LOCAL)).build())
    assert "MakeSureTensorAtDevice" in types(home(root, "Main"))


def test_an_if_whose_branches_give_the_same_place_is_there() -> None:
    g = GraphBuilder("m")
    pred, x = g.data("pred", (), DType.BOOL), g.data("x", (-1,))
    (out,) = g.if_(pred, [x], copied, copied, "if")
    root = lower(g.output(g.op("Identity", out, engine=GE_LOCAL)).build())
    assert "CopyD2D <- If.1, AllocMemHbm, CalcTensorSizeFromShape, SplitRtStreams | If" in lines(home(root, "Main"))


def test_control_flow_nests() -> None:
    def loop(b: GraphBuilder, inputs: Outputs) -> Outputs:
        return b.while_([inputs[0]], size_is_true, copied, "inner")

    g = GraphBuilder("m")
    pred, x = g.data("pred", (), DType.BOOL), g.data("x", (-1,))
    root = lower(g.output(*g.if_(pred, [x], loop, copied, "outer")).build())
    assert "While" in types(home(root, "then_graph_outer"))
    assert home(root, "body_inner").parent_node in home(root, "then_graph_outer").nodes


def _index(node: FastNode) -> int:
    index = node.attrs["ComputeNodeIndex"]
    assert isinstance(index, int)
    return index
