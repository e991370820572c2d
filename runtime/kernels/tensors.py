"""Tensors that come from the caller and go back to it (spec/execution.md 5.9, lowering.md 11.F)."""

from typing import Final

from runtime.kernels.context import KernelContext
from runtime.kernels.payloads import BuildTensorAttr
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import shape_of, unaligned_size
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, transfer
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData, give_out, take_in
from runtime.values import Placement, Shape, StorageShape, Tensor, TensorData

_ENSURE = ("memory_copy.cc", 0, "EnsureTensorAtOutMemory")
_MOVE = ("memory_copy.cc", 0, "EnsureTensorAtOutMemory")
_TARGET_SIZE = ("memory_copy.cc", 567, "TensorToOut")
_ZERO_COPY = ("memory_copy.cc", 577, "TensorToOut")
_SOURCE_SIZE = ("memory_copy.cc", 588, "TensorToOut")
_DIRECTION = ("memory_copy.cc", 598, "TensorToOut")
_SPLIT = ("build_tensor.cc", 0, "SplitDataTensor")


def split_outputs(context: KernelContext) -> int:
    """Make the tensor in the shape slot and the tensor data, for the life of the executor."""
    data = GertTensorData()
    context.outputs[0].own(Tensor(StorageShape(Shape(), Shape())))
    context.outputs[1].own(data, data.free)
    return Status.SUCCESS


def split_data_tensor(context: KernelContext) -> int:
    """Take a model input apart: its description as a shape, its bytes as data.

    Managed bytes are co-owned until the next run fills the data again (kerneltrace.md 10.3), others stay the caller's.
    """
    tensor: Tensor | None = context.input(0)
    allocator: GertAllocator = context.input(1)
    if tensor is None or tensor.data is None:
        return context.kernel_error(_SPLIT, "Get nullptr input_tensor")
    head: Tensor = context.output(0)
    head.shape, head.dtype, head.format = tensor.shape, tensor.dtype, tensor.format
    source = tensor.data
    placement = Placement.HOST if source.placement == Placement.FOLLOWING else source.placement
    take_in(source, context.output(1), allocator, placement)
    return Status.SUCCESS


def ensure_tensor_at_out_memory(context: KernelContext) -> int:
    """Bring a result to where the caller wants it: share the block, copy the bytes, or see that they are there."""
    shape, data, attr, stream, output = (cell.value for cell in context.inputs)
    for what, value in (("shape", shape), ("tensor_data", data), ("attr", attr)):
        if value is None:
            return context.kernel_error(_ENSURE, f"Get nullptr {what}")
    target = _described(context, shape_of(shape), attr, output)
    if target.data is None or target.data.addr == 0:
        target.data = target.data or TensorData()
        if data.block is not None:
            if not data.block.move_to_level1():
                return context.assert_failed(_MOVE, "Assert (MoveL2ToL1(block)) failed")
            data.addr = data.block.addr
        give_out(data, target.data)
        # Bytes on the host stay there and say so: whoever reads the output goes by its placement.
        target.data.placement = attr.placement if data.block and data.placement.on_device else data.placement
        return Status.SUCCESS
    return _copy_out(context, data, target.data, unaligned_size(attr.dtype, target.shape.storage), stream)


def _described(context: KernelContext, shape: StorageShape, attr: BuildTensorAttr, output: Tensor | None) -> Tensor:
    target = output
    if target is None:
        target = Tensor(StorageShape(Shape(), Shape()))
        context.inputs[4].value = target
    target.shape = StorageShape(shape.origin, shape.storage)
    target.dtype = attr.dtype
    target.format = type(target.format)(attr.origin_format, attr.storage_format)
    return target


def _copy_out(context: KernelContext, source: GertTensorData, target: TensorData, size: int, stream: int) -> int:
    if target.size < size:
        text = (
            "Failed to copy output tensor data to the given buffer, "
            f"given buffer size {target.size} is less than output tensor size {size}"
        )
        return context.error(_TARGET_SIZE, text, code=Status.PARAM_INVALID)
    if source.addr == target.addr:
        context.info(_ZERO_COPY, f"Zero copy takes effect, output addr:{target.addr:x}")
        return Status.SUCCESS
    if source.size < size:
        text = (
            f"Failed to copy output tensor data to the given buffer, output tensor data size {source.size} "
            f"is less than copy size size {size}, src_address: 0x{source.addr:x}"
        )
        return context.error(_SOURCE_SIZE, text, code=Status.PARAM_INVALID)
    origin, goal = Span(source.addr, source.placement), Span(target.addr, target.placement)
    if not transfer(context.machine.device, stream, origin, goal, size):
        names = (source.placement, target.placement)
        text = (
            "Failed to copy output tensor to the given buffer, do not support the copy direction, from {}({}) to {}({})"
        )
        parts = [part for name in names for part in (name.ge_name, int(name))]
        return context.error(_DIRECTION, text.format(*parts), code=Status.PARAM_INVALID)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("SplitDataTensor", split_data_tensor, outputs_creator=split_outputs, critical_section=MEMORY),
    Kernel("EnsureTensorAtOutMemory", ensure_tensor_at_out_memory, critical_section=MEMORY),
)
