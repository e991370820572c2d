"""What GE registers about a kernel type, as one row (spec/lowering.md 11)."""

from dataclasses import dataclass
from enum import Flag, auto
from typing import Final


class Fact(Flag):
    """What a registration may have: a trace printer, one of two critical sections, an outputs creator."""

    NONE = 0
    TRACED = auto()
    MEMORY = auto()
    LAUNCH = auto()
    CREATOR = auto()


TRACED: Final = Fact.TRACED
MEMORY: Final = Fact.MEMORY
LAUNCH: Final = Fact.LAUNCH
CREATOR: Final = Fact.CREATOR


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel type."""

    type: str
    facts: Fact = Fact.NONE


@dataclass(frozen=True, slots=True)
class Family:
    """Kernel types that belong together. ``letter`` is the paragraph of spec/lowering.md 11."""

    letter: str
    name: str
    rows: tuple[Row, ...]
