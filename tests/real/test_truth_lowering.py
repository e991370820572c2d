"""Models that GE lowered, lowered again: the graph before the passes, after each pass and at the end, against GE's.

Graphs are compared by structure: a node is its type and compute node, names and the order of the list are free.
"""

from pathlib import Path

import pytest
from truth_facts import facts_of
from truth_lowering import lowerings

KNOWN = {
    ("GeLocalTest.MultiBatchShapesOK", 0): (
        "MapIndex on the host has no compute kernel: GE's test gives it a library in which the operator is not found"
    ),
    ("GraphExecutorWithKernelUnitTest.OnolineLoadModelWithSameRootGraphTwice", 1): (
        "a library of the user's is loaded once per process, and GE's test lowers the model a second time"
    ),
}
"""Lowerings that differ, each with the reason; one that stops to differ has to leave the table."""

IN_EVERY_RUN = (
    "AclnnTwoStagesSt.MultiThreadExecutor_Ok_OnlyTwoStagesAclnnOps",
    "AicpuE2ESt.SingleNodeAiCpuTf_ExecuteSuccess",
    "CtrlOpST.WhileOp_ExecuteSuccess_XBody",
    "GeLocalTest.FileConstantOK",
    "GraphExecutorMultiStreamSystemTest.Case08_TwoStream_WithLastEventSync_ok",
    "StaticCompiledGraphTest.KnownSubgraph_ExecuteSuccess",
    "TruthCtrl.if_toggle_4steps",
    "TruthCtrl.while_counts_0_1_5",
    "TruthMultiStream.fanout4_5steps",
    "TruthSingleStream.random30_seed3",
    "TrustOutputTensorST.TrustOutputTensor_NoInferShape_WhenEnable",
    "ZeroCopyST.ZeroCopy_If",
)
SUITES = 36
LEAST_SHARE = 0.85


def differing(dumps: Path, case: str, *, every_stage: bool) -> dict[int, list[str]]:
    """Give the differences of a case's lowerings by number, those that are known and still there left out."""
    found = {}
    for lowering in lowerings(dumps, case):
        differences = lowering.differences(facts_of(case), every_stage=every_stage)
        known = (case, lowering.number) in KNOWN
        if bool(differences) != known:
            found[lowering.number] = differences or ["it is in the table of differences, and does not differ"]
    return found


@pytest.mark.real
@pytest.mark.parametrize("case", IN_EVERY_RUN)
def test_a_model_gives_ges_graph_at_every_stage(cases: Path, case: str) -> None:
    assert differing(cases / "truth" / "dumps", case, every_stage=True) == {}


@pytest.mark.real
@pytest.mark.parametrize("suite", range(SUITES))
def test_every_model_gives_ges_graph_before_the_passes_and_at_the_end(cases: Path, suite: int) -> None:
    dumps = cases / "truth" / "dumps"
    suites = sorted({folder.name.partition(".")[0] for folder in dumps.iterdir()})
    assert len(suites) == SUITES
    of_suite = sorted(folder.name for folder in dumps.glob(f"{suites[suite]}.*"))
    assert {case: found for case in of_suite if (found := differing(dumps, case, every_stage=False))} == {}


@pytest.mark.real
@pytest.mark.long
def test_every_model_gives_ges_graph_at_every_stage(cases: Path) -> None:
    dumps = cases / "truth" / "dumps"
    folders = sorted(folder.name for folder in dumps.iterdir())
    assert {case: found for case in folders if (found := differing(dumps, case, every_stage=True))} == {}


@pytest.mark.real
def test_most_lowerings_are_equal_and_each_difference_has_a_reason(cases: Path) -> None:
    dumps = cases / "truth" / "dumps"
    known = {(folder.name, lowering.number) for folder in dumps.iterdir() for lowering in lowerings(dumps, folder.name)}
    assert len(known) == 285
    assert KNOWN.keys() <= known
    assert all(KNOWN.values())
    assert (len(known) - len(KNOWN)) / len(known) >= LEAST_SHARE
