"""By how much the clock of one source is ahead of another's, as far as the records prove it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """An interval of nanoseconds: at least ``low_ns``, at most ``high_ns``; None where nothing proves a bound.

    ``pairs`` records prove it, and ``reference`` is the path of the source that the clock is compared with.
    """

    low_ns: int | None
    high_ns: int | None
    pairs: int
    reference: str

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
