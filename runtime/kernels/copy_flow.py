"""Host inputs of a launch: small ones travel with its arguments, others are copied (spec/lowering.md 7.3, 11.G).

A copy of a few bytes costs the device a task of its own; inside the argument block they cost nothing. The block is
the one that tiling chose, so this runs behind tiling and in front of the launch.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from getrace.events import Place
from getrace.events.memory import CopyAlloc
from runtime.kernels.context import KernelContext
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import shape_of, unaligned_size
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, transfer
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, StorageShape

_MALLOC = ("copy_flow_launch.cc", 118, "CopyTensorToDevice")
_ALLOCATED = Place("copy_flow_launch.cc", 119, "CopyTensorToDevice")
_INPUTS = ("copy_flow_launch.cc", 322, "CopyFlowLaunch")
_OUTPUTS = ("copy_flow_launch.cc", 331, "CopyFlowLaunch")
_PLACEMENT = ("copy_flow_launch.cc", 383, "CopyFlowLaunch")
_COUNT, _POSITIONS, _RT_ARG, _STREAM, _ALLOCATOR, _FIRST = range(6)
_PER_COPY = 4


class HostInput(NamedTuple):
    """One of the tensors to bring along: its data, the size to allocate, its shape and type."""

    data: GertTensorData
    size: int
    shape: StorageShape
    dtype: DType

    @property
    def exact_size(self) -> int:
        """Bytes of the elements alone."""
        return unaligned_size(self.dtype, self.shape.storage)


def host_inputs(values: Sequence[object]) -> list[HostInput]:
    """Read the groups of four at the end of a copy-flow kernel's inputs."""
    groups = zip(*(values[at::_PER_COPY] for at in range(_PER_COPY)), strict=True)
    found: list[HostInput] = []
    for data, size, shape, dtype in groups:
        assert isinstance(data, GertTensorData)
        assert isinstance(size, int)
        assert isinstance(dtype, DType)
        found.append(HostInput(data, size, shape_of(shape), dtype))
    return found


def copy_flow_launch(context: KernelContext) -> int:
    """Bring each tensor to the device: shared when it is there, inside the arguments when it fits, else copied."""
    outputs = len(context.outputs)
    if len(context.inputs) != _FIRST + outputs * _PER_COPY:
        text = f"input num is not matched, input start {_FIRST}, output num {outputs}, "
        return context.error(_INPUTS, f"{text}total input num {len(context.inputs)}")
    count: int = context.input(_COUNT)
    if count != outputs:
        return context.error(_OUTPUTS, f"host input num {count}, is not match output num {outputs},")
    block: LaunchArgs = context.input(_RT_ARG)
    block.begin_host_inputs()
    positions: Sequence[Sequence[int]] = context.input(_POSITIONS)
    tensors = host_inputs([cell.value for cell in context.inputs[_FIRST:]])
    for index, tensor in enumerate(tensors):
        if status := _bring(context, block, index, tensor, positions[index]):
            return status
    return Status.SUCCESS


def _bring(context: KernelContext, block: LaunchArgs, index: int, tensor: HostInput, positions: Sequence[int]) -> int:
    target: GertTensorData = context.output(index)
    source = tensor.data
    if source.placement.on_device:
        target.share_from(source)
        return Status.SUCCESS
    if not source.placement.on_host:
        text = f"unsupported copy form placement {int(source.placement)} to device hbm"
        return context.error(_PLACEMENT, text)
    size = tensor.exact_size
    content = context.machine.device.host.read(source.addr, size) if size else b""
    if block.take_host_input(positions, content):
        return Status.SUCCESS
    return _copy(context, target, tensor)


def _copy(context: KernelContext, target: GertTensorData, tensor: HostInput) -> int:
    home: GertAllocator = context.input(_ALLOCATOR)
    block = home.malloc(tensor.size)
    if block is None:
        return context.kernel_error(_MALLOC, f"malloc failed, tensor size={tensor.size}")
    target.own(block, home.placement, home.stream)
    event = CopyAlloc(block.handle, block.addr, block.size, home.stream)
    context.journal.say(event, context.name, place=_ALLOCATED)
    origin, goal = Span(tensor.data.addr, tensor.data.placement), Span(block.addr, home.placement)
    transfer(context.machine.device, context.input(_STREAM), origin, goal, tensor.exact_size)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("CopyFlowLaunch", copy_flow_launch, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
)
