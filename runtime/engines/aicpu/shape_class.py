"""When an AI CPU operator tells the shapes of its outputs, and whether the model knows shapes at all.

The classes decide which kernels stand in front of a launch and which behind it. Two steps that judged on their own
could allocate for one class and read back for another.

Source: spec/lowering.md 4.5, 5.3.
"""

from enum import IntEnum

from runtime.graph.compute_graph import ComputeNode, OpDesc

UNKNOWN_SHAPE_TYPE_ATTR = "_unknown_shape_type"
FORCE_UNKNOWN_ATTR = "_force_unknown_shape"


class ShapeClass(IntEnum):
    """``UnknowShapeOpType``; 0 is an operator that says nothing."""

    NONE = 0
    DEPEND_IN_SHAPE = 1
    DEPEND_CONST_VALUE = 2
    DEPEND_SHAPE_RANGE = 3
    DEPEND_COMPUTE = 4


def shape_type(op: OpDesc) -> int:
    """The class an operator declares, as the number GE passes on."""
    return op.number(UNKNOWN_SHAPE_TYPE_ATTR)


def output_unknown(op: OpDesc) -> bool:
    """Whether a dimension of an output is known at run time only (``IsOutputUnkownShape``, storage shapes)."""
    return any(not desc.storage.is_known for desc in op.outputs)


def any_unknown(op: OpDesc) -> bool:
    """Whether a dimension of an input or an output is known at run time only (``IsUnkownShape``)."""
    return output_unknown(op) or any(not desc.storage.is_known for desc in op.inputs)


def tells_range(node: ComputeNode) -> bool:
    """Third class: the launch gets room for the greatest shape, and leaves the real one in its extended information."""
    unknown = bool(node.op.attrs.get(FORCE_UNKNOWN_ATTR)) or output_unknown(node.op)
    return unknown and shape_type(node.op) == ShapeClass.DEPEND_SHAPE_RANGE


def tells_result(node: ComputeNode) -> bool:
    """Fourth class: the launch leaves a summary of each output, and a second one copies the results out."""
    unknown = bool(node.op.attrs.get(FORCE_UNKNOWN_ATTR)) or any_unknown(node.op)
    return unknown and shape_type(node.op) == ShapeClass.DEPEND_COMPUTE
