"""Cmo: a tensor is asked into the device's cache before somebody reads it (spec/lowering.md 4.7, 11.R).

The cache has no contents here; what was asked for is remembered in the machine's ``EngineState``, and takes its time.
"""

from dataclasses import dataclass
from typing import Final

from getrace.events.engines import CmoLaunch
from runtime.kernels.context import KernelContext
from runtime.kernels.engines.memory_work import CMO, MemoryWork, Written
from runtime.kernels.registry import LAUNCH, Kernel
from runtime.kernels.sizes import shape_of, unaligned_size
from runtime.kernels.status import Status
from runtime.kernels.work import task_of
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType

_UPDATE = ("cmo_launch_kernel.cc", 0, "UpdatePrefetchTaskInfo")


@dataclass(slots=True)
class CmoTask:
    """``rtCmoTaskInfo_t``: the operation, and the bytes it is for."""

    operation: int = 0
    address: int = 0
    length: int = 0


def task_outputs(context: KernelContext) -> int:
    """Make the record that the kernels of the operator fill in turn."""
    context.set(0, CmoTask())
    return Status.SUCCESS


def init_args(context: KernelContext) -> int:
    """Say which operation it is."""
    context.output(0).operation = int(context.input(0))
    return Status.SUCCESS


def update_task(context: KernelContext) -> int:
    """Say which bytes: from the offset to the tensor's end, no more than the limit."""
    info: CmoTask
    data: GertTensorData
    dtype: DType
    info, data, shape, dtype, limit, offset = (cell.value for cell in context.inputs)
    size = unaligned_size(dtype, shape_of(shape).storage)
    if not 0 <= offset < max(size, 1):
        return context.kernel_error(_UPDATE, f"offset {offset} is out of the tensor of {size} bytes")
    info.address, info.length = data.addr + offset, min(size - offset, int(limit))
    return Status.SUCCESS


def launch_task(context: KernelContext) -> int:
    """Launch it."""
    info: CmoTask = context.input(0)
    device, asked = context.machine.device, (info.address, info.length)

    def compute() -> Written:
        context.machine.engines.prefetched.append(asked)
        return ()

    task = task_of(context, MemoryWork(device, compute), CMO, device.cost_ns(CMO.unit, info.length))
    device.launch(device.stream(context.input(1)), task)
    return Status.SUCCESS


def trace_launch(context: KernelContext) -> tuple[CmoLaunch, ...]:
    """Say length, address and stream."""
    info: CmoTask = context.input(0)
    return (CmoLaunch(info.length, info.address, context.input(1)),)


KERNELS: Final = (
    Kernel("InitCmoArgs", init_args, outputs_creator=task_outputs),
    Kernel("UpdatePrefetchTaskInfo", update_task),
    Kernel("LaunchCmoTask", launch_task, trace_printer=trace_launch, critical_section=LAUNCH),
)
