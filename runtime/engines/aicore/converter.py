"""The AI Core converter: one operator becomes shape inference, tiling, memory, and a launch.

It owns which form of lowering an operator gets; each form has a module of its own.

Source: spec/lowering.md 4.1 (dispatch, 3, 4) and 10.1.
"""

from runtime.engines.aicore.compile_result import CompileResult, LaunchForm, is_third_class, read_compile_result
from runtime.engines.aicore.core_launch import Launched, OnCore, launch_tiled
from runtime.engines.aicore.launch_arg import alloc_launch_arg
from runtime.engines.aicore.out_shapes import output_shapes
from runtime.engines.aicore.rollback import launch_or_fall_back
from runtime.engines.aicore.static import as_compiled, launch_static
from runtime.engines.aicore.tiling import tile
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.control_flow.branch import if_else
from runtime.engines.core_platform import platform_of
from runtime.engines.infer_shape import has_known_shapes, known_shapes
from runtime.engines.output_memory import output_addresses, output_sizes
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import UNKNOWN_RANK

NO_TASK_ATTR = "_no_task"
_SINGLE_OP_ATTR, _SINGLE_OP_GRAPH_ATTR = "_single_op_scene", "_fe_single_op_scene"


def convert_aicore(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an operator with a compiled kernel; one without a task of its own only hands its inputs on.

    Raises ModelError, in GE's words, when the compile result is missing or broken.
    """
    if node.op.attrs.get(NO_TASK_ATTR):
        return LowerResult(lowered.shapes, lowered.addresses)
    compiled = read_compile_result(node)
    static = compiled.form is LaunchForm.FLAG and has_known_shapes(node) and not compiled.tiled_by_compiler
    return _convert_static(node, lowered, compiled) if static else _convert_dynamic(node, lowered, compiled)


def _convert_static(node: ComputeNode, lowered: LowerInput, compiled: CompileResult) -> LowerResult:
    rt_arg = _launch_arg(node, lowered, compiled)
    shapes = known_shapes(lowered.context, node)
    return _result(launch_static(OnCore(node, lowered, compiled, rt_arg, shapes)))


def _convert_dynamic(node: ComputeNode, lowered: LowerInput, compiled: CompileResult) -> LowerResult:
    rt_arg = _launch_arg(node, lowered, compiled)
    op = OnCore(node, lowered, compiled, rt_arg, output_shapes(node, lowered))
    if not may_be_empty(lowered.context, node):
        return _result(_compute(op))
    return _unless_empty(op)


def may_be_empty(context: LoweringContext, node: ComputeNode) -> bool:
    """Say whether an output may turn out to have no elements, so that nothing must be launched for it."""
    if context.options.all_tensor_not_empty or has_known_shapes(node) or is_third_class(node) or _is_single_op(node):
        return False
    return any(
        desc.storage == (UNKNOWN_RANK,) or not desc.shape_range or any(least == 0 for least, _ in desc.shape_range)
        for desc in node.op.outputs
    )


def _is_single_op(node: ComputeNode) -> bool:
    """Whether the model is one operator that a framework calls by itself."""
    return bool(node.graph.root.attrs.get(_SINGLE_OP_ATTR)) and bool(node.graph.attrs.get(_SINGLE_OP_GRAPH_ATTR))


def _unless_empty(op: OnCore) -> LowerResult:
    """Launch only if an output has elements; else memory of no size is all there is to give."""
    context = op.lowered.context
    condition = context.holders.single("CheckOutputShapesEmpty", *op.shapes)
    addresses = if_else(
        context,
        condition,
        lambda: output_addresses(op.node, op.lowered, output_sizes(context, op.node, op.shapes)),
        lambda: _compute(op).addresses,
    )
    return LowerResult(op.shapes, addresses, addresses[:1])


def _compute(op: OnCore) -> Launched:
    compiled, context = op.compiled, op.lowered.context
    platform_of(context, op.node)
    if compiled.falls_back:
        return launch_or_fall_back(op)
    if compiled.form is LaunchForm.FLAG and compiled.compile_info is None:
        return launch_tiled(op, as_compiled(context, compiled, op.rt_arg, known_workspaces_last=False))
    return launch_tiled(op, tile(op.node, op.lowered, compiled, op.shapes, op.rt_arg))


def _launch_arg(node: ComputeNode, lowered: LowerInput, compiled: CompileResult) -> ValueHolder:
    return alloc_launch_arg(lowered.context, len(lowered.shapes), len(node.op.outputs), compiled.max_tiling_data)


def _result(launched: Launched) -> LowerResult:
    return LowerResult(launched.shapes, launched.addresses, launched.order_holders)
