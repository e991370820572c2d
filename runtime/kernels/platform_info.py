"""What tiling may know of the device (spec/lowering.md 11.J)."""

from typing import Final

from runtime.kernels.context import KernelContext
from runtime.kernels.feed import place_outputs
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status

_FROM_DEVICE = -1
"""Core numbers of an operator that does not set its own."""


def get_platform_info(context: KernelContext) -> int:
    """Give the numbers of the device's profile, and its core numbers."""
    profile = context.machine.device.profile
    numbers = {name: parameter.value for name, parameter in profile.parameters.items()}
    context.set(0, numbers)
    context.set(1, {"aicore_num": numbers["cube_cores"], "vector_core_num": numbers["vector_cores"]})
    return Status.SUCCESS


def append_core_type(context: KernelContext) -> int:
    """Add the core type, and the operator's own core numbers when it has some."""
    platform, core_type, aicore_num, vector_num, cores = (cell.value for cell in context.inputs)
    wanted = {"aicore_num": aicore_num, "vector_core_num": vector_num}
    own = {name: number for name, number in wanted.items() if number != _FROM_DEVICE}
    context.set(0, {**platform, **cores, **own, "core_type": core_type})
    context.set(1, {**cores, **own})
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("GetPlatformInfo", get_platform_info, outputs_creator=place_outputs),
    Kernel("AppendCoreTypeToPlatform", append_core_type, outputs_creator=place_outputs),
)
