"""Tiling by a function of GE's old registers (v3 and v4), which take an operator rebuilt from its serialised form.

Nothing is appended to the workspaces here: GE does not do it in this form.

Source: spec/lowering.md 4.1 (5, v3/v4).
"""

from enum import IntEnum

from getrace.errors import ModelError
from runtime.engines.aicore.compile_result import COMPILE_INFO, CompileResult
from runtime.engines.aicore.tiling_outputs import Tiled, TilingOutput, tiled_by
from runtime.engines.contract import LowerInput
from runtime.engines.infer_shape import operator_from_buffer
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder


class _Found(IntEnum):
    """Outputs of FindCompatibleTilingFunc."""

    VERSION = 0
    PARSE = 1
    TILING = 2


def tile_by_old_register(
    node: ComputeNode,
    lowered: LowerInput,
    compiled: CompileResult,
    out_shapes: list[ValueHolder],
    rt_arg: ValueHolder,
    fallible: bool,
) -> Tiled:
    """Write the kernels from the look-up to the tiling. Raises ModelError without compile information."""
    if compiled.compile_info is None:
        raise ModelError(f"Op[{node.name}] does not have attr[{COMPILE_INFO}].", "compile the operator for tiling")
    holders = lowered.context.holders
    found = holders.many("FindCompatibleTilingFunc", len(_Found), holders.const(node.type))
    framework = holders.single("PrepareTilingFwkData", found[_Found.TILING], rt_arg)
    operator = operator_from_buffer(lowered.context, node)
    info, key = holders.const(compiled.compile_info), holders.const(compiled.compile_info_key)
    parsed = holders.single("CompatibleTilingParse", operator, info, key, found[_Found.VERSION], found[_Found.PARSE])
    outputs = holders.many(
        "FallibleCompatibleTiling" if fallible else "CompatibleTiling",
        len(TilingOutput) if fallible else TilingOutput.STATUS,
        operator,
        parsed,
        found[_Found.VERSION],
        framework,
        *lowered.shapes,
        *out_shapes,
    )
    return tiled_by(outputs)
