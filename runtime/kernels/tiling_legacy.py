"""Tiling for FFTS+ tasks, whose arguments lie in memory of their own and not in an argument block (lowering.md 11.J).

There is no result cache and no block to hand on: the data are an output, and the kernels behind it put them in place.
"""

from typing import Any, Final

from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.tiling_compatible import VERSIONS, write_shapes
from runtime.kernels.tiling_outputs import TilingOutput, align_workspaces, tiling_outputs
from runtime.kernels.tiling_trace import trace_tiling_legacy
from runtime.kernels.value_tensors import tensors_of
from runtime.ops.context import TilingContext
from runtime.ops.op_def import TilingFunc
from runtime.ops.operator_v1 import Operator, OpRunInfo, TilingV3
from runtime.values import StorageShape, Tensor

_FILE = "tiling_legacy.cc"
_NOTHING = (_FILE, 73, "TilingLegacy")
_OLD_LINES = {3: 64, 4: 47}
_COMPILE_INFO, _PLATFORM, _FUNCTION = range(-3, 0)
_OPERATOR, _OLD_COMPILE_INFO, _VERSION, _OLD_FUNCTION, _FIRST = range(5)
_NO_SHAPE = StorageShape.same(())


def tiling_legacy(context: KernelContext) -> int:
    """Ask the operator how the work is cut."""
    count = len(context.inputs)
    if count < len(("compile info", "platform", "function")):
        return context.assert_failed(_NOTHING, f"[Tiling] para check failed input_num {count}")
    node = context.compute_node
    values = [cell.value for cell in context.inputs[:_COMPILE_INFO]]
    shapes = [shape_of(value) if isinstance(value, StorageShape | Tensor) else _NO_SHAPE for value in values]
    inputs = len(node.inputs)
    seen = TilingContext(
        node.type,
        shapes[:inputs],
        shapes[inputs:],
        dtypes=[desc.dtype for desc in node.inputs],
        compile_info=context.input(count + _COMPILE_INFO),
        platform=context.input(count + _PLATFORM),
        tensors=tensors_of(context.machine.device.host, values[:inputs]),
        attrs=node.attrs,
    )
    context.set(TilingOutput.DATA, b"")
    function: TilingFunc = context.input(count + _FUNCTION)
    if refused := function(seen):
        return refused
    decided = {
        TilingOutput.KEY: seen.tiling_key,
        TilingOutput.BLOCK_DIM: seen.block_dim,
        TilingOutput.ATOMIC_CLEAN: seen.atomic_clean,
        TilingOutput.DATA: seen.data,
        TilingOutput.COND: seen.tiling_cond,
        TilingOutput.SCHEDULE_MODE: seen.schedule_mode,
        TilingOutput.LOCAL_MEMORY: seen.local_memory_size,
    }
    return _give(context, decided, seen.workspace_sizes)


def compatible_tiling_legacy(context: KernelContext) -> int:
    """The same for a function of the old registry."""
    operator: Operator = context.input(_OPERATOR)
    version: int = context.input(_VERSION)
    if version not in VERSIONS:
        text = "Failed to tiling parse, not support v3 or v4."
        return context.error((_FILE, 139, "CompatibleTilingLegacy"), text)
    if status := write_shapes(context, operator, _FIRST):
        return status
    info = OpRunInfo()
    function: TilingV3 = context.input(_OLD_FUNCTION)
    line = _OLD_LINES[version]
    if not function(operator, context.input(_OLD_COMPILE_INFO), info):
        text = f"Fail to call op tiling function v{version} of op[{operator.name}, {operator.type}]."
        return context.assert_failed((_FILE, line, "CompatibleTilingLegacy"), text)
    text = f"Do optiling v{version} succeed. op_name:{operator.name}, op_type:{operator.type}."
    context.info((_FILE, line + 2, "CompatibleTilingLegacy"), text)
    decided = {
        TilingOutput.KEY: info.tiling_key,
        TilingOutput.BLOCK_DIM: info.block_dim,
        TilingOutput.ATOMIC_CLEAN: info.clear_atomic,
        TilingOutput.DATA: info.tiling_data,
        TilingOutput.COND: info.tiling_cond,
    }
    return _give(context, decided, info.workspaces)


def _give(context: KernelContext, decided: dict[TilingOutput, Any], workspaces: list[int]) -> Status:
    if status := align_workspaces(context, workspaces):
        return status
    for index, value in decided.items():
        context.set(index, value)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("TilingLegacy", tiling_legacy, outputs_creator=tiling_outputs, trace_printer=trace_tiling_legacy),
    Kernel("CompatibleTilingLegacy", compatible_tiling_legacy, outputs_creator=tiling_outputs),
)
