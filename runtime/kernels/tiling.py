"""Tiling as a kernel (spec/lowering.md 11.J, 4.1; kerneltrace.md 3.4).

Four kernels are one function with two switches: whether results are kept, and whether a refusal of the operator ends
the run or is an output that a branch asks for.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.kernels.context import KernelContext, Place
from runtime.kernels.feed import place_outputs
from runtime.kernels.launch_args import LaunchArgs, copy_block
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.tiling_cache import TilingCache, TilingResult, cache_key
from runtime.kernels.tiling_outputs import TilingOutput, align_workspaces, tiling_outputs
from runtime.kernels.tiling_trace import trace_tiling
from runtime.kernels.value_tensors import tensors_of
from runtime.ops.context import TilingContext
from runtime.ops.op_def import TilingFunc
from runtime.ops.registry import OpRegistry
from runtime.ops.tensor import InputTensor
from runtime.values import StorageShape, Tensor

_FIND = ("tiling.cc", 277, "FindTilingFunc")
_PARSE = ("tiling.cc", 277, "TilingParse")
_RUN = ("tiling.cc", 0, "Tiling")
_COMPILE_INFO, _PLATFORM, _FRAMEWORK, _DETERMINISTIC = range(-5, -1)
"""What every form has behind the shapes, counted from the last input, the level of determinism."""

_NO_SHAPE = StorageShape.same(())
"""The clean of an operator is tiled by sizes, which are no shapes (spec/lowering.md 4.1, 10)."""

_KEPT = (
    TilingOutput.KEY,
    TilingOutput.BLOCK_DIM,
    TilingOutput.ATOMIC_CLEAN,
    TilingOutput.COND,
    TilingOutput.LOCAL_MEMORY,
)
"""What ``ApplyTilingCache`` sets again. The schedule mode is not among it: it stays what the last miss gave."""


@dataclass(frozen=True, slots=True)
class TilingFwkData:
    """``TilingFwkData``: the operator's function and the argument block it fills."""

    function: TilingFunc
    rt_arg: LaunchArgs


@dataclass(slots=True)
class CacheableFwkData:
    """``CacheableTilingFwkData``: the same and the results so far. ``dependency`` has a bit per input read by value."""

    function: TilingFunc | None = None
    rt_arg: LaunchArgs | None = None
    dependency: int = 0
    cache: TilingCache = field(default_factory=TilingCache)


def find_tiling_func(context: KernelContext) -> int:
    """Look the operator's tiling up."""
    type_name: str = context.input(0)
    ops: OpRegistry = context.input(1)
    op = ops.implementing(type_name, "tiling")
    if op is None:
        return _not_found(context, _FIND, type_name, "tiling")
    context.set(0, op.tiling)
    return Status.SUCCESS


def tiling_parse(context: KernelContext) -> int:
    """Let the operator read its compile information, once per model; an operator may have nothing to read."""
    text, platform, type_name, registry = (cell.value for cell in context.inputs)
    op = (registry or context.machine.ops).implementing(type_name, "tiling")
    if op is None:
        return _not_found(context, _PARSE, type_name, "tiling_parse")
    context.set(0, op.tiling_parse(text, platform) if op.tiling_parse else None)
    return Status.SUCCESS


def _not_found(context: KernelContext, place: Place, type_name: str, func_name: str) -> Status:
    text = f"Failed to find func by type {type_name}, func_name {func_name}"
    return context.error(place, text, Status.PARAM_INVALID)


def prepare_fwk_data(context: KernelContext) -> int:
    """Bundle the function and the argument block."""
    context.set(0, TilingFwkData(context.input(0), context.input(1)))
    return Status.SUCCESS


def cacheable_outputs(context: KernelContext) -> int:
    """Make the bundle with its cache, for the life of the executor."""
    context.outputs[0].own(CacheableFwkData())
    return Status.SUCCESS


def prepare_cacheable_fwk_data(context: KernelContext) -> int:
    """Fill the bundle in. What was kept stays, also when a model is loaded again."""
    bundle: CacheableFwkData = context.output(0)
    bundle.function, bundle.rt_arg, bundle.dependency = (cell.value for cell in context.inputs[:3])
    return Status.SUCCESS


def tiling(context: KernelContext) -> int:
    """Ask the operator how the work is cut, and put its data into the argument block."""
    refused, status = _tile(context)
    return status or _refusal(context, refused)


def cacheable_tiling(context: KernelContext) -> int:
    """The same, or what was decided before for the same shapes."""
    refused, status = _tile_or_find(context)
    return status or _refusal(context, refused)


def fallible_tiling(context: KernelContext) -> int:
    """Ask the operator, and give 1 as the last output when it refuses."""
    return _fallible(context, _tile)


def cacheable_fallible_tiling(context: KernelContext) -> int:
    """Both."""
    return _fallible(context, _tile_or_find)


def _fallible(context: KernelContext, run: Callable[[KernelContext], tuple[int, int]]) -> int:
    refused, status = run(context)
    if not status:
        context.set(TilingOutput.STATUS, int(bool(refused)))
    return status


def _refusal(context: KernelContext, refused: int) -> int:
    if refused:
        context.error(_RUN, "Assert ((tiling_func(tiling_context)) == ge::GRAPH_SUCCESS) failed")
    return refused


def _tile_or_find(context: KernelContext) -> tuple[int, int]:
    bundle: CacheableFwkData = _from_end(context, _FRAMEWORK)
    shapes, tensors = _seen_inputs(context)
    key = cache_key(shapes, tensors, bundle.dependency)
    kept = None if key is None else bundle.cache.find(key)
    if kept is not None:
        _apply(context, kept)
        return 0, Status.SUCCESS
    refused, status = _tile(context)
    if key is not None and not refused and not status:
        _keep(context, bundle, key)
    return refused, status


def _seen_inputs(context: KernelContext) -> tuple[list[tuple[int, ...]], tuple[InputTensor | None, ...]]:
    values = [cell.value for cell in context.inputs[: len(context.compute_node.inputs)]]
    return [shape_of(value).origin for value in values], tensors_of(context.machine.device.host, values)


def _apply(context: KernelContext, kept: TilingResult) -> None:
    for index, value in kept.outputs.items():
        context.set(index, value)
    context.set(TilingOutput.WORKSPACES, list(kept.workspaces))
    kept.block.tiling, kept.block.cache = kept.data, "hit"
    context.set(TilingOutput.DATA, kept.data)
    context.set(TilingOutput.RT_ARG, kept.block)


def _keep(context: KernelContext, bundle: CacheableFwkData, key: Any) -> None:
    assert bundle.rt_arg is not None
    block = copy_block(context.machine.device, bundle.rt_arg)
    block.cache = "missed"
    outputs = {int(index): context.output(index) for index in _KEPT}
    workspaces = tuple(context.output(TilingOutput.WORKSPACES))
    bundle.cache.add(key, TilingResult(outputs, workspaces, block.tiling, block))
    context.set(TilingOutput.RT_ARG, block)


def _tile(context: KernelContext) -> tuple[int, int]:
    """Give what the operator returned, then the kernel's own status."""
    fwk: TilingFwkData = _from_end(context, _FRAMEWORK)
    fwk.rt_arg.tiling = b""
    context.set(TilingOutput.DATA, b"")
    context.set(TilingOutput.RT_ARG, fwk.rt_arg)
    seen = _tiling_context(context, fwk)
    refused = fwk.function(seen)
    if refused:
        return refused, Status.SUCCESS
    if status := align_workspaces(context, seen.workspace_sizes):
        return 0, status
    fwk.rt_arg.tiling = seen.data
    decided: dict[int, Any] = {
        TilingOutput.KEY: seen.tiling_key,
        TilingOutput.BLOCK_DIM: seen.block_dim,
        TilingOutput.ATOMIC_CLEAN: seen.atomic_clean,
        TilingOutput.DATA: seen.data,
        TilingOutput.COND: seen.tiling_cond,
        TilingOutput.SCHEDULE_MODE: seen.schedule_mode,
        TilingOutput.LOCAL_MEMORY: seen.local_memory_size,
    }
    for index, value in decided.items():
        context.set(index, value)
    return 0, Status.SUCCESS


def _from_end(context: KernelContext, index: int) -> Any:
    return context.input(len(context.inputs) + index)


def _tiling_context(context: KernelContext, fwk: TilingFwkData) -> TilingContext:
    node = context.compute_node
    inputs = len(node.inputs)
    values = [cell.value for cell in context.inputs[:_COMPILE_INFO]]
    shapes = [shape_of(value) if isinstance(value, StorageShape | Tensor) else _NO_SHAPE for value in values]
    return TilingContext(
        node.type,
        shapes[:inputs],
        shapes[inputs:],
        dtypes=[desc.dtype for desc in node.inputs],
        compile_info=_from_end(context, _COMPILE_INFO),
        platform=_from_end(context, _PLATFORM),
        capacity=fwk.rt_arg.capacity,
        tensors=tensors_of(context.machine.device.host, values[:inputs]),
        attrs=node.attrs,
        deterministic=_from_end(context, _DETERMINISTIC),
    )


KERNELS: Final = (
    Kernel("FindTilingFunc", find_tiling_func),
    Kernel("TilingParse", tiling_parse, outputs_creator=place_outputs),
    Kernel("PrepareTilingFwkData", prepare_fwk_data, outputs_creator=place_outputs),
    Kernel("PrepareCacheableTilingFwkData", prepare_cacheable_fwk_data, outputs_creator=cacheable_outputs),
    Kernel("Tiling", tiling, outputs_creator=tiling_outputs, trace_printer=trace_tiling),
    Kernel("CacheableTiling", cacheable_tiling, outputs_creator=tiling_outputs, trace_printer=trace_tiling),
    Kernel("FallibleTiling", fallible_tiling, outputs_creator=tiling_outputs, trace_printer=trace_tiling),
    Kernel(
        "CacheableFallibleTiling",
        cacheable_fallible_tiling,
        outputs_creator=tiling_outputs,
        trace_printer=trace_tiling,
    ),
)
