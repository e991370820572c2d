"""Model outputs that a kernel writes straight into the caller's memory (spec/execution.md 5.9, lowering.md 7.1).

The passes put these in place of an allocation. Who owns the bytes is decided here once: the caller, or the caller's
tensor together with the kernel that fills it, or the kernel alone, and then EnsureTensorAtOutMemory copies.
"""

from typing import Final

from getrace.events.memory import OutputAlloc, OutputTensor, PlacedOutputAlloc, ZeroCopy
from runtime.kernels.context import KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import unaligned_size
from runtime.kernels.status import Status
from runtime.kernels.tensors import split_outputs
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import BlockOwner, GertTensorData, release, take_in
from runtime.values import Placement, Shape, StorageShape, Tensor, TensorData

TENSOR_OBJECT: Final = 0x2E0
"""Bytes of a ``gert::Tensor``, whose pointer some lines print."""

_OUTPUT = ("model_outputs.cc", 0, "AllocModelOutTensor")
_FROM_LEVEL1 = ("model_outputs.cc", 47, "AllocMemoryIfNeed")
_OF_ITS_OWN = ("model_outputs.cc", 57, "AllocMemoryIfNeed")
_NO_MEMORY = ("model_outputs.cc", 125, "AllocModelOutTensor")
_NOT_GIVEN = ("build_tensor.cc", 249, "SplitTensorForOutputData")
_TOO_SMALL = ("build_tensor.cc", 263, "SplitTensorForOutputData")
_NO_ALLOCATOR = ("build_tensor.cc", 0, "SplitTensorForOutputData")
_OUTPUT_DATA = 2


def alloc_model_out_tensor(context: KernelContext) -> int:
    """Give a result memory: the caller's if its placement fits, else new memory.

    The caller's size is not looked at here (spec/execution.md 9.36): EnsureTensorAtOutMemory does, after the launch.
    """
    home: GertAllocator | None = context.input(0)
    target: GertTensorData | None = context.output(0)
    if home is None or target is None:
        what = "gert_allocator" if home is None else "tensor_data"
        return context.assert_failed(_OUTPUT, f"Assert (({what}) != nullptr) failed")
    tensor = _output_tensor(context)
    given = tensor.data
    if given is None or given.addr == 0:
        return _from_level1(context, home, tensor, target)
    if given.placement != home.placement:
        return _of_its_own(context, home, given, target)
    context.trace(ZeroCopy(given.addr))
    take_in(given, target, home, given.placement)
    return Status.SUCCESS


def _output_tensor(context: KernelContext) -> Tensor:
    tensor: Tensor | None = context.input(_OUTPUT_DATA)
    if tensor is None:
        made = Tensor(StorageShape(Shape(), Shape()), data=TensorData())
        made.handle = context.machine.device.pointer(TENSOR_OBJECT)
        context.inputs[_OUTPUT_DATA].own(made, lambda: _end(made))
        context.trace(OutputTensor(made.handle))
        tensor = made
    return tensor


def _end(tensor: Tensor) -> None:
    if tensor.data is not None:
        release(tensor.data)


def _from_level1(context: KernelContext, home: GertAllocator, tensor: Tensor, target: GertTensorData) -> int:
    """Memory straight from level 1, owned by the caller's tensor; the kernels share it while they run."""
    size: int = context.input(1)
    level1 = home.level1
    block = level1.malloc(size) if level1 is not None else None
    if level1 is None or block is None:
        return _no_memory(context, _FROM_LEVEL1, size)
    tensor.data = TensorData(block.addr, size, home.placement, BlockOwner(level1, block))
    take_in(tensor.data, target, home, home.placement)
    assert target.block is not None
    context.trace(OutputAlloc(target.block.handle, target.addr, size, home.stream))
    return Status.SUCCESS


def _of_its_own(context: KernelContext, home: GertAllocator, given: TensorData, target: GertTensorData) -> int:
    size: int = context.input(1)
    block = home.malloc(size)
    if block is None:
        return _no_memory(context, _OF_ITS_OWN, size)
    target.own(block, home.placement, home.stream)
    names = (home.placement.ge_name, given.placement.ge_name)
    context.trace(PlacedOutputAlloc(home.stream, block.handle, block.addr, size, *names))
    return Status.SUCCESS


def _no_memory(context: KernelContext, place: tuple[str, int, str], size: int) -> Status:
    context.error(place, f"Failed to alloc model output, alloc size {size}")
    return context.assert_failed(_NO_MEMORY, "alloc memory failed.")


def split_tensor_for_output_data(context: KernelContext) -> int:
    """Take the caller's output apart, in a model whose outputs are always the caller's.

    A third input, the size that the kernels need, is not looked at: the tensor must be as large as it says it is.
    """
    tensor: Tensor | None = context.input(0)
    home: GertAllocator | None = context.input(1)
    if home is None:
        return context.assert_failed(_NO_ALLOCATOR, "Assert ((gert_allocator) != nullptr) failed")
    if tensor is None or tensor.data is None or tensor.data.addr == 0:
        text = "In the `always_zero_copy` mode, the output tensor and tensor data must be allocated by the called"
        return context.error(_NOT_GIVEN, text, Status.PARAM_INVALID)
    size = unaligned_size(tensor.dtype, tensor.shape.storage)
    if tensor.data.size < size:
        text = f"The output tensor memory size[{tensor.data.size}] is smaller than the actual size[{size}] "
        return context.error(_TOO_SMALL, f"{text}required by tensor.", Status.PARAM_INVALID)
    head: Tensor = context.output(0)
    head.shape, head.dtype, head.format = tensor.shape, tensor.dtype, tensor.format
    placement = Placement.HOST if tensor.data.placement == Placement.FOLLOWING else tensor.data.placement
    take_in(tensor.data, context.output(1), home, placement)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("AllocModelOutTensor", alloc_model_out_tensor, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel(
        "SplitTensorForOutputData",
        split_tensor_for_output_data,
        outputs_creator=split_outputs,
        critical_section=MEMORY,
    ),
)
