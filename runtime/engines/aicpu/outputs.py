"""Shapes and memory of an AI CPU operator's outputs before its launch, by class.

Source: spec/lowering.md 4.5 (table of classes).
"""

from dataclasses import dataclass

from runtime.engines.aicpu.shape_class import ShapeClass, output_unknown, shape_type, tells_result
from runtime.engines.contract import LowerInput
from runtime.engines.infer_shape import infer_storage_shapes, known_shapes
from runtime.engines.infer_shape_range import infer_largest_shapes
from runtime.engines.memory import allocate_output
from runtime.engines.output_memory import output_addresses, output_sizes
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder

SUMMARY_BYTES = 32
"""``ResultSummary``: address and size of an output's shape and of its data."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """A fourth-class operator has no shapes before it ran; its addresses are those of summaries."""

    shapes: list[ValueHolder]
    addresses: list[ValueHolder]


def outputs_of(node: ComputeNode, lowered: LowerInput) -> Outputs:
    """Write shape inference and memory of the outputs."""
    context = lowered.context
    if tells_result(node):
        size = context.holders.const(SUMMARY_BYTES)
        return Outputs([], [allocate_output(context, size) for _ in node.op.outputs])
    shapes = allocation_shapes(node, lowered)
    sizes = output_sizes(context, node, shapes)
    return Outputs(shapes, output_addresses(node, lowered, sizes))


def allocation_shapes(node: ComputeNode, lowered: LowerInput) -> list[ValueHolder]:
    """Shapes to allocate for: the model's, the inferred ones, or the greatest an operator may come to."""
    if not output_unknown(node.op):
        return known_shapes(lowered.context, node)
    if shape_type(node.op) == ShapeClass.DEPEND_SHAPE_RANGE:
        return infer_largest_shapes(lowered.context, node, lowered.shapes)
    return infer_storage_shapes(lowered.context, node, lowered.shapes)
