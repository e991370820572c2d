"""ConditionCalc: a function of the host decides, from shapes and elements, which branch a model takes.

Source: spec/lowering.md 4.11, 11.O.
"""

from getrace.errors import ModelError
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import known_shape
from runtime.engines.memory import at
from runtime.graph.compute_graph import ComputeNode
from runtime.values import Placement

FUNCTION_ATTR = "cond_func"


def convert_condition_calc(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a condition. Raises ModelError when it does not name its function."""
    context, holders = lowered.context, lowered.context.holders
    name = node.op.attrs.get(FUNCTION_ATTR)
    if not isinstance(name, str) or not name:
        raise ModelError(f"node {node.name} does not name its function", f"set its attribute '{FUNCTION_ATTR}'")
    shape = known_shape(context, node.op.outputs[0])
    function = holders.single("FindKernelFunc", holders.const(name))
    value = holders.single("ConditionCalc", *lowered.shapes, function)
    address = holders.single("BuildUnmanagedTensorData", value, holders.const(context.stream_id))
    return LowerResult([shape], [at(address, Placement.HOST, context.stream_id)])
