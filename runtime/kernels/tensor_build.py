"""Tensors that kernels build for other kernels (spec/lowering.md 11.F).

A built tensor is one object for the life of the executor: a run fills it again, and lets go of what it shared before.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from getrace.events.shapes import ShapeTensorBuilt
from runtime.kernels.context import KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.model_outputs import TENSOR_OBJECT
from runtime.kernels.payloads import BuildTensorAttr
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.memory.tensor_data import NO_STREAM, GertTensorData, give_out, release
from runtime.values import MAX_DIMS, DType, Placement, Shape, StorageFormat, StorageShape, Tensor, TensorData

_BUILD = ("build_tensor.cc", 0, "BuildTensor")
_SHAPE_TYPE = ("build_tensor.cc", 319, "BuildShapeTensorDataCreateOutputs")
_SHAPE_TYPES = (DType.INT32, DType.INT64)
_UNSIGNED: Final = {DType.INT32: "<u4", DType.INT64: "<u8"}


def build_outputs(context: KernelContext) -> int:
    """Make the tensor, for the life of the executor."""
    data = TensorData()
    tensor = Tensor(StorageShape(Shape(), Shape()), data=data, handle=context.machine.device.pointer(TENSOR_OBJECT))
    context.outputs[0].own(tensor, lambda: release(data))
    return Status.SUCCESS


def build_tensor(context: KernelContext) -> int:
    """Put shape, bytes and description together; the tensor becomes one more owner of the bytes."""
    return _build(context, give_out)


def build_ref_tensor(context: KernelContext) -> int:
    """The same without owning: the bytes may go while the tensor still points to them."""
    return _build(context, _refer)


def _build(context: KernelContext, put: Callable[[GertTensorData, TensorData], None]) -> int:
    shape, source, described = (cell.value for cell in context.inputs)
    if shape is None or source is None or described is None:
        return context.error(_BUILD, "Get nullptr input", Status.PARAM_INVALID)
    attr: BuildTensorAttr = described
    tensor: Tensor = context.output(0)
    assert tensor.data is not None
    seen = shape_of(shape)
    tensor.shape = StorageShape(seen.origin, seen.storage)
    tensor.dtype = attr.dtype
    tensor.format = StorageFormat(attr.origin_format, attr.storage_format)
    put(source, tensor.data)
    return Status.SUCCESS


def _refer(source: GertTensorData, target: TensorData) -> None:
    target.addr, target.size, target.placement, target.manager = source.addr, source.size, source.placement, None


def build_unmanaged_tensor_data(context: KernelContext) -> int:
    """Make tensor data of a bare host address, as a compiled function gives one: nobody here owns it."""
    address, stream = (cell.value for cell in context.inputs)
    data: GertTensorData = context.output(0)
    data.refer(address, 0, Placement.HOST, stream)
    return Status.SUCCESS


def shape_data_outputs(context: KernelContext) -> int:
    """Make room for the longest shape behind each output, in host memory, for the life of the executor."""
    dtype = context.compute_node.outputs[0].dtype
    if dtype not in _SHAPE_TYPES:
        text = f"only support DT_INT32 and DT_INT64, but out_data_type is {dtype.ge_name}"
        return context.assert_failed(_SHAPE_TYPE, text)
    host = context.machine.device.host
    for cell in context.outputs:
        size = MAX_DIMS * dtype.size
        address = host.malloc(size)
        assert address is not None
        cell.own(GertTensorData(address, size, Placement.HOST, NO_STREAM), _freeing(context, address))
    return Status.SUCCESS


def _freeing(context: KernelContext, address: int) -> Callable[[], None]:
    return lambda: context.machine.device.host.free(address)


def build_shape_tensor_data(context: KernelContext) -> int:
    """Write the dimensions of each input as the elements of an output."""
    dtype = context.compute_node.outputs[0].dtype
    for index, cell in enumerate(context.inputs):
        dims = np.array(shape_of(cell.value).origin, dtype.numpy)
        context.machine.device.host.write(context.output(index).addr, dims.tobytes())
    return Status.SUCCESS


def trace_build_shape_tensor_data(context: KernelContext) -> tuple[ShapeTensorBuilt, ...]:
    """Say what lies in the outputs; GE reads it as unsigned numbers."""
    dtype = context.compute_node.outputs[0].dtype
    values = [_values(context, index, dtype) for index in range(len(context.inputs))]
    return (ShapeTensorBuilt(dtype.ge_name, _spelled(values)),)


def _values(context: KernelContext, index: int, dtype: DType) -> Sequence[int]:
    count = len(shape_of(context.input(index)).origin)
    content = context.machine.device.host.read(context.output(index).addr, count * dtype.size) if count else b""
    return [int(value) for value in np.frombuffer(content, _UNSIGNED[dtype])]


def _spelled(values: Sequence[Sequence[int]]) -> str:
    parts = ["".join(f"{value}, " for value in row) for row in values]
    return " ".join(f", output[{index}], value: [{part}]" for index, part in enumerate(parts))


KERNELS: Final = (
    *(
        Kernel(name, build_tensor, outputs_creator=build_outputs, critical_section=MEMORY)
        for name in ("BuildTensor", "BuildTensorPureShape", "BuildTensorStorage")
    ),
    Kernel("BuildRefTensor", build_ref_tensor, outputs_creator=build_outputs, critical_section=MEMORY),
    Kernel("BuildUnmanagedTensorData", build_unmanaged_tensor_data, outputs_creator=tensor_data_outputs),
    Kernel(
        "BuildShapeTensorData",
        build_shape_tensor_data,
        outputs_creator=shape_data_outputs,
        trace_printer=trace_build_shape_tensor_data,
    ),
)
