"""Feeds, constants, the operators of the process, and kernels that do nothing (spec/lowering.md 11.A, 11.O)."""

from typing import Final

from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status


def do_nothing(_context: KernelContext) -> int:
    """Run nothing: the value was placed when the executor was built, or there is none."""
    return Status.SUCCESS


def place_outputs(context: KernelContext) -> int:
    """Make the place of each value that a run sets; what an earlier run left there ends with the executor."""
    for cell in context.outputs:
        cell.own(None)
    return Status.SUCCESS


def get_space_registry(context: KernelContext) -> int:
    """Give the operators of the process: one registry serves every version that a model may ask for."""
    context.set(0, context.machine.ops)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("Data", do_nothing),
    Kernel("Const", do_nothing),
    Kernel("NetOutput", do_nothing),
    Kernel("NoOp", do_nothing),
    Kernel("GetSpaceRegistry", get_space_registry),
    Kernel("GetSpaceRegistries", get_space_registry),
)
