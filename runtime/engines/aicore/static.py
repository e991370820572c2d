"""An operator whose shapes the model knows and whose kernel was compiled for them: nothing is inferred or tiled.

Source: spec/lowering.md 4.1 (Static).
"""

from runtime.engines.aicore.atomic import Dirty, launch_clean
from runtime.engines.aicore.binary import sink_binary
from runtime.engines.aicore.compile_result import ATOMIC_COMPILE_INFO, CompileResult
from runtime.engines.aicore.core_launch import Launched, OnCore, clean_first
from runtime.engines.aicore.launch import Prepared, dfx_argument, launch, task_config
from runtime.engines.aicore.tiling import tile
from runtime.engines.aicore.tiling_outputs import Tiled, TilingOutput
from runtime.engines.aicore.workspace import allocate_workspaces, free_workspaces
from runtime.engines.context import LoweringContext
from runtime.engines.output_memory import output_addresses, output_sizes
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32


def launch_static(op: OnCore) -> Launched:
    """Write everything from the output sizes to the launch and what frees its workspaces."""
    node, lowered, compiled = op.node, op.lowered, op.compiled
    context = lowered.context
    sizes = output_sizes(context, node, op.shapes)
    addresses = output_addresses(node, lowered, sizes)
    binary = sink_binary(context, op.binary, compiled.form)
    buffer = context.holders.const(None)
    tiled = _run_config(op)
    workspaces = allocate_workspaces(context, tiled.workspaces, compiled.dfx_buffer_size)
    dirty = Dirty(tiled.workspaces, workspaces, sizes, addresses)
    cleaned = launch_clean(node, lowered, compiled, dirty, static=ATOMIC_COMPILE_INFO not in node.op.attrs)
    task, dfx = task_config(context), dfx_argument(context, compiled)
    prepared = Prepared(tiled, workspaces, buffer, binary, task, None, dfx)
    launched = launch(node, lowered, prepared, (op.shapes, addresses))
    clean_first(lowered, cleaned, launched)
    free_workspaces(context, workspaces, launched)
    return Launched(op.shapes, addresses, [launched, *([cleaned] if cleaned is not None else [])])


def _run_config(op: OnCore) -> Tiled:
    """What the compiler decided; an operator whose cores wait for each other is tiled for the cores there are."""
    if op.compiled.needs_tiling:
        return tile(op.node, op.lowered, op.compiled, op.shapes, op.rt_arg)
    return as_compiled(op.lowered.context, op.compiled, op.rt_arg, known_workspaces_last=True)


def as_compiled(
    context: LoweringContext, compiled: CompileResult, rt_arg: ValueHolder, *, known_workspaces_last: bool
) -> Tiled:
    """Stand in for a tiling with constants.

    An operator of known shapes writes the workspaces last and its blocks in four bytes; one whose shapes are unknown,
    but which needs no tiling, writes them first and in eight (GE's two places).
    """
    holders = context.holders
    workspaces = None if known_workspaces_last else holders.const(compiled.static_workspaces)
    blocks = Int32(compiled.block_dim) if known_workspaces_last else compiled.block_dim
    outputs = {
        TilingOutput.BLOCK_DIM: holders.const(blocks),
        TilingOutput.SCHEDULE_MODE: holders.const(Int32(compiled.schedule_mode)),
        TilingOutput.RT_ARG: rt_arg,
        TilingOutput.LOCAL_MEMORY: holders.const(Int32(compiled.local_memory)),
    }
    return Tiled(outputs, workspaces or holders.const(compiled.static_workspaces))
