"""Tiling of a MixL2 operator: at run time, by bytes the compiler left, or not at all.

Its kernel writes into the arguments of the task and has no argument block to hand on, so the forms of the AI Core
engine do not fit.

Source: spec/lowering.md 4.10, 4.1 (5).
"""

from dataclasses import dataclass

from runtime.engines.aicore.compile_result import CompileResult
from runtime.engines.aicore.tiling import find_tiling, parse_compile_info
from runtime.engines.aicore.tiling_outputs import TilingOutput
from runtime.engines.contract import LowerInput
from runtime.engines.core_platform import platform_of
from runtime.engines.mix_l2.task_memory import TaskMemory
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32

TILING_DATA_ATTR = "_tiling_data_str"
"""Tiling data of a static operator that runs a kernel for any shape."""

LEGACY_OUTPUTS = int(TilingOutput.RT_ARG)
"""Outputs of TilingLegacy: those of the operator library, without the argument block."""


@dataclass(frozen=True, slots=True)
class MixTiled:
    """How an operator is cut; ``key`` is None for one that is not tiled.

    ``written`` is the kernel that wrote the tiling data, if its readers have to be ordered behind it.
    """

    workspace_sizes: ValueHolder
    block_dim: ValueHolder
    schedule_mode: ValueHolder
    key: ValueHolder | None = None
    written: ValueHolder | None = None


def tile_mix(
    node: ComputeNode,
    lowered: LowerInput,
    compiled: CompileResult,
    out_shapes: list[ValueHolder],
    memory: TaskMemory,
    static: bool,
) -> MixTiled:
    """Write what decides how the operator is cut into blocks."""
    if not static or compiled.needs_tiling:
        return _tile(node, lowered, compiled, out_shapes, memory)
    holders = lowered.context.holders
    sizes = holders.const(compiled.static_workspaces)
    block_dim, mode = holders.const(Int32(compiled.block_dim)), holders.const(Int32(compiled.schedule_mode))
    data = node.op.attrs.get(TILING_DATA_ATTR)
    if not isinstance(data, str):
        return MixTiled(sizes, block_dim, mode)
    key = holders.const(0)
    content, size = holders.const(data), holders.const(len(data))
    written = holders.void("CopyTilingdata", memory.args, content, size)
    holders.order(memory.redirected, written)
    return MixTiled(sizes, block_dim, mode, key, written)


def _tile(
    node: ComputeNode,
    lowered: LowerInput,
    compiled: CompileResult,
    out_shapes: list[ValueHolder],
    memory: TaskMemory,
) -> MixTiled:
    context = lowered.context
    platform = platform_of(context, node).infos
    info = parse_compile_info(context, node, compiled.compile_info, platform)
    function = find_tiling(context, node.type)
    inputs = (*lowered.shapes, *out_shapes, info, platform, function)
    outputs = context.holders.many("TilingLegacy", LEGACY_OUTPUTS, *inputs)
    context.holders.order(memory.redirected, outputs[0])
    sizes = outputs[TilingOutput.WORKSPACES]
    if compiled.static_workspaces:
        known = context.holders.const(compiled.static_workspaces)
        sizes = context.holders.single("TilingAppendWorkspace", sizes, known)
    key, block_dim = outputs[TilingOutput.TILING_KEY], outputs[TilingOutput.BLOCK_DIM]
    return MixTiled(sizes, block_dim, outputs[TilingOutput.SCHEDULE_MODE], key)
