"""Streams, events and notifies of one owner (spec/execution.md 6.1, 1.6).

The vectors only grow. Place 0 of the streams is the caller's and is never destroyed here; a second owner of that rule
would destroy it.
"""

from collections.abc import Callable
from typing import Final

from runtime.device.device import Device
from runtime.device.errors import ApiError

MAX_STREAMS: Final = 2024
MAX_EVENTS: Final = 4096
MAX_NOTIFIES: Final = 1024
"""GE's constants; its EventAllocator does not look at its own and would write past the end (spec/execution.md 9.38)."""


class _Vector:
    """Handles that are created on demand and destroyed together."""

    def __init__(self, create: Callable[[], int], destroy: Callable[[int], None], limit: int, own: int = 0) -> None:
        self._create = create
        self._destroy = destroy
        self._limit = limit
        self._first = own
        self._handles: list[int] = [0] * own

    def acquire(self, count: int) -> list[int] | None:
        """Give at least ``count`` handles, or None at the limit and when the device gives no more.

        What was created before a failure stays and is given next time.
        """
        if count > self._limit:
            return None
        try:
            while len(self._handles) < count:
                self._handles.append(self._create())
        except ApiError:
            return None
        return self._handles

    def close(self) -> None:
        """Destroy what was created here."""
        for handle in self._handles[self._first :]:
            self._destroy(handle)
        del self._handles[self._first :]


class StreamAllocator(_Vector):
    """``StreamAllocator``: creates what is asked for beyond place 0. 2024 streams are too many already."""

    def __init__(self, device: Device) -> None:
        super().__init__(
            lambda: device.create_stream().handle,
            lambda handle: device.destroy_stream(device.stream(handle)),
            MAX_STREAMS - 1,
            own=1,
        )


class EventAllocator(_Vector):
    """``EventAllocator``."""

    def __init__(self, device: Device) -> None:
        super().__init__(device.create_event, device.destroy_event, MAX_EVENTS)


class NotifyAllocator(_Vector):
    """``NotifyAllocator``: 1024 notifies are too many already."""

    def __init__(self, device: Device) -> None:
        super().__init__(device.create_notify, device.destroy_notify, MAX_NOTIFIES - 1)


class Resources:
    """The three allocators of one owner, an executor or a session. They end together, streams before events."""

    def __init__(self, device: Device) -> None:
        self.streams = StreamAllocator(device)
        self.events = EventAllocator(device)
        self.notifies = NotifyAllocator(device)

    def close(self) -> None:
        """Destroy streams, events and notifies, in this order."""
        self.streams.close()
        self.events.close()
        self.notifies.close()
