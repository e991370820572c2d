"""Weights: constants that are copied to the device once, on Init, into one block for the whole model.

It owns the chain of kernels. If each constant allocated for itself, a weight memory handed in by the caller could
not be used.

Source: spec/lowering.md 5.2 (``SinkWeightData``) and 2.1 (4).
"""

from runtime.engines.allocators import l2_allocator_on_init
from runtime.engines.context import LoweringContext
from runtime.engines.weight_plan import weight_size
from runtime.graph.compute_graph import TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement, WeightSpan


def weight_on_device(context: LoweringContext, desc: TensorDesc, host_address: ValueHolder) -> ValueHolder:
    """Copy a constant into the weight memory on Init; gives its device address as an output of the Init node."""
    node = context.holders.compute_node
    assert node is not None
    plan = context.weights

    def build() -> list[ValueHolder]:
        span = context.holders.const(WeightSpan(plan.offsets[node.name], weight_size(desc)))
        stream_id = context.holders.const(0)
        assigner = context.selector.holder_on_init(_assigner(context, plan.total))
        assigned = context.holders.single("AssignWeightMemory", span, assigner, stream_id)
        source = context.selector.holder_on_init(host_address)
        stream = context.skeleton.init_streams[0]
        return [context.holders.single("SinkWeightData", source, assigned, stream_id, stream)]

    address = context.selector.on_init_root(build)[0]
    address.placement = Placement.DEVICE_HBM
    return address


def _assigner(context: LoweringContext, total: int) -> ValueHolder:
    def build() -> list[ValueHolder]:
        size = context.holders.const(total)
        allocator = context.selector.holder_on_init(l2_allocator_on_init(context))
        outer = context.selector.holder_on_init(context.skeleton.outer_weight_mem)
        memory = context.holders.single("GetOrCreateWeightMem", size, outer, allocator)
        return [context.holders.single("CreateMemAssigner", memory)]

    return context.unique_on_init("WeightAssigner", build)[0]
