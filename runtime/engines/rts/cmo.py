"""Cmo: asks the device to fetch a tensor into its cache before somebody reads it. It has no output.

Source: spec/lowering.md 4.7 (Cmo).
"""

from getrace.errors import ModelError
from runtime.engines.contract import LowerInput, LowerResult
from runtime.graph.compute_graph import ComputeNode
from runtime.values import Int32

MAX_PREFETCH_BYTES = 120 * 1024 * 1024
"""The most one task may fetch; an operator that asks for 0 means this."""


def convert_cmo(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a prefetch. Raises ModelError when nothing feeds the node."""
    if not lowered.addresses:
        raise ModelError(f"Input addrs is empty for node [{node.name}].", "connect the tensor to fetch")
    holders = lowered.context.holders
    info = holders.single("InitCmoArgs", holders.const(Int32(node.op.number("type"))))
    dtype = holders.const(node.op.inputs[0].dtype)
    limit = holders.const(Int32(node.op.number("max_size") or MAX_PREFETCH_BYTES))
    offset = holders.const(node.op.number("offset"))
    address, shape = lowered.addresses[0], lowered.shapes[0]
    update = holders.single("UpdatePrefetchTaskInfo", info, address, shape, dtype, limit, offset)
    launch = holders.single("LaunchCmoTask", info, lowered.context.stream)
    holders.order(update, launch)
    return LowerResult(order_holders=[launch])
