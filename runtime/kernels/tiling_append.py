"""What is added behind tiling: workspaces known before, and what an exception dump wants to find (lowering.md 11.J)."""

from typing import Final

from getrace.events.tiling import WorkspaceAppended
from runtime.kernels.context import KernelContext
from runtime.kernels.launch_args import WORD, LaunchArgs
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status

_KNOWN = ("tiling.cc", 360, "TilingAppendWorkspace")
_DFX = ("tiling.cc", 0, "TilingAppendDfxInfo")
_DFX_HEAD = ("tiling.cc", 708, "FormatArgsException")
_DFX_SIZE = ("tiling.cc", 711, "FormatArgsException")
_DFX_SHAPE = ("tiling.cc", 714, "FormatArgsException")


def append_workspace(context: KernelContext) -> int:
    """Add the known workspaces behind those that tiling gave, of which there may be no more than known ones."""
    tiled, known = list(context.input(0)), list(context.input(1))
    if len(tiled) > len(known):
        text = f"known_workspaces size[{len(known)}] should be larger than tiling_workspaces size[{len(tiled)}]"
        return context.assert_failed(_KNOWN, text)
    context.set(0, tiled + known[len(tiled) :])
    return Status.SUCCESS


def trace_append_workspace(context: KernelContext) -> tuple[WorkspaceAppended, ...]:
    """Say how many there were, how many were known, and all sizes. GE prints the known number twice."""
    tiled, known = len(context.input(0)), len(context.input(1))
    return (WorkspaceAppended(tiled, known, known, tuple(context.output(0) or ())),)


def append_dfx_info(context: KernelContext) -> int:
    """Put the number of this launch behind the tiling data, so that an exception dump finds its sizes and shapes."""
    node = context.compute_node
    inputs, outputs = len(node.inputs), len(node.outputs)
    values = [cell.value for cell in context.inputs]
    shapes = [shape_of(value).storage for value in values[: inputs + outputs]]
    sizes = values[inputs + outputs : inputs + 2 * outputs]
    rt_arg, workspaces, _, memory_check, args_exception, arg_sizes, _ = values[inputs + 2 * outputs :]
    if memory_check:
        return context.kernel_error(_DFX, "a memory check of operators is not simulated")
    context.set(0, workspaces)
    if args_exception:
        known = [*arg_sizes[:inputs], *sizes, *workspaces] if arg_sizes else [*sizes, *workspaces]
        _number_launch(context, rt_arg, known, [entry for shape in shapes for entry in (len(shape), *shape)])
    return Status.SUCCESS


def _number_launch(context: KernelContext, rt_arg: LaunchArgs, sizes: list[int], shapes: list[int]) -> None:
    machine = context.machine
    machine.exceptions += 1
    number = machine.exceptions
    head = f"[TilingAppendDfxInfo] capacity: {rt_arg.capacity}, data size: {len(rt_arg.tiling)}, "
    counts = f"args size: {len(sizes)}, workspace size: {len(context.output(0))}, shape size: {len(shapes)}"
    context.info(_DFX_HEAD, head + counts)
    for index, size in enumerate(sizes):
        context.info(_DFX_SIZE, f"[TilingAppendDfxInfo] size idx[{index}], val[{size}], atomic index[{number}]")
    for index, entry in enumerate(shapes, len(sizes)):
        context.info(_DFX_SHAPE, f"[TilingAppendDfxInfo] shape idx[{index}], val[{entry}], atomic index[{number}]")
    rt_arg.tiling += number.to_bytes(WORD, "little")


KERNELS: Final = (
    Kernel("TilingAppendWorkspace", append_workspace, trace_printer=trace_append_workspace),
    Kernel("TilingAppendDfxInfo", append_dfx_info),
)
