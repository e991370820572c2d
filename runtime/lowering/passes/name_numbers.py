"""The counters behind the names that passes give.

GE keeps one of each for the whole process. Whoever lowers several models as one process does hands the same counters
to each lowering; a fresh set gives the names of the first model.

Source: spec/lowering.md 9.1; GE's dumps of cases that lower several models.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count


@dataclass(frozen=True, slots=True)
class PassNumbers:
    """``CEM_<graph>_InnerData_<n>``, ``CEM_NoOp_<n>`` and ``OutputData_<i>_<graph>_InnerData_<n>``."""

    moved_values: Iterator[int] = field(default_factory=count)
    fences: Iterator[int] = field(default_factory=count)
    output_values: Iterator[int] = field(default_factory=count)
