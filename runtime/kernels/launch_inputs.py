"""Where the six launch kernels keep what (spec/lowering.md 4.1): a common head, then what each form has of its own.

The launch and its trace read by position; a form that only one of them knew would be traced as another one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from runtime.kernels.context import KernelContext
from runtime.memory.tensor_data import GertTensorData


class LaunchInput(IntEnum):
    """The common head. What follows is told by ``LaunchForm``."""

    STREAM = 0
    BINARY = 1
    BLOCK_DIM = 2
    WORKSPACES = 3
    SHAPE_BUFFER = 4
    TASK_CONFIG = 5
    IO_NUM = 6
    SCHEDULE_MODE = 7
    DFX = 8
    RT_ARG = 9
    LOCAL_MEMORY = 10


@dataclass(frozen=True, slots=True)
class LaunchForm:
    """One launch kernel: its first address, and where it has a tiling key and a list of workspaces to clean.

    ``mix`` has four inputs more at the end: MixCoreArgs, the second stream and two notifies.
    """

    first: int
    key: int | None = None
    cleaned: int | None = None
    mix: bool = False

    @property
    def tail(self) -> int:
        """Inputs behind the shapes."""
        return 4 if self.mix else 0


FORMS: Final[Mapping[str, LaunchForm]] = {
    "LaunchKernelWithHandle": LaunchForm(13, key=11),
    "LaunchKernelWithFlag": LaunchForm(11),
    "LaunchMixKernelWithHandle": LaunchForm(13, key=11, mix=True),
    "LaunchMixKernelWithFlag": LaunchForm(11, mix=True),
    "AtomicLaunchKernelWithHandle": LaunchForm(13, key=11, cleaned=12),
    "AtomicLaunchKernelWithFlag": LaunchForm(12, cleaned=11),
}


def tail_values(context: KernelContext, form: LaunchForm) -> list[Any]:
    """Give addresses and shapes, without what a mix launch has behind them."""
    return [cell.value for cell in context.inputs[form.first : len(context.inputs) - form.tail]]


def addressed(context: KernelContext, form: LaunchForm) -> list[GertTensorData]:
    """Give the tensor data of a launch: inputs and outputs, or what an atomic launch cleans.

    An atomic launch ends with the workspaces, of which it cleans those that its list names.
    """
    values = tail_values(context, form)
    if form.cleaned is None:
        node = context.compute_node
        return values[: len(node.inputs) + len(node.outputs)]
    *outputs, workspaces = values
    return [*outputs, *(workspaces[index] for index in context.input(form.cleaned) or ())]
