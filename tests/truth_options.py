"""What the sessions of GE's tests chose about the passes: facts of the tests that no dump says."""

from collections.abc import Mapping

_ALWAYS: Mapping[str, object] = {"always_zero_copy": True}
_TRUST: Mapping[str, object] = {"trust_shape_on_out_tensor": True}
_BOTH: Mapping[str, object] = {**_ALWAYS, **_TRUST}
_THREADS: Mapping[str, object] = {"max_runtime_core_number": 3}

PASS_OPTIONS: Mapping[str, Mapping[str, object]] = {
    "AclnnTwoStagesSt.MultiThreadExecutor_Ok_OnlyTwoStagesAclnnOps": _THREADS,
    "CannProfilerST.CannDeviceProfiling_ReportTaskAndTensorInfo_EnableAlwaysZeroCopy": _BOTH,
    "CannProfilerST.CannHostProfiling_ReportApi_EnableAlwaysZeroCopy": _BOTH,
    "CannProfilerST.CannHostProfiling_ReportMemory_EnableAlwaysZeroCopy": _BOTH,
    "CannProfilerST.CannProfiling_ReportMemoryWithTwoNode_EnableAlwaysZeroCopy": _BOTH,
    "GraphExecutorWithKernelUnitTest.SingleNodeAiCpuTf_ExecuteSuccess": {"single_op_scene": True},
    "MultiThreadExecutorE2ESystemTest.fail_then_success_by_kernel": _THREADS,
    "MultiThreadExecutorE2ESystemTest.parallel_schedule_split_by_chain_in_while_graph": _THREADS,
    "MultiThreadExecutorE2ESystemTest.parallel_schedule_split_by_kernel": _THREADS,
    "MultiThreadExecutorE2ESystemTest.parallel_schedule_split_by_kernel_in_while_graph": _THREADS,
    "MultiThreadExecutorE2ESystemTest.parallel_schedule_split_by_op": _THREADS,
    "MultiThreadExecutorE2ESystemTest.parallel_schedule_split_by_single": _THREADS,
    "Runtime2GetTensorKernelSystemTest.GetTensorKernelSystemTestAlwaysZeroCopy": _ALWAYS,
    "StreamExecutorST.LoweringOption_TakeEffect": _TRUST,
    "TrustOutputTensorST.TrustOutputTensorAndAlwaysZeroCopy_UpdateOutputShape_WhenType3Node": _BOTH,
    "TrustOutputTensorST.TrustOutputTensor_Failed_WhenDisableZeroCopy": _TRUST,
    "TrustOutputTensorST.TrustOutputTensor_InferShape_WhenNodeHasMultipleOutputs": _TRUST,
    "TrustOutputTensorST.TrustOutputTensor_NoInferShapeAndAllocModelOut_WhenEnableNoInferShapeAndAlwaysZeroCopy": _BOTH,
    "TrustOutputTensorST.TrustOutputTensor_NoInferShapeButHasFindInferShape_WhenEnableNoInferShapeAndAlwaysZeroCopy": (
        _BOTH
    ),
    "TrustOutputTensorST.TrustOutputTensor_NoInferShape_WhenEnable": _TRUST,
    "TrustOutputTensorST.TrustOutputTensor_UpdateOutputShape_WhenType3Node": _TRUST,
    "ZeroCopyST.AlwaysZeroCopy_Enabled_Unknown_Aicpu_WhenOuptutGiven": _ALWAYS,
    "ZeroCopyST.AlwaysZeroCopy_Failed_WhenOuptutNotGiven": _ALWAYS,
    "ZeroCopyST.AlwaysZeroCopy_Success_WhenAllocNodeNotFound": _ALWAYS,
}
"""By case; a case that is not here has GE's defaults."""
