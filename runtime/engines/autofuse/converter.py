"""The autofuse converter: functions come out of a generated library, and their arguments are the model's inputs.

A generated operator knows its shapes as formulas over the dimensions of the model's inputs, so what it reads are the
feeds of the model and not the shapes of its own inputs.

Source: spec/lowering.md 4.3.
"""

from collections.abc import Sequence
from enum import IntEnum

from getrace.errors import ModelError
from runtime.engines.aicore.binary import Binary, sink_binary
from runtime.engines.aicore.compile_result import CompileResult, read_compile_result
from runtime.engines.aicore.launch import Prepared, dfx_argument, launch, node_info, task_config
from runtime.engines.aicore.launch_arg import alloc_launch_arg
from runtime.engines.aicore.tiling import determinism
from runtime.engines.aicore.tiling_outputs import Tiled, TilingOutput, tiled_by
from runtime.engines.aicore.workspace import allocate_workspaces, free_workspaces, shape_buffer
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.core_platform import platform_of
from runtime.engines.ge_local.data import model_feeds
from runtime.engines.output_memory import output_addresses, output_sizes
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder

LIBRARY_ATTR = "bin_file_path"
MERGE_ATTR = "_symbol_infer_shape_cache_key"
"""Operators with one key have the same shapes; they are inferred once."""

SYMBOLS_ATTR = "_all_symbol_num"
CACHE_KEY_FUNCTION = "BuildSymbolTilingCacheKey"


class _Function(IntEnum):
    """Outputs of GetAutofuseFuncs."""

    LIBRARY = 0
    TILING = 1
    INFER_SHAPE = 2
    CACHE_KEY = 3
    TILING_PARSE = 4
    DFX = 5


def convert_autofuse(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a generated operator. Raises ModelError when it names no library, or its model no number of symbols."""
    compiled = read_compile_result(node)
    context = lowered.context
    functions = _functions(context, node)
    shapes = _infer(context, node, functions)
    sizes = output_sizes(context, node, shapes)
    addresses = output_addresses(node, lowered, sizes)
    tiled = _tile(node, lowered, compiled, functions)
    workspaces = allocate_workspaces(context, tiled.workspaces)
    binary = sink_binary(
        context, Binary(node.type, compiled.bin_id, compiled.metadata, compiled.kernel_name), compiled.form
    )
    buffer, task = shape_buffer(context, node), task_config(context)
    info, dfx = node_info(context, node, compiled.form), dfx_argument(context, compiled)
    prepared = Prepared(tiled, workspaces, buffer, binary, task, info, dfx)
    launched = launch(node, lowered, prepared, (shapes, addresses))
    for address in lowered.addresses:
        if address.guarder is not None:
            context.holders.order(launched, address.guarder)
    free_workspaces(context, workspaces, launched)
    return LowerResult(shapes, addresses, [launched])


def _functions(context: LoweringContext, node: ComputeNode) -> list[ValueHolder]:
    """Load the generated library on Init, once per operator."""
    path = node.op.attrs.get(LIBRARY_ATTR)
    if not isinstance(path, str):
        raise ModelError(f"Get '{LIBRARY_ATTR}' from node {node.name} failed.", "name the generated library")
    holders = context.holders
    return context.unique_on_init(
        f"{node.name}_AutofuseFuncs", lambda: holders.many("GetAutofuseFuncs", len(_Function), holders.const(path))
    )


def _infer(context: LoweringContext, node: ComputeNode, functions: Sequence[ValueHolder]) -> list[ValueHolder]:
    def build() -> list[ValueHolder]:
        return context.selector.on_main_root(kernel)

    def kernel() -> list[ValueHolder]:
        inputs = [*_symbol_sources(context, node), _symbols(context, node)]
        inputs += [functions[_Function.DFX], functions[_Function.INFER_SHAPE]]
        return context.holders.many("InferShape", len(node.op.outputs), *inputs)

    key = node.op.attrs.get(MERGE_ATTR)
    return context.unique(key, build) if isinstance(key, str) and key else kernel()


def _tile(node: ComputeNode, lowered: LowerInput, compiled: CompileResult, functions: Sequence[ValueHolder]) -> Tiled:
    context = lowered.context
    holders = context.holders
    platform = platform_of(context, node).infos
    rt_arg = alloc_launch_arg(context, len(lowered.shapes), len(node.op.outputs), compiled.max_tiling_data)
    sources = _symbol_sources(context, node)
    parsed = holders.single("SymbolTilingParse", platform, functions[_Function.TILING_PARSE])
    symbols = _symbols(context, node)
    cache_key = holders.single("GetSymbolTilingCacheKey", *sources, functions[_Function.CACHE_KEY], symbols)
    mask, key = holders.const(0), holders.const(CACHE_KEY_FUNCTION)
    framework = holders.single("PrepareCacheableTilingFwkData", functions[_Function.TILING], rt_arg, mask, key)
    inputs = (*sources, parsed, cache_key, framework, *determinism(context))
    return tiled_by(holders.many("CacheableTiling", TilingOutput.STATUS, *inputs))


def _symbol_sources(context: LoweringContext, node: ComputeNode) -> list[ValueHolder]:
    """How many inputs the model has, and the inputs; one list for all generated operators of a graph."""
    feeds = model_feeds(context)
    key = f"{node.graph.name}_input_shapes_with_size"
    return context.unique(key, lambda: [_shared_const(context, len(feeds)), *feeds])


def _symbols(context: LoweringContext, node: ComputeNode) -> ValueHolder:
    """How many symbols the formulas of the model use."""
    root = node.graph.root
    count = root.attrs.get(SYMBOLS_ATTR)
    if not isinstance(count, int):
        raise ModelError(f"graph '{root.name}' does not say how many symbols it has", f"set its '{SYMBOLS_ATTR}'")
    return context.unique(f"{root.name}_all_symbol_num_handle", lambda: [_shared_const(context, count)])[0]


def _shared_const(context: LoweringContext, value: int) -> ValueHolder:
    """A constant that operators of any branch may read, hence one of Main."""
    return context.selector.on_main_root(lambda: context.holders.const(value))
