"""What becomes of tiling's results besides a launch: a refusal, a larger workspace, outputs of OpTiling (11.J)."""

from collections.abc import Callable
from typing import Final

from getrace.events import Level
from getrace.events.text import LogLine
from runtime.kernels.context import KernelContext
from runtime.kernels.pass_through import shape_outputs
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status
from runtime.kernels.tiling_outputs import TilingOutput
from runtime.memory.tensor_data import NO_STREAM, GertTensorData
from runtime.values import Placement, Shape

_ROLLBACK = ("aicore_update_kernel.cc", 29, "ReportRollbackError")
_ZERO = ("aicore_update_kernel.cc", 40, "ExpandDfxWorkspaceSize")
_CONDITION = ("op_tiling_kernel.cc", 79, "BuildOpTilingUnmanagedTensorData")
_NO_DATA = ("op_tiling_kernel.cc", 104, "BuildOpTilingOutputShape")
_LAST_CHECKED = TilingOutput.COND
_OP_TILING = (
    (TilingOutput.DATA, 0),
    (TilingOutput.KEY, 8),
    (TilingOutput.BLOCK_DIM, 4),
    (TilingOutput.COND, 4),
)
"""Outputs of OpTiling, in order: which output of tiling each is, and its bytes (0: as many as there are)."""


def report_rollback_error(context: KernelContext) -> int:
    """Fail: the operator refused, and the AI CPU has no kernel for it either."""
    return context.kernel_error(_ROLLBACK, "AiCore tiling failed, and the rollback for aicpu also failed.")


def expand_dfx_workspace_size(context: KernelContext) -> int:
    """Make room for what an operator prints at the end of its first workspace, in the vector of sizes itself."""
    sizes, buffer = (cell.value for cell in context.inputs)
    if not sizes or not buffer:
        text = f"[{context.type}][{context.name}]Work/Buffer size {len(sizes)}/{buffer} is zero."
        context.journal.say(LogLine("GE", *_ZERO, text), level=Level.WARNING)
        return Status.SUCCESS
    context.inputs[0].value = [sizes[0] + buffer, *sizes[1:]]
    return Status.SUCCESS


def op_tiling_outputs(context: KernelContext) -> int:
    """Make tensor data that get host memory of their own with each run."""
    for cell in context.outputs:
        data = GertTensorData(placement=Placement.HOST, stream=NO_STREAM)
        cell.own(data, _freeing(context, data))
    return Status.SUCCESS


def _freeing(context: KernelContext, data: GertTensorData) -> Callable[[], None]:
    def free() -> None:
        if data.addr:
            context.machine.device.host.free(data.addr)
            data.addr = 0

    return free


def build_op_tiling_data(context: KernelContext) -> int:
    """Lay tiling data, key, block dim and condition out in host memory, as many as the operator has outputs."""
    condition: int = context.input(_LAST_CHECKED)
    stream: int = context.input(len(context.inputs) - 1)
    if condition < 0:
        text = f"kOutputTilingCond value:{condition} is invalid which should be >= 0."
        return context.error(_CONDITION, text, Status.GRAPH_PARAM_INVALID)
    host = context.machine.device.host
    for cell, (index, size) in zip(context.outputs, _OP_TILING, strict=False):
        value = context.input(index)
        content: bytes = value.to_bytes(size, "little") if size else value
        data: GertTensorData = cell.value
        if data.addr:
            host.free(data.addr)
        address = host.malloc(max(len(content), 1))
        assert address is not None
        if content:
            host.write(address, content)
        data.addr, data.size, data.stream = address, len(content), stream
    return Status.SUCCESS


def build_op_tiling_output_shape(context: KernelContext) -> int:
    """Give the first output the length of the tiling data; the others are scalars."""
    data: bytes | None = context.input(TilingOutput.DATA)
    if data is None:
        text = "Get tilling data nullptr result for build output shape failed."
        return context.error(_NO_DATA, text, Status.GRAPH_PARAM_INVALID, code=Status.FAILED)
    shape = context.output(0)
    shape.origin = shape.storage = Shape((len(data),))
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("ReportRollbackError", report_rollback_error),
    Kernel("ExpandDfxWorkspaceSize", expand_dfx_workspace_size),
    Kernel("BuildOpTilingUnmanagedTensorData", build_op_tiling_data, outputs_creator=op_tiling_outputs),
    Kernel("BuildOpTilingOutputShape", build_op_tiling_output_shape, outputs_creator=shape_outputs),
)
