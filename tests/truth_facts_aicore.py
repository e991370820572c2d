"""Facts beside the dumps, for cases about AI Core operators: their tasks, and the functions they registered."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from truth_lowering import Facts

from runtime.engines.op_library import OpTraits, builtin_library
from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import ALL_KERNEL, KERNEL

BY_FLAG = (KERNEL,)
CLEANED_BY_FLAG = (KERNEL, KERNEL)
CLEANED = (KERNEL, ALL_KERNEL)
FALLS_BACK = (ALL_KERNEL, "KERNEL_EX")


def options(traits: Iterable[OpTraits] = ()) -> LoweringOptions:
    """Give the usual options of GE's tests, with some more operators registered."""
    library = builtin_library().extended(traits)
    return LoweringOptions(args_exception_dump=True, all_tensor_not_empty=True, library=library)


def every(names: Iterable[str], tasks: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Give many operators the same tasks."""
    return dict.fromkeys(names, tasks)


FLAG = Facts(tasks={"add1": BY_FLAG})
FLAG_WITHOUT_CLEAN = Facts(tasks={"add1": CLEANED_BY_FLAG})
"""Two tasks, but the operator does not say how large the arguments of a clean may become: GE goes on without one."""

TRANSFORMS = [f"transdata_{number}" for number in (10, 13, 15, 17, 4, 8)]
LSTM = Facts(tasks={**every(TRANSFORMS, CLEANED), "drnnv3": BY_FLAG})
"""A network around a recurrent cell: its transformations of formats add into cleaned memory."""

RANGES = options(
    [OpTraits(name, infer_shape_range=True) for name in ("NonZero", "AddMemcheck", "Add", "FakeShapeRangeNode")]
)

TWO_STREAMS = {"stream_num": 2, "notify_num": 2}
OLD_TILING = options([OpTraits("Add", tiling=False)])
FALLIBLE = Facts(
    tasks={"add1": FALLS_BACK},
    model=TWO_STREAMS,
    later={
        **dict.fromkeys((1, 2), Facts(OLD_TILING, tasks={"add1": FALLS_BACK}, model=TWO_STREAMS)),
        3: Facts(tasks={"add1": (ALL_KERNEL,)}, model=TWO_STREAMS),
    },
)
FALLIBLE_BY_FLAG = replace(FALLIBLE, tasks={"add1": (KERNEL, "KERNEL_EX")}, model={"stream_num": 2})
"""One model lowered again and again: with tiling of today, of v3, of v4, and without a task to fall back to."""

_FALLIBLE_CASES = ("LaunchAiCore_WhenTilingSuccess", "RollbackToAiCpu_WhenTilingFailed")

CALLED = options([OpTraits("Add", execute_phases=2), OpTraits("Mul", execute_phases=1)])
CASTS = Facts(tasks=every(("cast0", "cast1"), BY_FLAG))

_COPY_FLOW = "GraphExecutorWithCopyFlowLaunchKernelUnitTest"
_OVERFLOW = "GraphExecutorWithOverflowKernelUnitTest"

FACTS: Mapping[str, Facts] = {
    f"{_COPY_FLOW}.*": FLAG,
    f"{_COPY_FLOW}.SingleNodeAiCore_BinaryArgs_AtomicClean": Facts(tasks={"add1": CLEANED_BY_FLAG}),
    f"{_COPY_FLOW}.SingleNodeAiCore_CopyFlowLaunch_NoFlowLaunch": FLAG_WITHOUT_CLEAN,
    f"{_COPY_FLOW}.SingleNodeAiCore_CopyFlowLaunch_WithOneFlowLaunch": FLAG_WITHOUT_CLEAN,
    f"{_COPY_FLOW}.SingleHostCopyToTwoAiCoreNode_CopyFlowLaunch": Facts(
        tasks={"add1": CLEANED_BY_FLAG, "relu": BY_FLAG}
    ),
    f"{_OVERFLOW}.*": FLAG_WITHOUT_CLEAN,
    "GraphExecutorWithGracefulExitST.*": FLAG_WITHOUT_CLEAN,
    "NetworkLstmpST.*": LSTM,
    "NetworkLstmpST.Lstmp_LaunchArgCorrect": Facts(tasks=every((*TRANSFORMS, "drnnv3"), CLEANED_BY_FLAG)),
    "PriorityExecutionST.*": LSTM,
    "PriorityExecutionST.Check_Priority_With_ThirdNode_success": Facts(options=RANGES),
    "MultiThreadExecutorE2ESystemTest.*": LSTM,
    "MultiThreadExecutorE2ESystemTest.fail_then_success_by_kernel": CASTS,
    "TilingCacheSt.*": LSTM,
    "TilingCacheSt.PriorityTopologicalExecute_Ok_SameStorageShapeMissCache": Facts(
        tasks=every(("add3", "add4"), BY_FLAG)
    ),
    "TrustOutputTensorST.*": Facts(options=RANGES),
    "BuiltinSubscribersST.CannProfiling_Ok_RollbackToAiCpu": Facts(tasks={"add1": (KERNEL, "KERNEL_EX")}),
    "LowerCompatibleUnitTest.*": Facts(
        options=options(
            OpTraits(name, infer_shape=False, tiling=False)
            for name in ("AddTestCompatibleV3", "AddTestCompatibleV4", "TestNoInferShapeRange", "ExpandDims")
        )
    ),
    "AclnnTwoStagesSt.*": Facts(
        options=options([OpTraits("Add", execute_phases=2), OpTraits("Mul", execute_phases=1)])
    ),
    **{f"AICoreLoweringST.FallibleTiling_{case}": FALLIBLE for case in _FALLIBLE_CASES},
    **{f"AICoreLoweringST.FallibleTiling_{case}1": FALLIBLE_BY_FLAG for case in _FALLIBLE_CASES},
    "Runtime2GetTensorKernelSystemTest.*": Facts(options=RANGES),
    "AICoreLoweringST.TestOptAndDynamic": Facts(tasks={"add1": (ALL_KERNEL,)}, model=TWO_STREAMS),
    "CannProfilerST.CannProfiling_test_mix_vectorcore": Facts(
        model={"stream_num": 3, "_attached_stream_num": 1, "notify_num": 4}
    ),
    "GraphExecutorWithKernelUnitTest.ExecuteModel_HostInput": LSTM,
    "GraphExecutorWithKernelUnitTest.TopologicalExecuteFailThenSuccess": Facts(
        tasks=every(("cast0", "cast1"), BY_FLAG)
    ),
    "GraphExecutorWithKernelUnitTest.StaticGraphWithAtomicClean_LoadUnloadSuccess": FLAG,
    "GraphExecutorWithKernelUnitTest.ThirdClassNodeAiCore_LoadUnloadSuccess": Facts(options=RANGES),
    "GraphExecutorWithKernelUnitTest.check_model_output_manager_not_null_success": Facts(tasks={"assign": BY_FLAG}),
}
