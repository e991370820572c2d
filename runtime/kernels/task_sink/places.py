"""Where the tensors of a static model lie: in an input, an output, its weights or the memory it works in.

A plan is made once, with places instead of addresses; a frame turns them into addresses for one run. A plan with
addresses in it would be wrong at the next load.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Area(Enum):
    """Kinds of memory a model touches."""

    INPUT = "input"
    OUTPUT = "output"
    WEIGHT = "weight"
    WORK = "work"


class Where(NamedTuple):
    """A place: ``at`` is the number of an input or output, else bytes from the start of the area."""

    area: Area
    at: int


@dataclass(frozen=True, slots=True)
class Frame:
    """The addresses of one run. ``redirected`` are places of the work area that are written into an output instead."""

    inputs: Sequence[int]
    outputs: Sequence[int]
    weight: int
    work: int
    redirected: Mapping[Where, Where]

    def address(self, where: Where) -> int:
        """Give the address of a place."""
        area, at = self.redirected.get(where, where)
        if area is Area.INPUT:
            return self.inputs[at]
        if area is Area.OUTPUT:
            return self.outputs[at]
        return (self.weight if area is Area.WEIGHT else self.work) + at
