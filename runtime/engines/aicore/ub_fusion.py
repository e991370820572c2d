"""Shapes of an operator that was fused from several: those are inferred one behind the other.

Source: spec/lowering.md 4.1 (2, UB fused node).
"""

from getrace.errors import ModelError
from runtime.engines.aicore.fused_graph import FusedOp, Source, read_fused_graph
from runtime.engines.context import LoweringContext
from runtime.engines.infer_shape import infer_storage_shapes
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.value_holder import ValueHolder

_ENDS = frozenset({"_RetVal", "NetOutput"})


def infer_fused_shapes(context: LoweringContext, node: ComputeNode, shapes: list[ValueHolder]) -> list[ValueHolder]:
    """Give the output shapes of a fused node; each kernel belongs to the operator whose shape it infers.

    Raises ModelError when the fused graph names an input or an output that the node does not have.
    """
    known: dict[Source, ValueHolder] = {}
    results: dict[int, ValueHolder] = {}
    fused = ComputeGraph(f"{node.name}_fused")
    for inner in read_fused_graph(node):
        if inner.op.type == "Data":
            known[inner.op.name, 0] = shapes[_checked(node, inner, inner.parents[0], len(shapes))]
        elif inner.op.type in _ENDS:
            for parent, source in zip(inner.parents, inner.inputs, strict=True):
                results[_checked(node, inner, parent, len(node.op.outputs))] = known[source]
        else:
            of_inner = fused.add(inner.op)
            with context.holders.working_on(of_inner):
                inferred = infer_storage_shapes(context, of_inner, [known[source] for source in inner.inputs])
            known.update({(inner.op.name, output): shape for output, shape in enumerate(inferred)})
    if len(results) != len(node.op.outputs):
        raise ModelError(f"the graph node {node.name} was fused from gives {len(results)} of its outputs")
    return [shape for _, shape in sorted(results.items())]


def _checked(node: ComputeNode, inner: FusedOp, index: int, count: int) -> int:
    if not 0 <= index < count:
        raise ModelError(
            f"Parent node index is invalid. Index[{index}] of {inner.op.name} in node {node.name}",
            f"the node has {count}",
        )
    return index
