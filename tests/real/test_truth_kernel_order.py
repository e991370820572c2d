"""A model that this project lowers whole runs its kernels in the order of GE's log, by name."""

from dataclasses import replace
from pathlib import Path

import pytest
from rebuilt_graphs import traced_runs
from truth_facts import facts_of
from truth_lowering import lowerings
from truth_options import PASS_OPTIONS

from runtime.engines.builtin import builtin_converters
from runtime.executors.order import execution_order
from runtime.lowering.pipeline import lower_model

NOT_RUN = {"ConstData", "Data", "InnerData", "InnerNetOutput", "NetOutput", "OutputData"}
"""Classes 1 to 4 of spec/lowering.md 1.3."""

CASES = [
    "BuiltinSubscribersST.DataDump_Ok",
    "BuiltinSubscribersST.HostDump_NotInStep",
    "CannProfilerST.CannHostProfiling_ReportMemory_EnableAlwaysZeroCopy",
    "CannProfilerST.CannProfiling_ReportMemoryWithTwoNode_EnableAlwaysZeroCopy",
    "ConstPlaceHolderST.ConstPlaceHolderSTOK",
    "GeLocalTest.GatherShapesOK",
    "GeLocalTest.RankOK",
    "GeLocalTest.SizeOK",
    "GraphExecutorWithKernelUnitTest.SingleNodeAiCore_ExecuteSuccess",
    "GraphExecutorWithKernelUnitTest.SingleNodeReshape_ExecuteSuccess",
    "Runtime2GetTensorKernelSystemTest.DeterministicSystemTest",
    "StreamExecutorST.LoweringOption_TakeEffect",
    "TrustOutputTensorST.TrustOutputTensor_InferShape_WhenNodeHasMultipleOutputs",
    "TrustOutputTensorST.TrustOutputTensor_NoInferShape_WhenEnable",
    "TruthSingleStream.chain16_big_shapes",
    "TruthSingleStream.chain4_sequential",
    "TruthSingleStream.oom_random30",
    "TruthSingleStream.random30_seed3",
    "TruthSingleStream.reuse_pool_small_after_big",
    "ZeroCopyST.AlwaysZeroCopy_Success_WhenAllocNodeNotFound",
    "ZeroCopyST.ZeroCopy_Enabled_WhenOuptutGiven",
]


@pytest.mark.real
@pytest.mark.parametrize("case", CASES)
def test_the_sequential_executor_runs_ges_kernels_in_ges_order(cases: Path, case: str) -> None:
    (lowering,) = lowerings(cases / "truth" / "dumps", case)
    facts = facts_of(case)
    options = replace(facts.options, **PASS_OPTIONS.get(case, {}))  # type: ignore[arg-type]
    registry = builtin_converters().extended(facts.converters)
    root = lower_model(lowering.model(facts), options, converters=registry).root
    init, main = traced_runs(cases, case)[:2]
    for part, run in (("Init", init), ("Main", main)):
        order = [node.name for node in execution_order(root.owned_by(part)) if node.type not in NOT_RUN]
        assert order == run
