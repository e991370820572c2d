"""NetOutput: every model output is brought to the memory the caller gave, or handed over to the caller.

The node of the execute graph itself is written by the lowering, which knows what else must have run.
"""

from runtime.engines.contract import LowerInput, LowerResult
from runtime.graph.compute_graph import ComputeNode
from runtime.kernels.payloads import BuildTensorAttr
from runtime.values import Placement


def convert_net_output(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower the model's outputs; the result's addresses are the outputs of OutputData (spec/lowering.md 4.11)."""
    holders = lowered.context.holders
    slots = holders.many("OutputData", len(node.op.inputs))
    fed = [slot for slot, source in enumerate(node.inputs) if source is not None]
    ensured = []
    for position, shape, address in zip(fed, lowered.shapes, lowered.addresses, strict=True):
        desc, slot = node.op.inputs[position], slots[position]
        attr = BuildTensorAttr(Placement.DEVICE_HBM, desc.dtype, desc.format.storage, desc.format.origin)
        stream = lowered.context.stream
        ensured.append(holders.void("EnsureTensorAtOutMemory", shape, address, holders.const(attr), stream, slot))
    return LowerResult(lowered.shapes, slots, ensured)
