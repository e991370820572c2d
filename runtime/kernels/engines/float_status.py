"""The device's overflow flags: read them into memory, clear them (spec/lowering.md 4.7, 11.R).

The cores of the simulated device raise no flag; who wants one raised sets it in the machine's ``EngineState``.
"""

import struct
from functools import partial
from typing import Final

from runtime.kernels.context import KernelContext
from runtime.kernels.engine_state import FLAGS
from runtime.kernels.engines.memory_work import FLOAT_STATUS, MemoryWork, Written
from runtime.kernels.registry import LAUNCH, Kernel
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, write_to_device
from runtime.kernels.work import task_of
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Placement

_BYTES: Final = 4 * FLAGS


def args_outputs(context: KernelContext) -> int:
    """Make the argument block on the host: room for one address."""
    context.set(0, bytes(8))
    return Status.SUCCESS


def get_args(context: KernelContext) -> int:
    """Put the output's address into the argument block."""
    data: GertTensorData = context.input(0)
    context.set(0, struct.pack("<Q", data.addr))
    return Status.SUCCESS


def read_flags(context: KernelContext, flags: list[int]) -> int:
    """Copy the argument block to the device, then have the flags written where it points to."""
    device_args, block, stream = (cell.value for cell in context.inputs)
    device = context.machine.device
    pointer = device_args.addr  # by the time the device comes to it, the host may have let go of the block
    write_to_device(device, stream, Span(pointer, Placement.DEVICE_HBM), block)

    def compute() -> Written:
        (address,) = struct.unpack("<Q", device.hbm.read(pointer, len(block)))
        return [(address, struct.pack(f"<{FLAGS}I", *flags))]

    (target,) = struct.unpack("<Q", block)
    return _put(context, stream, MemoryWork(device, compute, ((target, _BYTES),)))


def clear_flags(context: KernelContext, flags: list[int]) -> int:
    """Set all flags to 0, in the order of the stream."""

    def compute() -> Written:
        flags[:] = [0] * FLAGS
        return ()

    return _put(context, context.input(0), MemoryWork(context.machine.device, compute))


def _put(context: KernelContext, stream: int, work: MemoryWork) -> int:
    device = context.machine.device
    cost = device.cost_ns(FLOAT_STATUS.unit)
    device.launch(device.stream(stream), task_of(context, work, FLOAT_STATUS, cost))
    return Status.SUCCESS


def get_status(context: KernelContext) -> int:
    """Read the flags of the cores."""
    return read_flags(context, context.machine.engines.overflow)


def get_debug_status(context: KernelContext) -> int:
    """Read the flags that only a debugger clears."""
    return read_flags(context, context.machine.engines.debug_overflow)


def clear_status(context: KernelContext) -> int:
    """Clear the flags of the cores."""
    return clear_flags(context, context.machine.engines.overflow)


def clear_debug_status(context: KernelContext) -> int:
    """Clear the debug flags."""
    return clear_flags(context, context.machine.engines.debug_overflow)


_launched = partial(Kernel, critical_section=LAUNCH)

KERNELS: Final = (
    Kernel("NpuGetFloatStatusArgs", get_args, outputs_creator=args_outputs),
    _launched("NpuGetFloatStatus", get_status),
    _launched("NpuClearFloatStatus", clear_status),
    _launched("NpuGetFloatDebugStatus", get_debug_status),
    _launched("NpuClearFloatDebugStatus", clear_debug_status),
)
