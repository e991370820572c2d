"""Kernels whose result is a fact about shapes, computed on the host (spec/lowering.md 11.P).

Their values lie in host memory that belongs to the output and is made once.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from getrace.events.shapes import DynamicShape
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.op_def import Array
from runtime.values import DType, Placement

_GATHER = ("gather_shapes.cc", 0, "GatherShapesKernel")
_DYNAMIC = ("multi_batch_shape_data_kernel.cc", 0, "GetCurDynamicShape")
_WIDEST: Final = 8
_PAIR: Final = 2


def host_value_outputs(context: KernelContext) -> int:
    """Make one empty tensor data on the host per output."""
    for cell in context.outputs:
        cell.own(GertTensorData(0, 0, Placement.HOST, 0))
    return Status.SUCCESS


def _put(context: KernelContext, values: Array) -> None:
    """Write the value, in memory that an earlier run has made when it is large enough."""
    host = context.machine.device.host
    raw = values.tobytes()
    data: GertTensorData = context.output(0)
    if data.size < max(len(raw), 1):
        room = max(len(raw), _WIDEST)
        address = host.malloc(room)
        assert address is not None
        context.outputs[0].own(GertTensorData(address, room, Placement.HOST, 0), lambda: host.free(address))
        data = context.output(0)
    if raw:
        host.write(data.addr, raw)


def _typed(context: KernelContext, numbers: Sequence[int] | int) -> Array:
    """Give numbers in the type of the operator's output."""
    dtype = context.compute_node.outputs[0].dtype if context.node and context.node.outputs else DType.INT64
    return np.array(numbers, dtype.numpy)


def gather_shapes(context: KernelContext) -> int:
    """Collect dimensions: the attribute ``axes`` lists pairs of input and dimension."""
    shapes = [shape_of(cell.value).origin for cell in context.inputs]
    found: list[int] = []
    axes: Any = context.compute_node.attrs.get("axes", ())
    for pair in axes:
        if len(pair) != _PAIR or not 0 <= pair[0] < len(shapes) or not 0 <= pair[1] < len(shapes[pair[0]]):
            return context.kernel_error(_GATHER, f"Invalid axes {list(pair)}")
        found.append(shapes[pair[0]][pair[1]])
    _put(context, _typed(context, found))
    return Status.SUCCESS


def rank(context: KernelContext) -> int:
    """Count the dimensions."""
    _put(context, _typed(context, len(shape_of(context.input(0)).origin)))
    return Status.SUCCESS


def shape_size(context: KernelContext) -> int:
    """Count the elements."""
    _put(context, _typed(context, shape_of(context.input(0)).origin.elements))
    return Status.SUCCESS


def cur_dynamic_shape(context: KernelContext) -> int:
    """Collect the dimensions that choose a gear: for each input shape, those that its list of the index names.

    The index has one list per shape, as ``_dynamic_batch_unknown_dim_index`` gives them.
    """
    index: Sequence[Sequence[int]] = context.input(1)
    shapes = [shape_of(cell.value).origin for cell in context.inputs[2:]]
    found: list[int] = []
    for dims, shape in zip(index, shapes, strict=True):
        if any(not 0 <= dim < len(shape) for dim in dims):
            return context.kernel_error(_DYNAMIC, f"Invalid dim index {list(dims)} of shape {shape}")
        found += [shape[dim] for dim in dims]
    _put(context, np.array(found, np.int32))
    return Status.SUCCESS


def trace_dynamic_shape(context: KernelContext) -> tuple[DynamicShape, ...]:
    """Say the dimensions."""
    index, shapes = context.input(1), [shape_of(cell.value).origin for cell in context.inputs[2:]]
    return (DynamicShape(tuple(shape[dim] for dims, shape in zip(index, shapes, strict=True) for dim in dims)),)


KERNELS: Final = (
    Kernel("GatherShapesKernel", gather_shapes, outputs_creator=host_value_outputs),
    Kernel("RankKernel", rank, outputs_creator=host_value_outputs),
    Kernel("GetShapeSizeKernel", shape_size, outputs_creator=host_value_outputs),
    Kernel(
        "GetCurDynamicShape",
        cur_dynamic_shape,
        outputs_creator=host_value_outputs,
        trace_printer=trace_dynamic_shape,
    ),
)
