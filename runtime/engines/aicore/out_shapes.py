"""Output shapes of an AI Core operator, by what is known of it.

Source: spec/lowering.md 4.1 (2).
"""

from runtime.engines.aicore.compile_result import is_third_class
from runtime.engines.aicore.fused_graph import FUSED_GRAPH_ATTR
from runtime.engines.aicore.ub_fusion import infer_fused_shapes
from runtime.engines.contract import LowerInput
from runtime.engines.infer_shape import has_known_shapes, infer_storage_shapes, known_shapes
from runtime.engines.infer_shape_range import infer_largest_shapes
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder


def output_shapes(node: ComputeNode, lowered: LowerInput) -> list[ValueHolder]:
    """Give a shape per output: known, those of the operators it was fused from, the largest ones, or inferred."""
    if has_known_shapes(node):
        return known_shapes(lowered.context, node)
    return unknown_shapes(node, lowered)


def unknown_shapes(node: ComputeNode, lowered: LowerInput) -> list[ValueHolder]:
    """Give a shape per output of an operator that is compiled for any shape, whatever the model says of its own."""
    context = lowered.context
    if FUSED_GRAPH_ATTR in node.op.attrs:
        return infer_fused_shapes(context, node, lowered.shapes)
    if is_third_class(node):
        return infer_largest_shapes(context, node, lowered.shapes)
    return infer_storage_shapes(context, node, lowered.shapes)
