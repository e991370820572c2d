"""Virtual time: the host's clock as a number that only moves when something costs time.

Costs vary a little, from the seed, so that two runs of one seed carry the same stamps and two seeds do not. If a
room looked at the wall clock instead, no log could ever be compared with another.
"""

from random import Random
from typing import Final

from getrace.errors import UsageError

_JITTERS = 1024
"""How many factors are drawn, a power of two; they are used in turn, which keeps a time stamp cheap."""
_LAST = _JITTERS - 1
_END_NS: Final = (1 << 63) - 1_000_000_000_000_000
"""Where virtual time ends: eleven days before a time stamp of 64 bits does, for what is printed behind a wait."""


class VirtualClock:
    """Host time in integer nanoseconds since the epoch. ``record_ns`` is what printing one log record costs.

    Threads may share a clock: none of its methods calls anything, and only at a call does the interpreter let another
    thread in.
    """

    __slots__ = ("_costs", "_factors", "_turn", "ns")

    def __init__(self, start_ns: int, random: Random, record_ns: int) -> None:
        self.ns = start_ns
        self._factors = tuple(random.randrange(700, 1300) for _ in range(_JITTERS))
        self._costs = tuple(record_ns * factor // 1000 for factor in self._factors)
        self._turn = 0

    def stamp(self) -> int:
        """Let one log record's time pass and give the time. This is the ``now`` of a bus."""
        turn = self._turn
        self._turn = (turn + 1) & _LAST
        now = self.ns = self.ns + self._costs[turn]
        return now

    def spend(self, cost_ns: int) -> None:
        """Let about ``cost_ns`` nanoseconds of host time pass."""
        turn = self._turn
        self._turn = (turn + 1) & _LAST
        self.ns += cost_ns * self._factors[turn] // 1000

    def wait_until(self, time_ns: int) -> None:
        """Let time pass up to ``time_ns``; a time that is past costs nothing.

        Raises UsageError for a time behind the end of virtual time: only a user's own device or fault leads there.
        """
        if time_ns > _END_NS:
            raise UsageError(
                f"the device is busy for {(time_ns - self.ns) // 1_000_000_000} s, longer than virtual time lasts",
                "give the profile shorter times, or slow a smaller factor",
            )
        if time_ns > self.ns:  # noqa: PLR1730 - a call of max() would let another thread in between
            self.ns = time_ns
