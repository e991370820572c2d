"""What happens before what on the streams: a vector clock for each stream, and one for the host.

A stream does its work in the order in which it was given. A wait makes it know what the sender knew at the send. The
host knows a stream's work after a synchronise, and what it submits later comes after all that it knows. Nothing else
orders two streams: that one line stands before another says when the host spoke, not when the device worked.
"""

from typing import NamedTuple

Clock = dict[int, int]
"""The newest tick known of each stream. Of most streams nothing is known: a place for each would cost their square."""


class Moment(NamedTuple):
    """A piece of work: the number of its stream, its place in that stream from 1, and the row that tells of it."""

    queue: int
    tick: int
    row: int


class Clocks:
    """The clocks of ``count`` streams while a log is walked from its first row to its last."""

    def __init__(self, count: int) -> None:
        self._clocks: list[Clock] = [{} for _ in range(count)]
        self._host: Clock = {}
        self._sent: dict[tuple[int, int, int], Clock] = {}

    def work(self, queue: int, row: int) -> Moment:
        """Put a piece of work on a stream: it comes after all that the stream and the host know."""
        clock = self._clocks[queue]
        _join(clock, self._host)
        clock[queue] = clock.get(queue, 0) + 1
        return Moment(queue, clock[queue], row)

    def send(self, queue: int, key: tuple[int, int, int], row: int) -> None:
        """Record an event on a stream: whoever waits for it knows all that the stream knows now."""
        self.work(queue, row)
        self._sent[key] = dict(self._clocks[queue])

    def wait(self, queue: int, key: tuple[int, int, int], row: int) -> None:
        """Make a stream wait for an event; one that was never recorded lets it pass."""
        self.work(queue, row)
        _join(self._clocks[queue], self._sent.get(key, {}))

    def synchronise(self, queue: int) -> None:
        """Let the host wait until a stream has done all it was given."""
        _join(self._host, self._clocks[queue])

    def before(self, moment: Moment, queue: int) -> bool:
        """Say whether a moment is over for sure when the newest work of a stream begins."""
        return self._clocks[queue].get(moment.queue, 0) >= moment.tick


def _join(clock: Clock, other: Clock) -> None:
    for place, tick in other.items():
        if tick > clock.get(place, 0):
            clock[place] = tick
