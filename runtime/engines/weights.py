"""Weights: constants that are copied to the device once, on Init, into one block for the whole model.

It owns the chain of kernels. If each constant allocated for itself, a weight memory handed in by the caller could
not be used.

Source: spec/lowering.md 5.2 (``SinkWeightData``) and 2.1 (4).
"""

from runtime.engines.allocators import l2_allocator_on_init
from runtime.engines.context import LoweringContext
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


def weight_on_device(context: LoweringContext, host_address: ValueHolder) -> ValueHolder:
    """Copy a constant into the weight memory on Init; gives its device address as an output of the Init node."""
    node = context.holders.compute_node
    assert node is not None
    plan = context.weights

    def build() -> list[ValueHolder]:
        span = context.holders.const(plan.spans[node])
        assigner = context.selector.holder_on_init(weight_assigner(context))
        stream_id = context.holders.const(0)
        assigned = context.holders.single("AssignWeightMemory", span, assigner, stream_id)
        source = context.selector.holder_on_init(host_address)
        stream = context.skeleton.init_streams[0]
        return [context.holders.single("SinkWeightData", source, assigned, stream_id, stream)]

    address = context.selector.on_init_root(build)[0]
    address.placement = Placement.DEVICE_HBM
    return address


def weight_assigner(context: LoweringContext) -> ValueHolder:
    """What cuts the weight memory of the model into pieces; each step of its chain leaves Init."""
    on_init = context.selector.holder_on_init

    def memory() -> list[ValueHolder]:
        size = on_init(context.unique_on_init("WeightSize", lambda: [context.holders.const(context.weights.total)])[0])
        allocator = on_init(l2_allocator_on_init(context))
        outer = on_init(context.skeleton.outer_weight_mem)
        return [context.holders.single("GetOrCreateWeightMem", size, outer, allocator)]

    def assigner() -> list[ValueHolder]:
        block = on_init(context.unique_on_init("WeightMem", memory)[0])
        return [context.holders.single("CreateMemAssigner", block)]

    return context.unique_on_init("WeightAssigner", assigner)[0]
