"""Copies in two or more kernels, for an executor of several threads (spec/lowering.md 7.6, 11.G).

Memory and the submission of a copy belong to different workers there. Sizes are said first, memory is made by a kernel
of its own, the result is put together, and a kernel without outputs submits the copy.
"""

from collections.abc import Sequence
from typing import Final

from getrace.events.memory import StreamCopy
from runtime.kernels.context import KernelContext, Place
from runtime.kernels.copies import padded
from runtime.kernels.copy_flow import HostInput, host_inputs
from runtime.kernels.feed import place_outputs
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.memory import alloc_batch_hbm, batch_outputs, tensor_data_outputs
from runtime.kernels.registry import LAUNCH, MEMORY, Kernel
from runtime.kernels.sizes import shape_of, unaligned_size
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, transfer
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Placement

_UNSUPPORTED = ("memory_copy.cc", 381, "CalcDeviceCopySizes")
_FLOW = "copy_flow_launch.cc"
_CAPACITY = ("memory_kernel.cc", 0, "AllocCopyFlowHbm")


def calc_device_copy_sizes(context: KernelContext) -> int:
    """Say how much to allocate and how much to copy: nothing for a tensor that is on the device."""
    source, home, dtype, shape, _, size = (cell.value for cell in context.inputs)
    placement: Placement = source.placement
    if not placement.on_host and not placement.on_device:
        text = f"unsupported copy form placement {placement.ge_name} to {home.placement.ge_name}"
        return context.error(_UNSUPPORTED, text)
    context.set(0, padded(size) if placement.on_host else 0)
    context.set(1, unaligned_size(dtype, shape_of(shape).storage) if placement.on_host else 0)
    return Status.SUCCESS


def share_h2d_copy_result(context: KernelContext) -> int:
    """Give what the consumers read: the source when it is on the device, else the memory that was made."""
    made, _, source, _ = (cell.value for cell in context.inputs)
    target: GertTensorData = context.output(0)
    target.share_from(source if source.placement.on_device else made)
    return Status.SUCCESS


def launch_h2d_copy(context: KernelContext) -> int:
    """Submit the copy; a size of 0 stands for none."""
    target, stream, source, size = (cell.value for cell in context.inputs)
    if size == 0:
        return Status.SUCCESS
    places = (source.placement.ge_name, target.placement.ge_name)
    context.trace(StreamCopy(source.addr, size, places[0], target.addr, target.size, places[1]))
    transfer(context.machine.device, stream, _span(source), _span(target), size)
    return Status.SUCCESS


def calc_copy_flow_alloc_sizes(context: KernelContext) -> int:
    """Say which tensors need memory: those on the host that no longer fit into the arguments."""
    _, block, *_ = (cell.value for cell in context.inputs)
    tensors = _tensors(context, 2)
    room: LaunchArgs = block
    room.begin_host_inputs()
    sizes: list[int] = []
    for tensor in tensors:
        if status := _refuse(context, tensor, 231):
            return status
        fits = tensor.data.placement.on_device or room.take_host_input((), bytes(tensor.exact_size))
        sizes.append(0 if fits else tensor.size)
    context.set(0, sizes)
    return Status.SUCCESS


def alloc_copy_flow_hbm(context: KernelContext) -> int:
    """Give each copy a block; there are as many sizes as the kernel was made for."""
    sizes: list[int] = context.input(1)
    capacity = context.attrs.get("copy_flow_count", len(sizes))
    if len(sizes) != capacity:
        text = f"copy flow size count {len(sizes)} does not match capacity {capacity}"
        return context.error(_CAPACITY, text, Status.PARAM_INVALID)
    return alloc_batch_hbm(context)


def prepare_copy_flow_result(context: KernelContext) -> int:
    """Give each consumer what it reads, and put small tensors into the arguments."""
    count, positions, block, made, *_ = (cell.value for cell in context.inputs)
    args: LaunchArgs = block
    if status := _check_counts(context, count, (made, positions)):
        return status
    args.begin_host_inputs()
    host = context.machine.device.host
    for index, tensor in enumerate(_tensors(context, 4)):
        target: GertTensorData = context.output(index)
        if tensor.data.placement.on_device:
            target.share_from(tensor.data)
        elif made[index].block is not None:
            target.share_from(made[index])
        else:
            size = tensor.exact_size
            args.take_host_input(positions[index], host.read(tensor.data.addr, size) if size else b"")
    return Status.SUCCESS


def launch_copy_flow_h2d(context: KernelContext) -> int:
    """Submit the copies of the tensors that memory was made for."""
    count, stream, made, *_ = (cell.value for cell in context.inputs)
    if len(made) != count:
        text = f"allocated addr num {len(made)} is not match input num {count}"
        return context.assert_failed((_FLOW, 275, "LaunchCopyFlowH2D"), text)
    for target, tensor in zip(made, _tensors(context, 3), strict=True):
        if target.block is None:
            continue
        if status := _refuse(context, tensor, 291):
            return status
        transfer(context.machine.device, stream, _span(tensor.data), _span(target), tensor.exact_size)
    return Status.SUCCESS


def _tensors(context: KernelContext, first: int) -> list[HostInput]:
    return host_inputs([cell.value for cell in context.inputs[first:]])


def _refuse(context: KernelContext, tensor: HostInput, line: int) -> Status:
    placement = tensor.data.placement
    if placement.on_host or placement.on_device:
        return Status.SUCCESS
    place: Place = (_FLOW, line, context.type)
    return context.error(place, f"unsupported copy form placement {int(placement)} to device hbm")


def _check_counts(context: KernelContext, count: int, given: tuple[Sequence[object], Sequence[object]]) -> Status:
    outputs = len(context.outputs)
    if count != outputs:
        text = f"host input num {count}, is not match output num {outputs},"
        return context.error((_FLOW, 195, context.type), text)
    for values, line, what in zip(given, (208, 210), ("allocated addr", "input index"), strict=True):
        if len(values) != outputs:
            text = f"{what} num {len(values)} is not match output num {outputs}"
            return context.assert_failed((_FLOW, line, context.type), text)
    return Status.SUCCESS


def _span(data: GertTensorData) -> Span:
    return Span(data.addr, data.placement)


KERNELS: Final = (
    Kernel("CalcDeviceCopySizes", calc_device_copy_sizes),
    Kernel("ShareH2DCopyResult", share_h2d_copy_result, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel("LaunchH2DCopy", launch_h2d_copy, critical_section=LAUNCH),
    Kernel("CalcCopyFlowAllocSizes", calc_copy_flow_alloc_sizes, outputs_creator=place_outputs),
    Kernel("AllocCopyFlowHbm", alloc_copy_flow_hbm, outputs_creator=batch_outputs, critical_section=MEMORY),
    Kernel(
        "PrepareCopyFlowResult",
        prepare_copy_flow_result,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
    Kernel("LaunchCopyFlowH2D", launch_copy_flow_h2d, critical_section=LAUNCH),
)
