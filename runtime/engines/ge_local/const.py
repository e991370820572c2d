"""Const: a constant of the model becomes a tensor on Init, split into shape and host address.

It has no order holders: nothing runs on Main that a consumer could wait for (spec/lowering.md 4.11, 12.15).
"""

from getrace.errors import ModelError
from runtime.engines.contract import LowerInput, LowerResult
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import ConstTensor, Placement


def convert_const(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a constant. Raises ModelError when it holds no bytes or not as many as its shape needs."""
    desc = node.op.outputs[0]
    value = node.op.attrs.get("value")
    if not isinstance(value, bytes):
        raise ModelError(f"weight is empty. node = {node.name}", "give its attribute 'value' the bytes of the tensor")
    wanted = (desc.storage.elements * desc.dtype.bits + 7) // 8
    if len(value) != wanted:
        raise ModelError(f"constant '{node.name}' has {len(value)} bytes, its shape needs {wanted}")
    holders = lowered.context.holders

    def build() -> list[ValueHolder]:
        tensor = holders.const(ConstTensor(desc.storage, desc.dtype, desc.format, value))
        return holders.many("SplitConstTensor", 2, tensor, holders.const(0))

    shape, address = lowered.context.selector.on_init_root(build)
    address.placement = Placement.HOST
    return LowerResult([shape], [address], weight=True)
