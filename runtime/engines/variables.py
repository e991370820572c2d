"""Variables: values of the session, found on Init by name and shared by all operators that use them.

A variable is an operator of the model, and it is what other operators write into. If both looked it up, a model would
hold two addresses of one variable, and an order between them would be lost.

Source: spec/lowering.md 4.11 (Variable), 2.5 (AllocOutputMemory).
"""

from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.memory import at
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


def split_variable(
    context: LoweringContext, name: str, placement: Placement = Placement.DEVICE_HBM
) -> tuple[ValueHolder, ValueHolder]:
    """Give shape and address of a variable as outputs of the Init node."""

    def build() -> list[ValueHolder]:
        session = context.selector.holder_on_init(context.skeleton.rt_session)
        which = context.holders.const(name)
        return context.holders.many("SplitVariable", 2, session, which, allocator(context))

    shape, address = context.unique_on_init(name, build)
    return shape, at(address, placement, context.stream_id)
