"""If and Case: the value of input 0 chooses the branch, the other inputs go into it.

Source: spec/lowering.md 4.12 (If, Case).
"""

from getrace.errors import ModelError
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.control_flow.branch import ELSE, THEN, Build, select
from runtime.engines.control_flow.subgraph_ends import Outer, ends_of
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.value_holder import ValueHolder

_OUTER_START = 1
"""Input 0 of the kernel is the number of the branch (``OuterStartIndex``)."""


def convert_if(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower If: branch 0 for true. Raises ModelError when the node does not own two graphs."""
    if len(node.subgraphs) != 2:
        raise ModelError(
            f"node {node.name} of type {node.type} owns {len(node.subgraphs)} graphs", "an If owns two: then, else"
        )
    index = lowered.context.holders.single("GenIndexForIf", _condition(node, lowered))
    return _convert(node, lowered, "If", index, [THEN, ELSE])


def convert_case(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower Case: a number out of range chooses the last branch. Raises ModelError when the node owns no graph."""
    if not node.subgraphs:
        raise ModelError(f"node {node.name} of type {node.type} owns no graph", "a Case owns one graph per branch")
    holders = lowered.context.holders
    tensor = _condition(node, lowered)
    index = holders.single("GenIndexForCase", tensor, holders.const(len(node.subgraphs)))
    return _convert(node, lowered, "Case", index, [f"branch_{number}" for number in range(len(node.subgraphs))])


def _condition(node: ComputeNode, lowered: LowerInput) -> ValueHolder:
    """Input 0 comes as a tensor in the place of its shape: it is data dependent."""
    if not lowered.shapes:
        raise ModelError(f"node {node.name} of type {node.type} has no inputs", "input 0 chooses the branch")
    return lowered.shapes[0]


def _convert(node: ComputeNode, lowered: LowerInput, kind: str, index: ValueHolder, names: list[str]) -> LowerResult:
    context = lowered.context
    outer = Outer(lowered.addresses, _OUTER_START)

    def branch(graph: ComputeGraph) -> Build:
        def build() -> list[ValueHolder]:
            result = lowered.walk.lower_graph(graph, ends_of(outer))
            return [*result.shapes, *result.addresses]

        return build

    branches = {name: branch(graph) for name, graph in zip(names, node.subgraphs, strict=True)}
    outputs = select(context, kind, [index, *lowered.shapes, *lowered.addresses], branches)
    count = len(outputs) // 2
    if count != len(node.op.outputs):
        raise ModelError(
            f"the branches of node {node.name} give {count} outputs, the node has {len(node.op.outputs)}",
            "give the NetOutput of each branch one input per output of the node",
        )
    shapes, addresses = outputs[:count], outputs[count:]
    for address in addresses:
        if address.guarder is None:
            context.holders.guarder("FreeMemory", address)
    return LowerResult(shapes, addresses, outputs[:1])
