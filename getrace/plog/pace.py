"""How far reading a log is: done, rate, and time left, for whoever waits."""

import time
from collections.abc import Callable

_MB = 1_000_000


class Pace:
    """Told how far reading is (it is a progress callable), and tells it in words. Rate and time are of this source."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._done = 0
        self._total = 0

    def __call__(self, done: int, total: int) -> None:
        """Take down that ``done`` of ``total`` bytes are read. Fewer than before belong to the next source."""
        if done < self._done or total != self._total:
            self._started = self._clock() if self._total else self._started
        self._done, self._total = done, total

    @property
    def rate(self) -> float:
        """Bytes per second."""
        return self._done / max(self._clock() - self._started, 1e-9)

    @property
    def seconds_left(self) -> float:
        """Seconds until the source is read, at the same rate."""
        return (self._total - self._done) / self.rate if self._done else 0.0

    def __str__(self) -> str:
        """Give ``412 of 1,000 MB, 310 MB/s, 2 s left``, nothing before the first block."""
        if not self._done:
            return ""
        done, total = self._done / _MB, self._total / _MB
        return f"{done:,.0f} of {total:,.0f} MB, {self.rate / _MB:,.0f} MB/s, {self.seconds_left:,.0f} s left"
