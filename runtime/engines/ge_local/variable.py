"""Variable and Constant: tensors that the session keeps between models.

They are split out of the session on Init, by name: a converter that allocated them would give each model its own.

Source: spec/lowering.md 4.11.
"""

from runtime.engines.allocators import allocator
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.memory import at
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


def convert_variable(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a variable: its shape and its device address come out of the session."""
    context = lowered.context

    def build() -> list[ValueHolder]:
        session = context.selector.holder_on_init(context.skeleton.rt_session)
        name = context.holders.const(node.name)
        return context.holders.many("SplitVariable", 2, session, name, allocator(context))

    shape, address = context.selector.on_init_root(build)
    return LowerResult([shape], [at(address, Placement.DEVICE_HBM)])
