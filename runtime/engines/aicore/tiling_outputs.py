"""Outputs of a tiling kernel by name, and what stands for them when nothing is tiled at run time.

A launch that counted outputs itself would read the wrong one as soon as the operator library gains a field
(spec/lowering.md 12.11).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from runtime.graph.value_holder import ValueHolder


class TilingOutput(IntEnum):
    """Outputs of a tiling kernel; ``RT_ARG`` and ``STATUS`` are GE's own behind those of the operator library.

    Only a tiling that may fail has ``STATUS``: 0 when it went well.
    """

    TILING_KEY = 0
    BLOCK_DIM = 1
    ATOMIC_CLEAN = 2
    TILING_DATA = 3
    WORKSPACES = 4
    TILING_COND = 5
    SCHEDULE_MODE = 6
    LOCAL_MEMORY = 7
    AICPU_BLOCK_DIM = 8
    SIMT_BLOCK_DIM = 9
    SIMT_GRID_DIM = 10
    RT_ARG = 11
    STATUS = 12


@dataclass(frozen=True, slots=True)
class Tiled:
    """What was decided for a launch: ``outputs`` by name, ``workspaces`` the sizes to allocate, known ones included."""

    outputs: Mapping[TilingOutput, ValueHolder]
    workspaces: ValueHolder

    def __getitem__(self, output: TilingOutput) -> ValueHolder:
        """Give one decision. Raises KeyError for one that this form of operator does not make."""
        return self.outputs[output]


def tiled_by(outputs: list[ValueHolder]) -> Tiled:
    """Name the outputs of a tiling kernel."""
    named = {TilingOutput(index): holder for index, holder in enumerate(outputs)}
    return Tiled(named, named[TilingOutput.WORKSPACES])
