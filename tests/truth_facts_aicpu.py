"""Facts beside the dumps, for cases about AI CPU, host CPU and the other engines."""

from collections.abc import Mapping
from dataclasses import replace

from truth_lowering import Facts

from runtime.engines.contract import Converter, LowerInput, LowerResult
from runtime.engines.op_library import OpTraits, builtin_library
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder


def _sequence_stub(_: ComputeNode, lowered: LowerInput) -> LowerResult:
    """The operator GE's test made up to try last kernels of Main: all of them share a container."""
    context, holders = lowered.context, lowered.context.holders

    def build() -> list[ValueHolder]:
        container = holders.single("CreateTestStepContainer", holders.const("aicpu_resource"))
        holders.guarder("DestroyTestStepContainer", container)
        context.selector.on_main_root_last(lambda: holders.void("ClearTestStepContainer", container))
        return [container]

    container = context.unique("aicpu_resource", build)[0]
    shape, address = holders.many("SequenceStub", 2, lowered.shapes[0], lowered.addresses[0], container)
    return LowerResult([shape], [address])


_CUSTOM = Facts(attrs={"*": {"aicpu_kernel_type": 7}})
"""GE's tests mark all kernels of the AI CPU library as the user's own, without a library to load."""

_CASES = (
    "AicpuE2ESt.SingleNodeAiCpuCC_ExecuteSuccess",
    "AicpuExtInfoSt.Success",
    "AssignWeightMemST.BigMemSinkWeightSUCCESS",
    "AssignWeightMemST.MemSinkWeight_UserDefaultWeight",
    "AssignWeightMemST.SmallMemSinkWeight_FreeBeforeRun_StillRunOK",
    "BuiltinSubscribersST.ExceptionDump_Host_Ok",
    "BuiltinSubscribersST.HostDump_Workspace_Ok",
    "GraphExecutorWithKernelUnitTest.OnolineLoadModelWithSameRootGraphTwice",
    "GraphExecutorWithKernelUnitTest.SingleNodeAiCpuCC_ExecuteSuccess",
)

_LIBRARY = builtin_library().extended([OpTraits("NonZero", infer_shape_range=True)])
_RANGES = replace(Facts().options, library=_LIBRARY)

FACTS: Mapping[str, Facts] = {
    "ZeroCopyST.AlwaysZeroCopy_Enabled_Unknown_Aicpu_WhenOuptutGiven": Facts(
        options=replace(Facts().options, always_zero_copy=True)
    ),
    **dict.fromkeys(_CASES, _CUSTOM),
    "AicpuE2ESt.ThirdAicpuOpHostCpuEngine_ExecuteSuccess": replace(_CUSTOM, options=_RANGES),
    "GraphExecutorWithKernelUnitTest.SingleNodeAiCpuTf_ExecuteSuccess": Facts(
        options=replace(Facts().options, single_op_scene=True)
    ),
    "GraphExecutorWithKernelUnitTest.ThirdAicpuOp_ExecuteSuccess": Facts(options=_RANGES),
    "GraphExecutorWithKernelUnitTest.DataFlowOnMainRootLast_ExecuteSuccess": Facts(
        converters=(Converter("SequenceStub", None, _sequence_stub),)
    ),
}
