"""The part of time that a timeline shows: zoomed around a moment, moved, never beyond its ends."""

from typing import NamedTuple

SHORTEST = 1_000
"""Nanoseconds: a plog's times have microseconds, and below that nothing new is seen."""
_FACTOR = 4
_MOVE = 4


class Window(NamedTuple):
    """A span of time in nanoseconds, ``end`` behind ``start``."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """How long it is."""
        return self.end - self.start

    def holds(self, time_ns: int) -> bool:
        """Say whether a moment is in sight."""
        return self.start <= time_ns <= self.end

    def zoomed(self, around: int, whole: "Window", *, closer: bool) -> "Window":
        """Give a quarter of the span, or four times it; the moment ``around`` stays where it is, if it is in sight."""
        if not self.holds(around):
            around = self.start + self.length // 2
        length = max(self.length // _FACTOR, SHORTEST) if closer else self.length * _FACTOR
        before = (around - self.start) * length // max(self.length, 1)
        return Window(around - before, around - before + length).inside(whole)

    def moved(self, direction: int, whole: "Window") -> "Window":
        """Give the span a quarter of its length later (1) or earlier (-1)."""
        step = direction * max(self.length // _MOVE, 1)
        return Window(self.start + step, self.end + step).inside(whole)

    def centred(self, time_ns: int, whole: "Window") -> "Window":
        """Give the span with a moment in its middle."""
        return Window(time_ns - self.length // 2, time_ns - self.length // 2 + self.length).inside(whole)

    def inside(self, whole: "Window") -> "Window":
        """Give the span moved into ``whole`` and cut to it; never shorter than ``SHORTEST``."""
        length = min(max(self.length, SHORTEST), max(whole.length, SHORTEST))
        start = max(min(self.start, whole.end - length), whole.start)
        return Window(start, start + length)

    def cell(self, time_ns: int, width: int) -> int:
        """Give the cell of a moment on an axis of ``width`` cells, -1 when it is out of sight."""
        if not self.holds(time_ns):
            return -1
        return min((time_ns - self.start) * width // max(self.length, 1), width - 1)


def around(start: int, end: int, whole: Window) -> Window:
    """Give a span that shows two moments with some room at both sides."""
    first, last = min(start, end), max(start, end)
    room = max((last - first) // 4, SHORTEST)
    return Window(first - room, last + room).inside(whole)
