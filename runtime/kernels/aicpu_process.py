"""What the AI CPU keeps over the steps: events of blocking tasks, step id, custom libraries (spec/lowering.md 11.M)."""

import struct
from typing import Final

from runtime.kernels.context import KernelContext
from runtime.kernels.copies import make_sure_tensor_at_device
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, write_to_device
from runtime.values import Placement

_EVENT_OBJECT: Final = 0x60
_STEP_BYTES: Final = 8
_FUSE_HEAD: Final = 4
_FUSE_EACH: Final = 4
_STEP = ("aicpu_resource_manager.cc", 0, "CreateStepId")


def create_event(context: KernelContext) -> int:
    """Make the event that a blocking task records: its pointer and its number."""
    machine = context.machine
    machine.aicpu_events += 1
    context.set(0, machine.device.pointer(_EVENT_OBJECT))
    context.set(1, machine.aicpu_events)
    return Status.SUCCESS


def destroy_event(context: KernelContext) -> int:
    """End the event."""
    context.inputs[0].value = 0
    return Status.SUCCESS


def step_id_outputs(context: KernelContext) -> int:
    """Start counting at 0; the memory on the device comes with the run."""
    context.set(1, 0)
    return Status.SUCCESS


def create_step_id(context: KernelContext) -> int:
    """Make the step id on the device; it goes with the executor."""
    device = context.machine.device
    address = device.malloc(_STEP_BYTES)
    if address is None:
        return context.kernel_error(_STEP, f"malloc failed, tensor size={_STEP_BYTES}")
    context.outputs[0].own(address, lambda: device.free(address))
    return Status.SUCCESS


def increase_step_id(context: KernelContext) -> int:
    """Count the step, and tell the device in the order of stream 0."""
    address, iteration, stream = (cell.value for cell in context.inputs)
    context.inputs[1].value = iteration + 1
    content = struct.pack("<q", iteration + 1)
    write_to_device(context.machine.device, stream, Span(address, Placement.DEVICE_HBM), content)
    context.machine.engines.clear_lists()
    return Status.SUCCESS


def launch_custom(context: KernelContext) -> int:
    """Load a library of custom kernels on the AI CPU, once per process."""
    name = str(context.inputs[-1].value)
    context.machine.custom_libraries.add(name)
    if context.outputs:
        context.set(0, name)
    return Status.SUCCESS


def clear_custom(context: KernelContext) -> int:
    """Unload what was loaded; the resource is the library's name."""
    context.machine.custom_libraries.discard(str(context.inputs[-1].value))
    return Status.SUCCESS


def fuse_host_inputs(context: KernelContext) -> int:
    """Bring host inputs of one operator to the device together: four inputs each (data, size, shape, type)."""
    stream, allocator = context.input(2), context.input(3)
    for index in range(len(context.outputs)):
        first = _FUSE_HEAD + _FUSE_EACH * index
        given = [cell.value for cell in context.inputs[first : first + _FUSE_EACH]]
        status = make_sure_tensor_at_device(_one(context, index, [stream, allocator, *given]))
        if status:
            return status
    return Status.SUCCESS


def _one(context: KernelContext, index: int, values: list[object]) -> KernelContext:
    """Look at one input as a copy kernel would."""
    cells = tuple(map(type(context.outputs[index]), values))
    return KernelContext(context.name, context.type, cells, (context.outputs[index],), context.node, context.machine)


KERNELS: Final = (
    Kernel("CreateEvent", create_event),
    Kernel("DestroyEvent", destroy_event),
    Kernel("CreateStepId", create_step_id, outputs_creator=step_id_outputs),
    Kernel("IncreaseStepId", increase_step_id),
    Kernel("LaunchAicpuCustKernel", launch_custom),
    Kernel("ClearAicpuCustKernel", clear_custom),
    Kernel("AicpuFuseHost", fuse_host_inputs, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
)
