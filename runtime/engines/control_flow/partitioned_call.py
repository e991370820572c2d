"""PartitionedCall: its graph is lowered in place, between the nodes around it.

It owns what the graph's Data nodes stand for. They have no kernels of their own, so a consumer inside asks for the
very result that the owner was given; a constant stays one, and reaches the device through the weights.

Source: spec/lowering.md 4.11 (PartitionedCall), 2.3.
"""

from getrace.errors import ModelError
from runtime.engines.contract import Converter, Ends, LowerInput, LowerResult
from runtime.engines.control_flow.subgraph_ends import parent_index
from runtime.graph.compute_graph import ComputeNode

_CONSTANTS = frozenset({"Const", "Constant"})


def convert_partitioned_call(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower the graph of a call. Raises ModelError when the node does not own one graph or gives not what it gives."""
    if len(node.subgraphs) != 1:
        raise ModelError(
            f"node {node.name} of type {node.type} owns {len(node.subgraphs)} graphs", "a call owns one graph"
        )

    def read(data: ComputeNode, inner: LowerInput) -> LowerResult:
        index = parent_index(data, len(lowered.shapes))
        source = node.inputs[index]
        if source is not None and source[0].type in _CONSTANTS:
            return inner.walk.stand_for(data, source[0])
        return LowerResult([lowered.shapes[index]], [lowered.addresses[index]], list(lowered.order_holders))

    ends = Ends(
        Converter("_lower_partitioned_call_input", None, read),
        Converter("_lower_partitioned_call_output", None, _give),
    )
    with lowered.context.holders.working_on(node):
        result = lowered.walk.lower_graph(node.subgraphs[0], ends)
    if len(result.shapes) != len(node.op.outputs):
        raise ModelError(
            f"the graph of node {node.name} gives {len(result.shapes)} values, the node {len(node.op.outputs)}",
            "its NetOutput has one input per output of the node",
        )
    return result


def _give(_: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower the NetOutput inside: what it is given is what the call gives."""
    return LowerResult(lowered.shapes, lowered.addresses)
