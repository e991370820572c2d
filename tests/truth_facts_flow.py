"""Facts beside the dumps, for cases about control flow and several streams."""

from collections.abc import Mapping

from truth_lowering import Facts

from runtime.engines.allocators import allocator
from runtime.engines.contract import Converter, LowerInput, LowerResult
from runtime.engines.memory import at
from runtime.graph.compute_graph import ComputeNode
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

FACTS: Mapping[str, Facts] = {
    "TruthCtrl.*": FAKED,
    "CtrlOpST.*": FAKED,
    **{f"MultiThreadExecutorE2ESystemTest.parallel_schedule_split_by_{way}": FAKED for way in _IN_BRANCHES},
}
