"""The largest shapes of an operator that tells its output shapes only after it ran: what memory is reserved for.

AI Core operators and the AI CPU share it.

Source: spec/lowering.md 4.1 (2, third class).
"""

from runtime.engines.context import LoweringContext
from runtime.engines.infer_shape import operator_from_buffer, space_registry
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder

_PER_OUTPUT = 3
"""Inference of ranges gives all ranges, then all least shapes, then all largest shapes."""


def infer_largest_shapes(context: LoweringContext, node: ComputeNode, shapes: list[ValueHolder]) -> list[ValueHolder]:
    """Give the largest shape of each output.

    The functions are looked up where the kernels are written: only a pass moves the look-up to Init, as in GE.
    """
    holders = context.holders
    ranges = holders.many("CreateTensorRangesAndShapeRanges", len(shapes), *shapes)
    outputs = len(node.op.outputs)
    if context.options.library.traits(node.type).infer_shape_range:
        registry = space_registry(context)
        function = holders.single("FindInferShapeRangeFunc", holders.const(node.type), registry)
        inferred = holders.many("InferShapeRange", _PER_OUTPUT * outputs, *ranges, function)
    else:
        function = holders.single("FindCompatibleInferShapeRangeFunc", holders.const(node.type))
        operator = operator_from_buffer(context, node)
        inferred = holders.many("CompatibleInferShapeRange", _PER_OUTPUT * outputs, operator, function, *ranges)
    return inferred[2 * outputs :]
