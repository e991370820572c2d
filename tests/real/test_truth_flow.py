"""Control flow and several streams against GE's own dumps: the same kernels, by name, in the same order."""

from pathlib import Path

import pytest
from truth_facts import facts_of
from truth_lowering import FINAL_STAGE, LOWERED_STAGE, Lowering, lowerings

from getrace.dumps.snapshot import GraphSnapshot
from runtime.engines.builtin import builtin_converters
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.graph_converter import lower

CASES = [
    "TruthCtrl.if_toggle_4steps",
    "TruthCtrl.case_multithread",
    "TruthCtrl.while_counts_0_1_5",
    "CtrlOpST.WhileOpWithXBody",
    "CtrlOpST.IfOp_OuterNotChanged_WhenChainConflict",
    "CtrlOpST.IfOp_CopyH2D_DifferentPlacemenetBranchs",
    "TruthMultiStream.diamond_3streams_4steps",
    "TruthMultiStream.fanout4_topological",
    "GraphExecutorMultiStreamSystemTest.Case02_TwoStream_ConsumersInAndCrossStream_ok",
    "GraphExecutorMultiStreamSystemTest.Case03_TwoStream_HostMemAccessCrossStream_ok",
    "GraphExecutorMultiStreamSystemTest.Case04_TwoStream_AccessRefMemCrossStream_ok",
    "GraphExecutorMultiStreamSystemTest.Case08_TwoStream_WithLastEventSync_ok",
]


def first_of(cases: Path, case: str) -> Lowering:
    """The first lowering of a process: its names count from 0."""
    return next(lowerings(cases / "truth" / "dumps", case))


def names(picture: GraphSnapshot) -> dict[str, list[str]]:
    return {graph.name: [node.name for node in graph.nodes] for graph in picture.graphs.values()}


@pytest.mark.real
@pytest.mark.parametrize("case", CASES)
def test_kernels_have_ges_names_in_ges_order_before_the_passes_and_at_the_end(cases: Path, case: str) -> None:
    lowering = first_of(cases, case)
    stages = {picture.stage: picture for picture in lowering.lowered(facts_of(case))}
    for stage in (LOWERED_STAGE, FINAL_STAGE):
        assert names(stages[stage]) == names(lowering.stage(stage)), stage


@pytest.mark.real
@pytest.mark.parametrize(
    ("case", "stages"),
    [
        ("TruthCtrl.while_counts_0_1_5", ["LowerWhile_CondGraph", "LowerWhile_BodyGraph"]),
        (
            "GraphExecutorMultiStreamSystemTest.Case08_TwoStream_WithLastEventSync_ok",
            ["Before_MultiStream_LoweringFirstLastEventSync"],
        ),
    ],
)
def test_graphs_at_the_stages_of_the_walk_are_ges(cases: Path, case: str, stages: list[str]) -> None:
    lowering, facts = first_of(cases, case), facts_of(case)
    seen: dict[str, list[str]] = {}

    def see(stage: str, graph: ComputeGraph | ExecuteGraph) -> None:
        seen[stage] = [node.name for node in graph.nodes]

    converters = builtin_converters().extended(facts.converters)
    lower(lowering.model(facts), facts.options, converters=converters, see=see)
    for stage in stages:
        picture = lowering.stage(stage)
        assert seen[stage] == [node.name for node in picture.graphs[picture.root].nodes], stage
