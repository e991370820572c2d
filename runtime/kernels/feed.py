"""Constants, the model description, and kernels that do nothing (spec/lowering.md 11.A, 11.O)."""

from typing import Final

from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status


def do_nothing(_context: KernelContext) -> int:
    """Run nothing: the value was placed when the executor was built, or there is none."""
    return Status.SUCCESS


def get_space_registry(context: KernelContext) -> int:
    """Give the operators of the process: one registry serves every version that a model may ask for."""
    context.set(0, context.machine.ops)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("Const", do_nothing),
    Kernel("NoOp", do_nothing),
    Kernel("GetSpaceRegistry", get_space_registry),
)
