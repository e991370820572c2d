"""What becomes of a kernel whose call of the device is refused (``FE_CHK_RT_RET``, spec/kerneltrace.md 7.1).

RUNTIME has printed the code by then and GE's kernel prints nothing of its own; it gives FAILED. Written once, because
every kernel that puts something on a stream can be met by it.
"""

from dataclasses import replace
from typing import Final

from runtime.device.errors import ApiError
from runtime.kernels.context import KernelContext
from runtime.kernels.launch_inputs import FORMS
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status

PUT_ON_STREAMS: Final = frozenset(
    {
        *FORMS,
        "AicpuLaunchTfKernel",
        "AicpuLaunchCCKernel",
        "CopyD2D",
        "CopyFlowLaunch",
        "CopyH2D",
        "EnsureTensorAtOutMemory",
        "ExecuteCustomOp",
        "ExecuteCustomOpWithInferShape",
        "ExecuteOpFunc",
        "ExecuteOpLaunch",
        "FFTSTaskAndArgsCopy",
        "GenerateSqeAndLaunchTask",
        "IncreaseStepId",
        "LaunchCmoTask",
        "LaunchCopyFlowH2D",
        "LaunchFFTSPlusTaskNoCopy",
        "LaunchH2DCopy",
        "LaunchHcomKernel",
        "LaunchRecvKernel",
        "MakeSureTensorAtDevice",
        "NpuClearFloatDebugStatus",
        "NpuClearFloatStatus",
        "NpuGetFloatDebugStatus",
        "NpuGetFloatStatus",
        "PrepareCopyInputs",
        "SinkWeightData",
        "StarsTaskLaunchKernel",
        "UpdateSqeArg",
    }
)
"""The kernel types whose run launches a task or a copy."""


def refusable(kernel: Kernel) -> Kernel:
    """Give a kernel that fails, instead of raising, when the device refuses what it puts on a stream."""
    if kernel.type not in PUT_ON_STREAMS:
        return kernel
    work = kernel.run

    def run(context: KernelContext) -> int:
        try:
            return work(context)
        except ApiError:
            return Status.FAILED

    return replace(kernel, run=run)
