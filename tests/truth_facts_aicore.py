"""Facts beside the dumps, for cases about AI Core operators: tasks of compiled operators, functions they registered."""

from collections.abc import Iterable, Mapping

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

RANGES = options([OpTraits(name, infer_shape_range=True) for name in ("NonZero", "AddMemcheck", "Add")])

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
    "MultiThreadExecutorE2ESystemTest.fail_then_success_by_kernel": Facts(tasks=every(("cast0", "cast1"), BY_FLAG)),
    "TilingCacheSt.*": LSTM,
    "TilingCacheSt.PriorityTopologicalExecute_Ok_SameStorageShapeMissCache": Facts(
        tasks=every(("add3", "add4"), BY_FLAG)
    ),
    "TrustOutputTensorST.*": Facts(options=RANGES),
    "LowerCompatibleUnitTest.*": Facts(
        options=options(
            OpTraits(name, infer_shape=False, tiling=False)
            for name in ("AddTestCompatibleV3", "AddTestCompatibleV4", "TestNoInferShapeRange", "ExpandDims")
        )
    ),
    "AclnnTwoStagesSt.*": Facts(options=options([OpTraits("Add", execute_phases=2), OpTraits("Mul", execute_phases=1)])),
    "AICoreLoweringST.*": Facts(tasks={"add1": FALLS_BACK}),
    "AICoreLoweringST.TestOptAndDynamic": Facts(tasks={"add1": (ALL_KERNEL,)}),
}
