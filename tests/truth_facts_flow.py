"""Facts beside the dumps, for cases about control flow and several streams."""

from collections.abc import Mapping
from dataclasses import replace

from truth_lowering import Facts

from runtime.engines.allocators import allocator
from runtime.engines.contract import Converter, LowerInput, LowerResult
from runtime.engines.memory import at
from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import KERNEL, ComputeNode
from runtime.values import Placement


def _faker(type_name: str, placement: Placement) -> Converter:
    """GE's tests execute some operators with one kernel of their own, its result at a place they chose."""

    def convert(node: ComputeNode, lowered: LowerInput) -> LowerResult:
        context = lowered.context
        count = len(node.op.outputs)
        name = context.holders.const(node.type)
        source = allocator(context, placement)
        inputs = (name, context.stream, source, *lowered.shapes, *lowered.addresses)
        outputs = context.holders.many("FakeExecuteNode", 2 * count, *inputs)
        for address in outputs[count:]:
            context.holders.guarder("FreeMemory", at(address, placement, context.stream_id))
        return LowerResult(outputs[:count], outputs[count:], outputs[:1])

    return Converter(type_name, None, convert)


FAKED = Facts(
    converters=(
        *(_faker(name, Placement.HOST) for name in ("Shape", "Rank", "Size", "LessThan_5")),
        _faker("Add_1", Placement.DEVICE_HBM),
    )
)
"""Control flow around operators that the tests execute themselves."""

_IN_BRANCHES = (
    *(f"{by}_in_{owner}_graph" for by in ("chain", "kernel") for owner in ("case", "while")),
    *(f"{by}_in_if_graph_{taken}_branch" for by in ("chain", "kernel") for taken in ("true", "false")),
)

SEVERAL_THREADS = replace(FAKED, options=replace(FAKED.options, max_runtime_core_number=3))

MAYBE_EMPTY = LoweringOptions(args_exception_dump=True)

_FLAG = (KERNEL,)
_TWO_STREAMS = Facts(tasks=dict.fromkeys(("add1", "relu"), _FLAG))
"""Operators of these tests are launched through their stub function."""

_CASES = "GraphExecutorMultiStreamSystemTest"

FACTS: Mapping[str, Facts] = {
    "ZeroCopyST.ZeroCopy_If": Facts(tasks={"add1": (KERNEL,)}),
    "TruthCtrl.*": FAKED,
    "CtrlOpST.*": FAKED,
    "BuiltinSubscribersST.DataDump_Ok_WithControlNodeInExegraph": FAKED,
    "CtrlOpST.IfOp_CopyH2D_DifferentPlacemenetBranchs": Facts(MAYBE_EMPTY, tasks={"add1": _FLAG}),
    **{f"MultiThreadExecutorE2ESystemTest.parallel_schedule_split_by_{way}": SEVERAL_THREADS for way in _IN_BRANCHES},
    f"{_CASES}.*": _TWO_STREAMS,
    f"{_CASES}.Case02_TwoStream_ConsumersInAndCrossStream_ok": Facts(
        tasks={"cast": _FLAG, "relu": (KERNEL, KERNEL), "transdata": _FLAG}
    ),
    f"{_CASES}.Case04_TwoStream_AccessRefMemCrossStream_ok": Facts(
        tasks=dict.fromkeys(("assign", "transdata", "relu"), _FLAG)
    ),
    f"{_CASES}.Case08_TwoStream_WithLastEventSync_ok": Facts(tasks={"add1": ("KERNEL_EX",), "relu": _FLAG}),
    f"{_CASES}.Case07_TwoStream_WithFileConstant_ok": Facts(MAYBE_EMPTY, tasks={"relu": _FLAG}),
}
