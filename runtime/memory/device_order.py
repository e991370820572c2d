"""What of the other streams' work has been done by the time a stream gets to its next task.

The allocators decide by what the host knows (``Mif``), and there GE reads too much into an event: it takes what the
sender knows when the event is waited for, not what it knew when the event was sent. The device obeys the events alone.
This is their order, and memory is handed out by it: a block that GE's rule gives back too early is said to be
recycled, as in GE's log, but its bytes rest until the device has really come that far.
"""

Moments = tuple[int, ...]
"""For each stream, how many of its events lie before."""


class DeviceOrder:
    """The order of one stream among ``streams``."""

    __slots__ = ("_seen", "stream")

    def __init__(self, stream: int, streams: int) -> None:
        self.stream = stream
        self._seen = [0] * streams

    @property
    def now(self) -> int:
        """The moment of this stream: how many events it has sent."""
        return self._seen[self.stream]

    def sent(self) -> Moments:
        """An event is recorded on the stream: give what it stands for."""
        self._seen[self.stream] += 1
        return tuple(self._seen)

    def waited(self, moments: Moments) -> None:
        """The stream waits for an event: all it stands for lies before whatever comes now."""
        self._seen = [max(mine, its) for mine, its in zip(self._seen, moments, strict=True)]

    def covers(self, stream: int, moment: int) -> bool:
        """Whether what ``stream`` did at a moment of its own lies before this stream's next task."""
        return stream == self.stream or self._seen[stream] > moment
