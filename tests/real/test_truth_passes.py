"""Every pass, the sorting and the priorities against GE's own dumps of the same step."""

from pathlib import Path

import pytest
from truth_passes import check_case

USUAL = [
    "AICoreLoweringST.FallibleTiling_LaunchAiCore_WhenTilingSuccess",
    "AclnnTwoStagesSt.MultiThreadExecutor_Ok_OnlyTwoStagesAclnnOps",
    "AicpuE2ESt.AicpuOpHostCpuEngine_RefSmallShape_ExecuteSuccess",
    "AicpuE2ESt.SingleNodeAiCpuTf_ExecuteSuccess",
    "AicpuE2ESt.ThirdAicpuOpHostCpuEngine_ExecuteSuccess",
    "AssignWeightMemST.BigMemSinkWeightSUCCESS",
    "BuiltinSubscribersST.DataDumpForMixl2",
    "BuiltinSubscribersST.ExceptionDump_DumpStaticNode_WithStaticSubGraph",
    "CtrlOpST.WhileOp",
    "GeLocalTest.FileConstantOK",
    "GraphExecutorMultiStreamSystemTest.Case03_TwoStream_HostMemAccessCrossStream_ok",
    "GraphExecutorMultiStreamSystemTest.Case07_TwoStream_WithFileConstant_ok",
    "GraphExecutorWithCopyFlowLaunchKernelUnitTest.SingleHostCopyToTwoAiCoreNode_CopyFlowLaunch",
    "GraphExecutorWithKernelUnitTest.Cmo_ExecuteSuccess",
    "GraphExecutorWithKernelUnitTest.DataFlowOnMainRootLast_ExecuteSuccess",
    "GraphExecutorWithKernelUnitTest.SingleNodeAiCore_ExecuteSuccess",
    "GraphExecutorWithKernelUnitTest.SingleNodeAiCpuTf_ExecuteSuccess",
    "MultiThreadExecutorE2ESystemTest.fail_then_success_by_kernel",
    "StaticCompiledGraphTest.KnownSubgraph_ExecuteSuccess",
    "TruthCtrl.if_toggle_4steps",
    "TruthCtrl.while_counts_0_1_5",
    "TruthMultiStream.two_node_3steps_sequential",
    "TruthSingleStream.chain4_sequential",
    ("TrustOutputTensorST.TrustOutputTensor_NoInferShapeAndAllocModelOut_WhenEnableNoInferShapeAndAlwaysZeroCopy"),
    "ZeroCopyST.ZeroCopy_If",
]

KNOWN: dict[str, str] = {}
"""Cases that differ, each with the reason; a case that stops to differ has to leave the table."""


def assert_as_known(dumps: Path, case: str) -> None:
    found = check_case(dumps, case)
    assert bool(found) == (case in KNOWN), found[:5]


@pytest.mark.real
@pytest.mark.parametrize("case", USUAL)
def test_each_step_gives_the_graph_that_ge_dumped(cases: Path, case: str) -> None:
    assert_as_known(cases / "truth" / "dumps", case)


@pytest.mark.real
@pytest.mark.long
def test_each_step_of_every_case_gives_the_graph_that_ge_dumped(cases: Path) -> None:
    dumps = cases / "truth" / "dumps"
    folders = sorted(folder.name for folder in dumps.iterdir())
    assert len(folders) == 254
    differing = {case: found[:3] for case in folders if bool(found := check_case(dumps, case)) != (case in KNOWN)}
    assert differing == {}
