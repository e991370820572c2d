"""Output shapes looked at, or set, after they were inferred (spec/lowering.md 11.I, 4.1)."""

from typing import Final

import numpy as np
import numpy.typing as npt

from getrace.events.memory import EmptyOutputs
from runtime.kernels.context import KernelContext
from runtime.kernels.infer_shape import trace_outputs
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.op_def import SHAPE_ENTRIES, WIDE_ENTRIES
from runtime.values import MAX_DIMS, Shape, Tensor

_FILE = "set_output_shape_kernel.cc"
EMPTY_BRANCH: Final = 0
NORMAL_BRANCH: Final = 1


def check_output_shapes_empty(context: KernelContext) -> int:
    """Choose the branch: the empty one when every output has a dimension of 0 in memory."""
    empty = all(0 in shape_of(cell.value).storage for cell in context.inputs)
    context.set(0, EMPTY_BRANCH if empty else NORMAL_BRANCH)
    context.trace(EmptyOutputs(empty, context.compute_node.name))
    return Status.SUCCESS


def set_output_shape(context: KernelContext) -> int:
    """Read the shapes that the operator left on the device, and set them. A kernel before this one has synchronised."""
    table, line = _table(context, context.input(0), len(context.outputs))
    for index, (count, *dims) in enumerate(table.tolist()):
        if count > MAX_DIMS:
            text = f"output[{index}] dim_num=[{count}] is greater than MaxDimNum[{MAX_DIMS}]"
            return context.kernel_error((_FILE, line, "SetOutputShape"), text)
        shape = Shape(dims[:count])
        target = context.output(index)
        seen = target.shape if isinstance(target, Tensor) else target
        seen.origin = seen.storage = shape
    return Status.SUCCESS


def _table(context: KernelContext, buffer: GertTensorData, outputs: int) -> tuple[npt.NDArray[np.uint64], int]:
    """Give the buffer as a row of numbers per output, and the line of the function that GE reads it with."""
    device = context.machine.device
    size = outputs * SHAPE_ENTRIES * 8
    device.clock.spend(device.copy_ns(size))
    content = device.hbm.read(buffer.addr, size)
    if int.from_bytes(content[:4], "little") & WIDE_ENTRIES:
        wide = np.frombuffer(content, "<u8").reshape(outputs, SHAPE_ENTRIES).copy()
        wide[:, 0] &= ~np.uint64(WIDE_ENTRIES)
        return wide, 94
    narrow = np.frombuffer(content, "<u4", count=outputs * SHAPE_ENTRIES)
    return narrow.reshape(outputs, SHAPE_ENTRIES).astype(np.uint64), 69


KERNELS: Final = (
    Kernel("CheckOutputShapesEmpty", check_output_shapes_empty),
    Kernel("SetOutputShape", set_output_shape, trace_printer=trace_outputs),
)
