"""Tiling: the kernels that decide how an operator is cut into blocks, in their cacheable form.

It owns the numbering of the tiling outputs. A launch that counted them itself would read the wrong one as soon as the
operator library gains a field (spec/lowering.md 12.11).

Source: spec/lowering.md 4.1 (4 and 5), 10.1 rows 30 to 51.
"""

from dataclasses import dataclass
from enum import IntEnum

from runtime.engines.aicore.compile_result import CompileResult
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput
from runtime.engines.infer_shape import find_function
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32

CACHE_KEY_FUNCTION = "BuildGeneralTilingCacheKey"


class TilingOutput(IntEnum):
    """Outputs of a tiling kernel; ``RT_ARG`` is GE's own behind those of the operator library."""

    TILING_KEY = 0
    BLOCK_DIM = 1
    ATOMIC_CLEAN = 2
    TILING_DATA = 3
    WORKSPACES = 4
    TILING_COND = 5
    SCHEDULE_MODE = 6
    LOCAL_MEMORY = 7
    AICPU_BLOCK_DIM = 8
    SIMT_BLOCK_DIM = 9
    SIMT_GRID_DIM = 10
    RT_ARG = 11


@dataclass(frozen=True, slots=True)
class Tiled:
    """``outputs`` by TilingOutput; ``workspaces`` are the sizes to allocate, static ones included."""

    outputs: list[ValueHolder]
    workspaces: ValueHolder


def tile(
    node: ComputeNode, lowered: LowerInput, compiled: CompileResult, out_shapes: list[ValueHolder], rt_arg: ValueHolder
) -> Tiled:
    """Write everything from the platform to the workspace sizes."""
    context = lowered.context
    platform = _platform(context, compiled)
    info = _parse(context, node, compiled, platform)
    key = f"{node.type}_FindTilingFunc_0"
    function = context.unique_on_init(key, lambda: [find_function(context, "FindTilingFunc", node.type)])[0]
    dependency, cache_key = context.holders.const(0), context.holders.const(CACHE_KEY_FUNCTION)
    framework = context.holders.single("PrepareCacheableTilingFwkData", function, rt_arg, dependency, cache_key)
    deterministic = _int_on_init(context, "Deterministic", context.options.deterministic)
    level = _int_on_init(context, "DeterministicLevel", context.options.deterministic_level)
    outputs = context.holders.many(
        "CacheableTiling",
        len(TilingOutput),
        *lowered.shapes,
        *out_shapes,
        info,
        platform,
        framework,
        deterministic,
        level,
    )
    workspaces = outputs[TilingOutput.WORKSPACES]
    if compiled.static_workspaces:
        static = context.holders.const(compiled.static_workspaces)
        workspaces = context.holders.single("TilingAppendWorkspace", workspaces, static)
    if context.options.args_exception_dump or compiled.memory_check:
        workspaces = _append_dfx(node, lowered, compiled, out_shapes, Tiled(outputs, workspaces))
    return Tiled(outputs, workspaces)


def _platform(context: LoweringContext, compiled: CompileResult) -> ValueHolder:
    """The platform with the operator's core type and core numbers; one per combination."""
    cores = (context.options.aicore_num, context.options.vector_core_num)

    def build() -> list[ValueHolder]:
        basic = context.unique_on_init("PlatformInfo", lambda: context.holders.many("GetPlatformInfo", 2))
        platform = context.selector.holder_on_init(basic[0])
        core_type = context.unique_on_init(
            f"CoreType_{compiled.core_type}", lambda: [context.holders.const(compiled.core_type)]
        )[0]
        core_type = context.selector.holder_on_init(core_type)
        numbers = [context.holders.const(Int32(number)) for number in cores]
        core_infos = context.selector.holder_on_init(basic[1])
        return context.holders.many("AppendCoreTypeToPlatform", 2, platform, core_type, *numbers, core_infos)

    key = f"PlatformInfos_Append_CoreType_{compiled.core_type}_{cores[0]}_{cores[1]}"
    return context.unique_on_init(key, build)[0]


def _parse(context: LoweringContext, node: ComputeNode, compiled: CompileResult, platform: ValueHolder) -> ValueHolder:
    """The compile info as the operator's own structure. The registry is found through the machine, hence None."""
    text, type_name = context.holders.const(compiled.compile_info), context.holders.const(node.type)
    registry = context.holders.const(None)
    return context.holders.single("TilingParse", text, platform, type_name, registry)


def _int_on_init(context: LoweringContext, stem: str, value: int) -> ValueHolder:
    return context.unique_on_init(f"{stem}_{value}", lambda: [context.holders.const(Int32(value))])[0]


def _append_dfx(
    node: ComputeNode, lowered: LowerInput, compiled: CompileResult, out_shapes: list[ValueHolder], tiled: Tiled
) -> ValueHolder:
    """Room for the record of an exception: sizes of the outputs, sizes of the arguments and what each one is."""
    holders = lowered.context.holders
    sizes = [
        holders.single("CalcTensorSizeFromStorage", holders.const(desc.dtype), shape)
        for desc, shape in zip(node.op.outputs, out_shapes, strict=True)
    ]
    arguments = len(lowered.shapes) + len(out_shapes)
    facts = [
        holders.const(compiled.original_para_size),
        holders.const(compiled.memory_check),
        holders.const(lowered.context.options.args_exception_dump),
        holders.const((0,) * arguments),
        holders.const(tuple(range(arguments))),
    ]
    rt_arg = tiled.outputs[TilingOutput.RT_ARG]
    return holders.single("TilingAppendDfxInfo", *lowered.shapes, *out_shapes, *sizes, rt_arg, tiled.workspaces, *facts)
