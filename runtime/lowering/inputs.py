"""What a node's converter gets: shapes and addresses of its inputs, at the place it wants them, and who must run first.

Source: spec/lowering.md 2.3 (2).
"""

from collections.abc import Mapping

from getrace.errors import ModelError
from runtime.engines.contract import LowerInput
from runtime.engines.placed_result import PlacedResult
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_FED_FROM_OUTSIDE = frozenset({"Data", "RefData", "AippData", "UnfedData"})


def collect_inputs(
    node: ComputeNode, lowered: LowerInput, placed: Mapping[ComputeNode, PlacedResult], placement: Placement | None
) -> LowerInput:
    """Fill in the inputs of a node in anchor order. Raises ModelError when an input has no producer or no result."""
    # Orders are a set that remembers its order: two inputs of one producer ask for the same one.
    orders: dict[ValueHolder, None] = {}
    for slot, source in enumerate(node.inputs):
        if source is None:
            if node.type in _FED_FROM_OUTSIDE:
                continue
            raise ModelError(f"input {slot} of node {node.name} is not connected", "feed it, or leave it out")
        producer, output = source
        tensor = _result_of(producer, node, placed).get(lowered.context, output, placement)
        lowered.shapes.append(tensor.shape)
        lowered.addresses.append(tensor.address)
        orders.update(dict.fromkeys(tensor.order_holders))
    for producer in node.control_inputs:
        orders.update(dict.fromkeys(_result_of(producer, node, placed).result.order_holders))
    lowered.order_holders = list(orders)
    return lowered


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
