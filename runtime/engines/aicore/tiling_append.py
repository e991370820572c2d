"""What is appended to the workspaces that tiling decided: those known before, and room for the record of an exception.

Source: spec/lowering.md 4.1 (5).
"""

from dataclasses import replace

from runtime.engines.aicore.compile_result import CompileResult, is_third_class
from runtime.engines.aicore.tiling_outputs import Tiled, TilingOutput
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder

SHAPE_BUFFER_ROW = 9 * 8
"""Bytes per output of a buffer for shapes: how many dimensions, then eight of them."""


def append_workspaces(context: LoweringContext, tiled: Tiled, compiled: CompileResult) -> Tiled:
    """Add the sizes the compiler knew, if any."""
    if not compiled.static_workspaces:
        return tiled
    known = context.holders.const(compiled.static_workspaces)
    return replace(tiled, workspaces=context.holders.single("TilingAppendWorkspace", tiled.workspaces, known))


def append_dfx(
    node: ComputeNode, lowered: LowerInput, compiled: CompileResult, out_shapes: list[ValueHolder], tiled: Tiled
) -> Tiled:
    """Add room for sizes of outputs and arguments, if exceptions are dumped or memory is checked."""
    context = lowered.context
    dumped = context.options.args_exception_dump
    if not dumped and not compiled.memory_check:
        return tiled
    holders = context.holders
    sizes = [
        holders.single("CalcTensorSizeFromStorage", holders.const(desc.dtype), shape)
        for desc, shape in zip(node.op.outputs, out_shapes, strict=True)
    ]
    arguments = len(lowered.shapes) + len(out_shapes)
    buffer = (SHAPE_BUFFER_ROW * len(out_shapes),) if is_third_class(node) and out_shapes else ()
    facts = [
        holders.const(compiled.original_para_size),
        holders.const(compiled.memory_check),
        holders.const(dumped),
    ]
    if arguments:
        facts += [holders.const((*(0,) * arguments, *buffer)), holders.const(tuple(range(arguments)))]
    elif not buffer:
        return tiled
    shapes = (*lowered.shapes, *out_shapes)
    rt_arg = tiled[TilingOutput.RT_ARG]
    appended = holders.single("TilingAppendDfxInfo", *shapes, *sizes, rt_arg, tiled.workspaces, *facts)
    return replace(tiled, workspaces=appended)
