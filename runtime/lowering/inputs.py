"""What a node's converter gets: shapes and addresses of its inputs, at the place it wants them, and who must run first.

Source: spec/lowering.md 2.3 (2).
"""

from collections.abc import Mapping

from getrace.errors import ModelError
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput
from runtime.engines.data_dependence import needs_elements
from runtime.engines.ir_inputs import is_optional
from runtime.engines.placed_result import Form, PlacedResult, Target
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_SOURCES = frozenset(
    {
        *("Data", "RefData", "AippData", "UnfedData"),
        *("Const", "Constant", "ConstPlaceHolder", "FileConstant", "Variable"),
    }
)
"""Types whose inputs, where a model lists any, stand for something outside the graph."""


def collect_inputs(
    node: ComputeNode, lowered: LowerInput, placed: Mapping[ComputeNode, PlacedResult], placement: Placement | None
) -> LowerInput:
    """Fill in the inputs of a node in anchor order. Raises ModelError when an input has no producer or no result."""
    context = lowered.context
    target = Target(placement, context.stream_of(node))
    # Orders are a set that remembers its order: two inputs of one producer ask for the same one.
    orders: dict[ValueHolder, None] = {}
    for slot, source in enumerate(node.inputs):
        if source is None:
            if _may_be_left_out(node, slot):
                continue
            raise ModelError(f"input {slot} of node {node.name} is not connected", "feed it, or leave it out")
        producer, output = source
        form = Form.ELEMENTS if needs_elements(context.options.library, node, slot) else Form.PLAIN
        tensor = _result_of(producer, node, placed).get(context, output, target, form)
        lowered.shapes.append(tensor.shape)
        lowered.addresses.append(tensor.address)
        orders.update(dict.fromkeys(tensor.orders))
    for producer in node.control_inputs:
        orders.update(dict.fromkeys(_result_of(producer, node, placed).result.order_holders))
    lowered.order_holders = list(orders)
    return lowered


def _may_be_left_out(node: ComputeNode, slot: int) -> bool:
    """A model output that nobody makes is left as the caller gave it, as long as there is another one."""
    if node.type == "NetOutput":
        return any(node.inputs)
    return node.type in _SOURCES or is_optional(node, slot)


def raw_input(
    context: LoweringContext,
    placed: Mapping[ComputeNode, PlacedResult],
    node: ComputeNode,
    slot: int,
    placement: Placement,
) -> tuple[ValueHolder, ValueHolder]:
    """Give an input of a node as a raw tensor at a place, and its address. Raises ModelError when nothing feeds it."""
    source = node.inputs[slot]
    if source is None:
        raise ModelError(f"input {slot} of node {node.name} is not connected", "feed it, or leave it out")
    producer, output = source
    target = Target(placement, context.stream_of(node))
    raw = _result_of(producer, node, placed).get(context, output, target, Form.RAW)
    return raw.shape, raw.address


def _result_of(
    producer: ComputeNode, consumer: ComputeNode, placed: Mapping[ComputeNode, PlacedResult]
) -> PlacedResult:
    if producer not in placed:
        raise ModelError(
            f"Failed to construct LowerInput for node {consumer.name}, because cannot find the lower result on input "
            f"node name:{producer.name}, type:{producer.type}, engine:{producer.op.engine}.",
            "add nodes to the graph in an order in which producers come first",
        )
    return placed[producer]
