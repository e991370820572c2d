"""Which lines say what went wrong, how much each explains, and the first of the best ones of each process.

A log without KernelTrace names no kernel, and its first ERROR line is often one that only hands a code on. So a wording
has a weight, and the cause of a process is its first line of the greatest weight. If each view ranked lines by itself,
one would show a time-out as the cause of the crash that it waited for.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum


class Telling(IntEnum):
    """How much a line explains; lines of a lower weight are effects of one with a higher."""

    TAKES_BACK = 0
    """It says that the line before it means nothing."""
    CODE = 1
    """A code that a call hands on."""
    WAIT = 2
    """A wait that ran out: somebody else did not come."""
    FAULT = 3
    """A unit or a link failed, without a reason."""
    REASON = 4
    """It says why."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a wording tells: the family of its lines, the phase of the failure, and the weight."""

    telling: Telling
    family: str
    phase: str


@dataclass(frozen=True, slots=True)
class Tale:
    """A line that tells something: its record, its number inside the record from 0, and what its named groups hold."""

    told: Told
    pid: int
    row: int
    line: int
    text: str
    values: dict[str, str]


@dataclass(slots=True)
class Tales:
    """The first line of the greatest weight of each process; lines come in their order, process by process."""

    best: dict[int, Tale] = field(default_factory=dict)
    _doubted: dict[int, Tale] = field(default_factory=dict)

    @property
    def listening(self) -> bool:
        """Say whether a line that tells nothing matters now: it may follow one that waits to be taken back."""
        return bool(self._doubted)

    def hear(self, pid: int, tales: Iterable[Tale]) -> None:
        """Take what the next line of a process tells; the line before it counts unless this one takes it back."""
        said = sorted(tales, key=lambda tale: -tale.told.telling)
        doubted = self._doubted.pop(pid, None)
        if doubted is not None and not any(tale.told.telling is Telling.TAKES_BACK for tale in said):
            self.best[pid] = doubted
        known = self.best.get(pid)
        if said and said[0].told.telling > (Telling.TAKES_BACK if known is None else known.told.telling):
            self._doubted[pid] = said[0]

    def end(self) -> None:
        """Take the last line of each process: nothing comes that could take it back."""
        self.best |= self._doubted
        self._doubted = {}
