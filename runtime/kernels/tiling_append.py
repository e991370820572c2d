"""What is added behind tiling: workspaces known before, and what an exception dump wants to find (lowering.md 11.J)."""

from typing import Final

from getrace.events.tiling import WorkspaceAppended
from runtime.kernels.context import KernelContext
from runtime.kernels.feed import place_outputs
from runtime.kernels.launch_args import WORD, LaunchArgs
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status

_KNOWN = ("tiling.cc", 360, "TilingAppendWorkspace")
_NEGATIVE = ("tiling.cc", 375, "TilingAppendWorkspace")
_DFX_FULL = ("tiling.cc", 769, "TilingAppendDfxInfo")
_DFX_HEAD = ("tiling.cc", 708, "FormatArgsException")
_DFX_SIZE = ("tiling.cc", 711, "FormatArgsException")
_DFX_SHAPE = ("tiling.cc", 714, "FormatArgsException")
_CHECK_OFFSET = ("tiling.cc", 742, "TilingAppendMemcheckInfo")
_CHECK_ALIGNED = ("tiling.cc", 747, "TilingAppendMemcheckInfo")
_CHECK_IO = ("tiling.cc", 195, "DfxUpdateMemcheckTensorSize")
_CHECK_WORKSPACE = ("tiling.cc", 212, "DfxUpdateMemcheckWorkspaceSize")
_CHECK_LONGER = ("tiling.cc", 0, "TilingAppendMemcheckInfo")
_NO_SIZE = -1


def append_workspace(context: KernelContext) -> int:
    """Add the known workspaces behind those that tiling gave, of which there may be no more than known ones.

    A known size of -1 stands for none.
    """
    tiled, known = list(context.input(0)), list(context.input(1))
    if len(tiled) > len(known):
        text = f"known_workspaces size[{len(known)}] should be larger than tiling_workspaces size[{len(tiled)}]"
        return context.assert_failed(_KNOWN, text)
    for index, size in enumerate(known[len(tiled) :], len(tiled)):
        if size < _NO_SIZE:
            return context.assert_failed(_NEGATIVE, f"size[{size}] of workspace[{index}] cannot be negative")
    context.set(0, tiled + [max(size, 0) for size in known[len(tiled) :]])
    return Status.SUCCESS


def trace_append_workspace(context: KernelContext) -> tuple[WorkspaceAppended, ...]:
    """Say how many there were, how many were known, and all sizes. GE prints the known number twice."""
    tiled, known = len(context.input(0)), len(context.input(1))
    return (WorkspaceAppended(tiled, known, known, tuple(context.output(0) or ())),)


def append_dfx_info(context: KernelContext) -> int:
    """Put sizes for a memory check and the number of this launch for an exception dump behind the tiling data."""
    node = context.compute_node
    inputs, outputs = len(node.inputs), len(node.outputs)
    values = [cell.value for cell in context.inputs]
    shapes = [shape_of(value).storage for value in values[: inputs + outputs]]
    sizes = values[inputs + outputs : inputs + 2 * outputs]
    rt_arg, workspaces, param_size, memory_check, args_exception, arg_sizes, _ = values[inputs + 2 * outputs :]
    context.set(0, workspaces)
    io_sizes = [*arg_sizes[:inputs], *sizes] if arg_sizes else [*sizes]
    number = 0
    if args_exception:
        number = _number_launch(context, rt_arg, [*io_sizes, *workspaces], [(len(shape), *shape) for shape in shapes])
    if memory_check and (status := _append_sizes(context, rt_arg, param_size, io_sizes)):
        return status
    return _append_number(context, rt_arg, number) if args_exception else Status.SUCCESS


def _number_launch(context: KernelContext, rt_arg: LaunchArgs, sizes: list[int], shapes: list[tuple[int, ...]]) -> int:
    """Give the launch its number. What was kept of an earlier run is copied without a word."""
    machine = context.machine
    machine.exceptions += 1
    number = machine.exceptions
    if rt_arg.cache == "hit":
        return number
    entries = [entry for shape in shapes for entry in shape]
    head = f"[TilingAppendDfxInfo] capacity: {rt_arg.capacity}, data size: {len(rt_arg.tiling)}, "
    counts = f"args size: {len(sizes)}, workspace size: {len(context.output(0))}, shape size: {len(entries)}"
    context.info(_DFX_HEAD, head + counts)
    for index, size in enumerate(sizes):
        context.info(_DFX_SIZE, f"[TilingAppendDfxInfo] size idx[{index}], val[{size}], atomic index[{number}]")
    for index, entry in enumerate(entries, len(sizes)):
        context.info(_DFX_SHAPE, f"[TilingAppendDfxInfo] shape idx[{index}], val[{entry}], atomic index[{number}]")
    return number


def _append_number(context: KernelContext, rt_arg: LaunchArgs, number: int) -> Status:
    size = len(rt_arg.tiling)
    if size + WORD > rt_arg.capacity:
        text = f"Append atomic_index failed, tilingData size={size}, capacity={rt_arg.capacity}"
        return context.assert_failed(_DFX_FULL, text)
    rt_arg.tiling += number.to_bytes(WORD, "little")
    return Status.SUCCESS


def _append_sizes(context: KernelContext, rt_arg: LaunchArgs, param_size: int, io_sizes: list[int]) -> Status:
    """Put the sizes that a checking kernel compares its accesses with behind the data, at ``param_size`` if set."""
    length = len(rt_arg.tiling)
    start = param_size if param_size > 0 else -(-length // WORD) * WORD
    place, what = (_CHECK_OFFSET, "offset") if param_size > 0 else (_CHECK_ALIGNED, "aligned offset")
    context.info(place, f"[TilingAppendMemCheck]Tiling data need append memcheck data in {what}:{start}")
    if length > start:
        return context.assert_failed(_CHECK_LONGER, "Assert (tiling_data.GetDataSize() <= ori_param_size) failed")
    workspaces: list[int] = list(context.output(0))
    for place, what, sizes in ((_CHECK_IO, "io", io_sizes), (_CHECK_WORKSPACE, "workspace", workspaces)):
        for index, size in enumerate(sizes):
            context.info(place, f"[TilingAppendDfxInfo] {what} size idx[{index}], val[{size}]")
    words = b"".join(size.to_bytes(WORD, "little") for size in (*io_sizes, *workspaces))
    if start + len(words) > rt_arg.capacity:
        return context.assert_failed(_CHECK_LONGER, "Assert ((append_size_ptr) != nullptr) failed")
    rt_arg.tiling = rt_arg.tiling.ljust(start, b"\0") + words
    return Status.SUCCESS


KERNELS: Final = (
    Kernel(
        "TilingAppendWorkspace", append_workspace, outputs_creator=place_outputs, trace_printer=trace_append_workspace
    ),
    Kernel("TilingAppendDfxInfo", append_dfx_info, outputs_creator=place_outputs),
)
