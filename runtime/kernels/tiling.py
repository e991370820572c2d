"""Tiling as a kernel (spec/lowering.md 11.J, 4.1; kerneltrace.md 3.4)."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from getrace.events.tiling import Tiling
from runtime.kernels.context import KernelContext, Place
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.ops.context import TilingContext
from runtime.ops.op_def import TilingFunc
from runtime.ops.registry import OpRegistry

_FIND = ("tiling.cc", 277, "FindTilingFunc")
_PARSE = ("tiling.cc", 277, "TilingParse")
_RUN = ("tiling.cc", 0, "Tiling")
_NEGATIVE = ("tiling.cc", 375, "Tiling")
_TOO_LARGE = ("tiling.cc", 402, "Tiling")
_WORKSPACE_LINE = 512
"""``kAiCoreWorkspaceAlignment``."""
_LARGEST = (1 << 64) - _WORKSPACE_LINE


class TilingOutput(IntEnum):
    """Outputs of a tiling kernel: ``TilingContext``'s own, then GE's."""

    KEY = 0
    BLOCK_DIM = 1
    ATOMIC_CLEAN = 2
    DATA = 3
    WORKSPACES = 4
    COND = 5
    SCHEDULE_MODE = 6
    LOCAL_MEMORY = 7
    RT_ARG = 11


@dataclass(frozen=True, slots=True)
class TilingFwkData:
    """``TilingFwkData``: the operator's function and the argument block it fills."""

    function: TilingFunc
    rt_arg: LaunchArgs


def find_tiling_func(context: KernelContext) -> int:
    """Look the operator's tiling up."""
    type_name: str = context.input(0)
    ops: OpRegistry = context.input(1)
    op = ops.get(type_name)
    if op is None or op.tiling is None:
        return _not_found(context, _FIND, type_name, "tiling")
    context.set(0, op.tiling)
    return Status.SUCCESS


def tiling_parse(context: KernelContext) -> int:
    """Let the operator read its compile information, once per model; an operator may have nothing to read."""
    text, platform, type_name, registry = (cell.value for cell in context.inputs)
    op = (registry or context.machine.ops).get(type_name)
    if op is None:
        return _not_found(context, _PARSE, type_name, "tiling_parse")
    context.set(0, op.tiling_parse(text, platform) if op.tiling_parse else None)
    return Status.SUCCESS


def _not_found(context: KernelContext, place: Place, type_name: str, func_name: str) -> Status:
    text = f"Failed to find func by type {type_name}, func_name {func_name}"
    return context.error(place, text, Status.PARAM_INVALID)


def prepare_fwk_data(context: KernelContext) -> int:
    """Bundle the function and the argument block; the result cache that may follow is off, as in most logs."""
    context.set(0, TilingFwkData(context.input(0), context.input(1)))
    return Status.SUCCESS


def tiling(context: KernelContext) -> int:
    """Ask the operator how the work is cut, and put its data into the argument block."""
    node = context.compute_node
    fwk: TilingFwkData = context.input(len(node.inputs) + len(node.outputs) + 2)
    fwk.rt_arg.tiling = b""
    seen = _tiling_context(context, fwk)
    status = fwk.function(seen)
    if status:
        text = "Assert ((tiling_func(tiling_context)) == ge::GRAPH_SUCCESS) failed"
        return context.error(_RUN, text)
    if refusal := _check_workspaces(context, seen.workspace_sizes):
        return refusal
    fwk.rt_arg.tiling = seen.data
    workspaces = [-(-size // _WORKSPACE_LINE) * _WORKSPACE_LINE for size in seen.workspace_sizes]
    decided: dict[int, Any] = {
        TilingOutput.KEY: seen.tiling_key,
        TilingOutput.BLOCK_DIM: seen.block_dim,
        TilingOutput.ATOMIC_CLEAN: seen.atomic_clean,
        TilingOutput.DATA: seen.data,
        TilingOutput.WORKSPACES: workspaces,
        TilingOutput.COND: seen.tiling_cond,
        TilingOutput.SCHEDULE_MODE: seen.schedule_mode,
        TilingOutput.LOCAL_MEMORY: seen.local_memory_size,
        TilingOutput.RT_ARG: fwk.rt_arg,
    }
    for index, value in decided.items():
        context.set(index, value)
    return Status.SUCCESS


def _check_workspaces(context: KernelContext, sizes: list[int]) -> Status:
    for index, size in enumerate(sizes):
        if size < 0:
            return context.assert_failed(_NEGATIVE, f"size[{size}] of workspace[{index}] cannot be negative")
        if size > _LARGEST:
            text = f"size[{size}] of workspace[{index}] exceeds max size with {_WORKSPACE_LINE} alignment"
            return context.assert_failed(_TOO_LARGE, text)
    return Status.SUCCESS


def _tiling_context(context: KernelContext, fwk: TilingFwkData) -> TilingContext:
    node = context.compute_node
    inputs, outputs = len(node.inputs), len(node.outputs)
    shapes = [shape_of(cell.value) for cell in context.inputs[: inputs + outputs]]
    return TilingContext(
        node.type,
        shapes[:inputs],
        shapes[inputs:],
        dtypes=[desc.dtype for desc in node.inputs],
        compile_info=context.input(inputs + outputs),
        platform=context.input(inputs + outputs + 1),
        capacity=fwk.rt_arg.capacity,
    )


def trace_tiling(context: KernelContext) -> tuple[Tiling, ...]:
    """Say what was decided; without tiling data GE says nothing."""
    data: bytes | None = context.output(TilingOutput.DATA)
    if data is None:
        return ()
    return (
        Tiling(
            len(data),
            data,
            context.output(TilingOutput.KEY),
            int(context.output(TilingOutput.ATOMIC_CLEAN)),
            context.output(TilingOutput.BLOCK_DIM),
            context.output(TilingOutput.COND),
            "disabled",
        ),
    )


KERNELS: Final = (
    Kernel("FindTilingFunc", find_tiling_func),
    Kernel("TilingParse", tiling_parse),
    Kernel("PrepareTilingFwkData", prepare_fwk_data),
    Kernel("PrepareCacheableTilingFwkData", prepare_fwk_data),
    Kernel("Tiling", tiling, trace_printer=trace_tiling),
    Kernel("CacheableTiling", tiling, trace_printer=trace_tiling),
)
