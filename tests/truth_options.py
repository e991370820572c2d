"""Options that GE's tests set beside the model, by case (spec/lowering.md 2.1 ``LoweringOption``, 7)."""

from collections.abc import Mapping

ALWAYS = {"always_zero_copy": True}
TRUSTED = {"trust_shape_on_out_tensor": True}
BOTH = {**ALWAYS, **TRUSTED}
THREADS = {"max_runtime_core_number": 4}

_PROFILED = (
    "CannDeviceProfiling_ReportTaskAndTensorInfo",
    "CannHostProfiling_ReportApi",
    "CannHostProfiling_ReportMemory",
    "CannProfiling_ReportMemoryWithTwoNode",
)
_THREADED = (
    "fail_then_success_by_kernel",
    "parallel_schedule_split_by_chain_in_while_graph",
    "parallel_schedule_split_by_kernel",
    "parallel_schedule_split_by_kernel_in_while_graph",
    "parallel_schedule_split_by_op",
    "parallel_schedule_split_by_single",
)

_TRUST = {
    "AndAlwaysZeroCopy_UpdateOutputShape_WhenType3Node": BOTH,
    "_Failed_WhenDisableZeroCopy": TRUSTED,
    "_InferShape_WhenNodeHasMultipleOutputs": TRUSTED,
    "_NoInferShapeAndAllocModelOut_WhenEnableNoInferShapeAndAlwaysZeroCopy": BOTH,
    "_NoInferShapeButHasFindInferShape_WhenEnableNoInferShapeAndAlwaysZeroCopy": BOTH,
    "_NoInferShape_WhenEnable": TRUSTED,
}

OPTIONS: Mapping[str, Mapping[str, object]] = {
    "AclnnTwoStagesSt.MultiThreadExecutor_Ok_OnlyTwoStagesAclnnOps": THREADS,
    **{f"MultiThreadExecutorE2ESystemTest.{case}": THREADS for case in _THREADED},
    **{f"CannProfilerST.{case}_EnableAlwaysZeroCopy": BOTH for case in _PROFILED},
    "Runtime2GetTensorKernelSystemTest.GetTensorKernelSystemTestAlwaysZeroCopy": ALWAYS,
    "StreamExecutorST.LoweringOption_TakeEffect": TRUSTED,
    **{f"TrustOutputTensorST.TrustOutputTensor{case}": options for case, options in _TRUST.items()},
    "ZeroCopyST.AlwaysZeroCopy_Enabled_Unknown_Aicpu_WhenOuptutGiven": ALWAYS,
    "ZeroCopyST.AlwaysZeroCopy_Failed_WhenOuptutNotGiven": ALWAYS,
}
