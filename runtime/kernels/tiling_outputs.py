"""The outputs that every tiling kernel has, and what they are before the first run (spec/lowering.md 4.1)."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Final

from runtime.kernels.context import KernelContext
from runtime.kernels.status import Status

_NEGATIVE = ("tiling.cc", 375, "Tiling")
_TOO_LARGE = ("tiling.cc", 402, "Tiling")
_LINE = 512
"""``kAiCoreWorkspaceAlignment``."""
_LARGEST = (1 << 64) - _LINE


class TilingOutput(IntEnum):
    """Outputs of a tiling kernel: ``TilingContext``'s own, then GE's. ``STATUS`` is of the fallible kernels alone."""

    KEY = 0
    BLOCK_DIM = 1
    ATOMIC_CLEAN = 2
    DATA = 3
    WORKSPACES = 4
    COND = 5
    SCHEDULE_MODE = 6
    LOCAL_MEMORY = 7
    RT_ARG = 11
    STATUS = 12


_AT_FIRST: Final[Mapping[int, Any]] = {
    TilingOutput.ATOMIC_CLEAN: True,
    TilingOutput.DATA: None,
    TilingOutput.WORKSPACES: (),
    TilingOutput.COND: -1,
    TilingOutput.RT_ARG: None,
}
"""What is not named is 0."""


def tiling_outputs(context: KernelContext) -> int:
    """Give each output the value it has before the first run, which a run that fails leaves as it is."""
    for index, cell in enumerate(context.outputs):
        cell.own(_AT_FIRST.get(index, 0))
    return Status.SUCCESS


def align_workspaces(context: KernelContext, sizes: Sequence[int]) -> Status:
    """Set the workspaces, rounded up to 512 bytes; a list of its own each run, for a kernel that adds to it."""
    for index, size in enumerate(sizes):
        if size < 0:
            return context.assert_failed(_NEGATIVE, f"size[{size}] of workspace[{index}] cannot be negative")
        if size > _LARGEST:
            text = f"size[{size}] of workspace[{index}] exceeds max size with {_LINE} alignment"
            return context.assert_failed(_TOO_LARGE, text)
    context.set(TilingOutput.WORKSPACES, [-(-size // _LINE) * _LINE for size in sizes])
    return Status.SUCCESS
