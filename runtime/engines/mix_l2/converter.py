"""A MixL2 operator becomes an FFTS+ task: its arguments and contexts are filled on the host, copied, and launched.

It owns the order of filling. A context filled after the copy would be that of the step before.

Source: spec/lowering.md 4.10.
"""

from dataclasses import dataclass

from runtime.engines.aicore.compile_result import read_compile_result
from runtime.engines.aicore.out_shapes import unknown_shapes
from runtime.engines.aicore.workspace import allocate_workspaces, free_workspaces, shape_buffer, take_shapes
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import has_known_shapes, known_shapes
from runtime.engines.ir_inputs import OPTIONAL_MODE_ATTR
from runtime.engines.mix_l2.binary import NEED_MODE_ATTR, sink_mix_kernels
from runtime.engines.mix_l2.clean import MixDirty, update_clean
from runtime.engines.mix_l2.task_memory import TaskMemory, task_memory
from runtime.engines.mix_l2.tiling import MixTiled, tile_mix
from runtime.engines.output_memory import output_addresses, output_sizes
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import DfxExeArg
from runtime.values import Int32

_UNKNOWN_ATTR = "_unknown_shape"
_PLACE_HOLDER = "gen_placeholder"
"""An input that is left out still has its place among the arguments."""


@dataclass(frozen=True, slots=True)
class _Filled:
    """Inputs and outputs of the task, in the order of its arguments, and the memory of a step."""

    shapes: list[ValueHolder]
    addresses: list[ValueHolder]
    workspaces: ValueHolder
    buffer: ValueHolder


def convert_mix_l2(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an operator for two kinds of cores. Raises ModelError when its compile result is missing or broken."""
    context, holders = lowered.context, lowered.context.holders
    compiled = read_compile_result(node)
    static = not node.op.attrs.get(_UNKNOWN_ATTR, not has_known_shapes(node))
    memory = task_memory(context, node, len(node.op.inputs) + len(node.op.outputs))
    shapes = known_shapes(context, node) if static else unknown_shapes(node, lowered)
    tiled = tile_mix(node, lowered, compiled, shapes, memory, static)
    workspaces = allocate_workspaces(context, tiled.workspace_sizes)
    buffer = shape_buffer(context, node)
    sizes = output_sizes(context, node, shapes)
    addresses = output_addresses(node, lowered, sizes)
    kernels = sink_mix_kernels(context, node, tiled)
    threads = holders.const(Int32(1))
    types = holders.const((1,)), holders.const((0,) * len(addresses))
    dirty = MixDirty(tiled.workspace_sizes, workspaces, sizes, addresses, threads, types)
    cleaned = update_clean(context, node, memory, dirty, tiled=not static or compiled.needs_tiling)
    in_shapes, in_addresses = _with_place_holders(node, lowered)
    filled = _Filled([*in_shapes, *shapes], [*in_addresses, *addresses], workspaces, buffer)
    updated = _update(node, lowered, memory, tiled, kernels, filled)
    launched = _launch(lowered, memory, workspaces, [*([cleaned] if cleaned is not None else []), updated])
    told = take_shapes(context, node, buffer, launched, shapes)
    free_workspaces(context, workspaces, launched)
    for address in [*lowered.addresses, *addresses]:
        holders.release_after(address, launched)
    return LowerResult(shapes, addresses, [launched, *told])


def _with_place_holders(node: ComputeNode, lowered: LowerInput) -> tuple[list[ValueHolder], list[ValueHolder]]:
    """Shapes and addresses of all inputs; what is left out gets an empty one where the operator wants it."""
    fed = [source is not None for source in node.inputs]
    if all(fed) or node.op.attrs.get(OPTIONAL_MODE_ATTR) != _PLACE_HOLDER:
        return lowered.shapes, lowered.addresses
    holders = lowered.context.holders
    no_shape, no_address = holders.const(Int32(1)), holders.const(None)
    shapes, addresses = iter(lowered.shapes), iter(lowered.addresses)
    return (
        [next(shapes) if is_fed else no_shape for is_fed in fed],
        [next(addresses) if is_fed else no_address for is_fed in fed],
    )


def _update(
    node: ComputeNode,
    lowered: LowerInput,
    memory: TaskMemory,
    tiled: MixTiled,
    kernels: ValueHolder,
    filled: _Filled,
) -> ValueHolder:
    """Fill the arguments and the context of the operator itself; gives the kernel that fills the context."""
    context, holders = lowered.context, lowered.context.holders
    need_mode = holders.const(Int32(1 if node.op.attrs.get(NEED_MODE_ATTR) else 0))
    asserts, count = holders.const(Int32(0)), holders.const(len(filled.addresses))
    flushed = holders.many(
        "FFTSUpdateMixL2Args",
        2,
        filled.workspaces,
        need_mode,
        kernels,
        filled.buffer,
        asserts,
        count,
        *filled.shapes,
        *filled.addresses,
    )[0]
    holders.order(memory.args, flushed)
    if tiled.written is not None:
        holders.order(tiled.written, flushed)
    context_id, ratio = holders.const(Int32(0)), holders.const(False)
    updated = holders.void(
        "MixL2UpdateContext", flushed, tiled.block_dim, tiled.schedule_mode, memory.task_info, context_id, ratio
    )
    if context.options.data_dump:
        facts = [holders.const(Int32(0)), holders.const(len(lowered.addresses)), holders.const(len(node.op.outputs))]
        told = holders.void("MixL2UpdateDataDumpInfo", *facts, *filled.addresses)
        holders.order(told, updated)
    return updated


def _launch(lowered: LowerInput, memory: TaskMemory, workspaces: ValueHolder, filled: list[ValueHolder]) -> ValueHolder:
    """Copy the task to the device when it changed, and launch it."""
    context, holders = lowered.context, lowered.context.holders
    changed = holders.const(Int32(1))
    copied = holders.void("FFTSTaskAndArgsCopy", context.stream, memory.device, memory.host, memory.guard, changed)
    for before in filled:
        holders.order(before, copied)
    dfx = holders.const(DfxExeArg())
    launched = holders.void("LaunchFFTSPlusTaskNoCopy", context.stream, memory.task, changed, dfx, workspaces)
    holders.order(copied, launched)
    return launched
