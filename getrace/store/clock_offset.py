"""By how much the clock of one source is ahead of another's, as far as the records prove it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple


class Proof(NamedTuple):
    """Two records that prove a bound: what they are, and their lines in the source and in the one compared with."""

    what: str
    line: int
    reference: str
    reference_line: int


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """An interval of nanoseconds: at least ``low_ns``, at most ``high_ns``; None where nothing proves a bound.

    ``pairs`` of records were found, and ``reference`` is the path of the source that the clock is compared with.
    ``proofs`` are the pairs that the bounds come from, that of ``low_ns`` first.
    """

    low_ns: int | None
    high_ns: int | None
    pairs: int
    reference: str
    proofs: tuple[Proof, ...] = field(default=(), compare=False)

    @property
    def contradictory(self) -> bool:
        """Whether no single offset fits all pairs: a clock was set in between, or drifts."""
        return self.low_ns is not None and self.high_ns is not None and self.low_ns > self.high_ns

    @property
    def proven_ns(self) -> int:
        """The part of the offset that is beyond doubt: 0 when the clocks may agree."""
        if self.contradictory:
            return 0
        ahead = max(self.low_ns or 0, 0)
        behind = min(self.high_ns or 0, 0)
        return ahead + behind

    def distance(self, spell: Callable[[int], str]) -> str:
        """Say how far the clock is from the other, in words that go on with the other's name."""
        low, high = self.low_ns, self.high_ns
        if self.contradictory:
            return "has pairs that no single offset fits, as if a clock was set in between, against"
        if low is not None and low > 0:
            most = "" if high is None else f", at most {spell(high)}"
            return f"is at least {spell(low)}{most} ahead of"
        if high is not None and high < 0:
            most = "" if low is None else f", at most {spell(-low)}"
            return f"is at least {spell(-high)}{most} behind"
        if low is None:
            return f"is at most {spell(high or 0)} ahead of"
        if high is None:
            return f"is at most {spell(-low)} behind"
        return f"is between {spell(-low)} behind and {spell(high)} ahead of"
