"""Launches: the order of their inputs, which kernels read by position.

Source: spec/lowering.md 4.1 (12, common head, tails of mix launches).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.engines.aicore.compile_result import CompileResult, LaunchForm
from runtime.engines.aicore.mix_cores import mix_tail
from runtime.engines.aicore.tiling_outputs import Tiled, TilingOutput
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import DfxExeArg, TaskConfig


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a launch needs beside tensors, in the order it was made."""

    tiled: Tiled
    workspaces: ValueHolder
    shape_buffer: ValueHolder
    binary: ValueHolder
    task: ValueHolder
    node_info: ValueHolder | None
    dfx: ValueHolder


def task_config(context: LoweringContext) -> ValueHolder:
    """Quality of service of the task."""
    return context.holders.const(TaskConfig())


def node_info(context: LoweringContext, node: ComputeNode, form: LaunchForm) -> ValueHolder | None:
    """What the device reports of a kernel of an all-kernel binary; the other form has none."""
    return context.holders.const(f"{node.name}/") if form is LaunchForm.HANDLE else None


def dfx_argument(context: LoweringContext, compiled: CompileResult | None = None) -> ValueHolder:
    """Whether the kernel asserts and prints, and how large the buffer for it is; a clean does neither."""
    if compiled is None:
        return context.holders.const(DfxExeArg())
    options = compiled.dfx_options
    return context.holders.const(DfxExeArg("assert" in options, "printf" in options, compiled.dfx_buffer_size))


def launch_head(context: LoweringContext, prepared: Prepared, io_num: int) -> list[ValueHolder]:
    """Inputs 0 to 10 of every launch."""
    tiled = prepared.tiled
    return [
        context.stream,
        prepared.binary,
        tiled[TilingOutput.BLOCK_DIM],
        prepared.workspaces,
        prepared.shape_buffer,
        prepared.task,
        context.holders.const(io_num),
        tiled[TilingOutput.SCHEDULE_MODE],
        prepared.dfx,
        tiled[TilingOutput.RT_ARG],
        tiled[TilingOutput.LOCAL_MEMORY],
    ]


def launch(
    node: ComputeNode,
    lowered: LowerInput,
    prepared: Prepared,
    outputs: tuple[Sequence[ValueHolder], Sequence[ValueHolder]],
) -> ValueHolder:
    """Write the launch of an operator; ``outputs`` are shapes and addresses."""
    context = lowered.context
    shapes, addresses = outputs
    inputs = launch_head(context, prepared, len(lowered.addresses) + len(addresses))
    if prepared.node_info is not None:
        inputs += [prepared.tiled[TilingOutput.TILING_KEY], prepared.node_info]
    inputs += [*lowered.addresses, *addresses, *lowered.shapes, *shapes]
    tail, mixed = mix_tail(context, node)
    form = LaunchForm.FLAG if prepared.node_info is None else LaunchForm.HANDLE
    kernel = "LaunchMixKernel" if mixed else "LaunchKernel"
    return context.holders.void(f"{kernel}{form.value}", *inputs, *tail)
