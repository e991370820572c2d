"""Tiling: the kernels that decide how an operator is cut into blocks.

It owns which form is used: with a cache of results, without one (operators whose elements are looked at, with too
many inputs for a mask), that of the old register, or none.

Source: spec/lowering.md 4.1 (4 to 6), 10.1 rows 30 to 51.
"""

from getrace.errors import ModelError
from runtime.engines.aicore.compile_result import COMPILE_INFO, CompileResult
from runtime.engines.aicore.tiling_append import append_dfx, append_workspaces
from runtime.engines.aicore.tiling_compatible import tile_by_old_register
from runtime.engines.aicore.tiling_outputs import Tiled, TilingOutput, tiled_by
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput
from runtime.engines.core_platform import platform_of
from runtime.engines.data_dependence import needs_elements
from runtime.engines.infer_shape import OPP_IMPL_VERSION, find_function
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32

CACHE_KEY_FUNCTION = "BuildGeneralTilingCacheKey"

_MASK_BITS = 64
"""Inputs whose elements tiling depends on are the bits of a mask in the key of the cache."""


def tile(
    node: ComputeNode,
    lowered: LowerInput,
    compiled: CompileResult,
    out_shapes: list[ValueHolder],
    rt_arg: ValueHolder,
    fallible: bool = False,
) -> Tiled:
    """Write everything from the platform to the workspace sizes.

    A ``fallible`` tiling has one output more, its status; known workspaces are not appended to its own, as in GE.
    Raises ModelError for an operator without compile information.
    """
    context = lowered.context
    platform = platform_of(context, node).infos
    if not context.options.library.traits(node.type).tiling:
        return tile_by_old_register(node, lowered, compiled, out_shapes, rt_arg, fallible)
    info = parse_compile_info(context, node, compiled.compile_info, platform)
    function, cached = _framework(node, context, rt_arg, len(lowered.shapes))
    kernel = ("Cacheable" if cached else "") + ("Fallible" if fallible else "") + "Tiling"
    outputs = context.holders.many(
        kernel,
        len(TilingOutput) if fallible else TilingOutput.STATUS,
        *lowered.shapes,
        *out_shapes,
        info,
        platform,
        function,
        *determinism(context),
    )
    tiled = tiled_by(outputs)
    if not fallible:
        tiled = append_workspaces(context, tiled, compiled)
    return append_dfx(node, lowered, compiled, out_shapes, tiled)


def parse_compile_info(
    context: LoweringContext, node: ComputeNode, compile_info: str | None, platform: ValueHolder
) -> ValueHolder:
    """Read the compile information into the operator's own structure.

    The operator's functions are found through the machine, hence None for GE's pointer to its register. Raises
    ModelError when there is no information.
    """
    if compile_info is None:
        raise ModelError(f"Op[{node.name}] does not have attr[{COMPILE_INFO}].", "compile the operator for tiling")
    text, type_name = context.holders.const(compile_info), context.holders.const(node.type)
    return context.holders.single("TilingParse", text, platform, type_name, context.holders.const(None))


def find_tiling(context: LoweringContext, op_type: str) -> ValueHolder:
    """Look an operator's tiling up on Init, once per type."""
    key = f"{op_type}_FindTilingFunc_{OPP_IMPL_VERSION}"
    return context.unique_on_init(key, lambda: [find_function(context, "FindTilingFunc", op_type)])[0]


def determinism(context: LoweringContext) -> list[ValueHolder]:
    """Whether results must repeat bit for bit, and how strictly: two constants of the model."""
    options = context.options
    wanted = (("Deterministic", options.deterministic), ("DeterministicLevel", options.deterministic_level))
    return [_int_on_init(context, stem, value) for stem, value in wanted]


def _framework(
    node: ComputeNode, context: LoweringContext, rt_arg: ValueHolder, inputs: int
) -> tuple[ValueHolder, bool]:
    """Bundle function and argument block, with a cache where the inputs looked at fit into its key."""
    fed = [slot for slot, source in enumerate(node.inputs) if source is not None]
    looked_at = [place for place, slot in enumerate(fed) if needs_elements(context.options.library, node, slot)]
    function = find_tiling(context, node.type)
    if looked_at and inputs >= _MASK_BITS:
        return context.holders.single("PrepareTilingFwkData", function, rt_arg), False
    mask = context.holders.const(sum(1 << place for place in looked_at))
    key = context.holders.const(CACHE_KEY_FUNCTION)
    return context.holders.single("PrepareCacheableTilingFwkData", function, rt_arg, mask, key), True


def _int_on_init(context: LoweringContext, stem: str, value: int) -> ValueHolder:
    return context.unique_on_init(f"{stem}_{value}", lambda: [context.holders.const(Int32(value))])[0]
