"""Kinds of kernels that several passes and the priorities tell apart, as lists of types.

If each of them had its own list, a new launch kernel would be fused by one pass and run too late by the next.

Source: spec/lowering.md 7.2, 7.3, 8.2; the critical sections are those of GE's REGISTER_KERNEL lines.
"""

CONSTANTS = frozenset({"Const", "Constant"})

CORE_LAUNCHES = frozenset(
    {
        "LaunchKernelWithHandle",
        "LaunchKernelWithFlag",
        "LaunchMixKernelWithHandle",
        "LaunchMixKernelWithFlag",
        "AtomicLaunchKernelWithHandle",
        "AtomicLaunchKernelWithFlag",
    }
)
"""Launches on AI Core: the copy of their host inputs may flow with their arguments."""

ALLOCATIONS = frozenset(
    {
        "AllocMemory",
        "AllocMemHbm",
        "AllocMemHost",
        "AllocBatchHbm",
        "AllocCopyFlowHbm",
        "AllocateFftsMem",
        "AllocateBatchFftsMems",
        "AllocFixedFeatureMemory",
    }
)
"""Kernels that take memory for one step."""

ATOMIC_LAUNCHES = frozenset({"AtomicLaunchKernelWithHandle", "AtomicLaunchKernelWithFlag"})
"""Launches that clear memory for the launch of the same operator."""

DEVICE_COPIES = frozenset({"CopyH2D", "MakeSureTensorAtDevice"})
"""Kernels that take device memory and copy host memory into it."""

OUTPUT_ALLOCATIONS = frozenset({"AllocMemory", "AllocMemHbm", "AllocMemHost"})
"""Allocations of one tensor: a model output may take the caller's memory in their place."""

LAUNCH_SECTION = CORE_LAUNCHES | {
    "AicpuLaunchCCKernel",
    "AicpuLaunchTfKernel",
    "CopyD2D",
    "DavinciModelExecute",
    "ExecuteOpLaunch",
    "FFTSInitAicpuCtxUserData",
    "FFTSTaskAndArgsCopy",
    "GenerateSqeAndLaunchTask",
    "LaunchCmoTask",
    "LaunchCopyFlowH2D",
    "LaunchFFTSPlusTask",
    "LaunchFFTSPlusTaskNoCopy",
    "LaunchH2DCopy",
    "NpuClearFloatDebugStatus",
    "NpuClearFloatStatus",
    "NpuGetFloatDebugStatus",
    "NpuGetFloatStatus",
    "PrepareCopyInputs",
    "StarsTaskLaunchKernel",
    "UpdateSqeArg",
}
"""Kernels of the critical section ``launch``: they give work to a stream."""

SUBMITTING = LAUNCH_SECTION | {"ExecuteCustomOp", "ExecuteCustomOpWithInferShape", "ExecuteOpFunc", "LaunchHcomKernel"}
"""Kernels whose order is the order of the model's operators."""

HELD_RELEASES = {
    "FreeBatchHbm": "FreeBatchHbmHoldAddr",
    "FreeMemHbm": "FreeMemHbmHoldAddr",
    "FreeMemory": "FreeMemoryHoldAddr",
}
"""Kernels that give device memory back, each with the one that leaves the address for a later reader."""

RELEASES = frozenset({*HELD_RELEASES, *HELD_RELEASES.values(), "FreeBatchFftsMems", "FreeFftsMem", "FreeTensorMemory"})
"""Kernels that give memory back."""

HOST_ALLOCATIONS = frozenset({"AllocHostCpuOutputMemory", "AllocMemHost"})
"""Allocations that no stream reads."""

MEMORY_SECTION = frozenset(
    {
        "AccessMemCrossStream",
        "AicpuFuseHost",
        "AllocBatchHbm",
        "AllocCopyFlowHbm",
        "AllocFixedFeatureMemory",
        "AllocHostCpuOutputMemory",
        "AllocMemHbm",
        "AllocMemHost",
        "AllocMemory",
        "AllocModelOutTensor",
        "AllocSpecifiedMem",
        "AllocateBatchFftsMems",
        "AllocateFftsMem",
        "BuildAddrFromTensorCompute",
        "BuildRefTensor",
        "BuildTensor",
        "BuildTensorPureShape",
        "BuildTensorStorage",
        "CopyD2H",
        "CopyFlowLaunch",
        "CopyH2D",
        "CopyTensorDataH2H",
        "EnsureTensorAtOutMemory",
        "ExecuteCustomOp",
        "ExecuteCustomOpWithInferShape",
        "ExecuteOpFunc",
        "ExpandAicpuOptionalInputAddrs",
        "FFTSUpdateStaAICoreArgs",
        "FileConstantKernel",
        "FileConstantUserMemKernel",
        "FreeArgsGuarder",
        "FreeBatchFftsMems",
        "FreeBatchHbm",
        "FreeBatchHbmHoldAddr",
        "FreeCustomOpWorkspaces",
        "FreeFftsMem",
        "FreeFixedFeatureMemory",
        "FreeMemHbm",
        "FreeMemHbmHoldAddr",
        "FreeMemory",
        "FreeMemoryHoldAddr",
        "FreeSpecifiedMem",
        "FreeTensorMemory",
        "FusedHostCpuCompute",
        "GetOrCreateWeightMem",
        "IdentityAddr",
        "IdentityShapeAndAddr",
        "LastSendEvents",
        "LastWaitEvents",
        "MakeSureTensorAtDevice",
        "MakeSureTensorAtHost",
        "MakeSureTensorAtHostWithoutSync",
        "PrepareCopyFlowResult",
        "RecycleFftsMems",
        "SendEvents",
        "ShareH2DCopyResult",
        "SplitDataTensor",
        "SplitTensorForOutputData",
        "SplitVariable",
        "WaitEvents",
    }
)
"""Kernels of the critical section ``memory``: one worker of a multi-thread executor runs all of them."""
