"""ConstPlaceHolder: a constant in device memory that the user of the model owns.

Two constants on Init say where it is; nothing is copied and nothing freed. A model input with the attribute
``frozen_input`` is one, too.

Source: spec/lowering.md 4.11.
"""

from getrace.errors import ModelError
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import known_shape
from runtime.engines.memory import at
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement, TensorData


def convert_const_place_holder(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a constant of the user's. Raises ModelError when the model does not say where it is."""
    context, desc = lowered.context, node.op.outputs[0]
    address, size = (node.op.attrs.get(name) for name in ("addr", "size"))
    if not isinstance(address, int) or not isinstance(size, int):
        raise ModelError(
            f"node {node.name} does not say where its tensor lies", "set its attributes 'addr' and 'size', in bytes"
        )
    data = TensorData(address, size, Placement.DEVICE_HBM)

    def build() -> list[ValueHolder]:
        return [known_shape(context, desc), context.holders.const(data)]

    shape, holder = context.selector.on_init_root(build)
    return LowerResult([shape], [at(holder, Placement.DEVICE_HBM)])
