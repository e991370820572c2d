"""The container of a model's sequences, and the handle an operator gives for one.

There is one container per model, cleared when a step is over and destroyed with the session's resources. If operators
made their own, a handle of one would mean nothing to the next.

Source: spec/lowering.md 4.11 (Sequence ops), 11.N.
"""

from dataclasses import dataclass

from runtime.engines.context import LoweringContext
from runtime.engines.memory import allocate_output
from runtime.engines.output_memory import output_sizes
from runtime.engines.session import session_id
from runtime.engines.tensors import build_tensor
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

CONTAINER_KEY = "container_id"
FIRST_CONTAINER = 1


@dataclass(frozen=True, slots=True)
class Handle:
    """A sequence's handle as an operator's output: its shape, its memory on the host, and the tensor of both."""

    shape: ValueHolder
    address: ValueHolder
    tensor: ValueHolder


def container_id(context: LoweringContext) -> ValueHolder:
    """The number of the model's container; the first ask writes what creates, clears and destroys it."""

    def build() -> list[ValueHolder]:
        number = context.selector.on_main_root(lambda: context.holders.const(FIRST_CONTAINER))
        session = session_id(context)

        def create() -> list[ValueHolder]:
            created = context.holders.single("CreateSession", context.selector.holder_on_init(session))
            context.holders.guarder("DestroySession", created)
            return [created]

        context.selector.on_init_root(create)
        context.selector.on_main_root_last(lambda: context.holders.void("ClearContainer", session, number))
        return [number]

    return context.unique(CONTAINER_KEY, build)[0]


def handle_of(context: LoweringContext, node: ComputeNode, shape: ValueHolder) -> Handle:
    """Memory on the host for the handle a node gives, and a tensor around it."""
    size = output_sizes(context, node, [shape])[0]
    address = allocate_output(context, size, Placement.HOST)
    return Handle(shape, address, build_tensor(context, node.op.outputs[0], shape, address))
