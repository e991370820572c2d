"""Streams, events and notifies of one owner (spec/execution.md 6.1, 1.6).

The vectors only grow. Place 0 of the streams is the caller's and is never destroyed here; a second owner of that rule
would destroy it.
"""

from runtime.device.device import Device

_MAX_STREAMS = 2024


class StreamAllocator:
    """``StreamAllocator``: creates what is asked for beyond place 0."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._handles: list[int] = [0]

    def acquire(self, count: int) -> list[int] | None:
        """Give at least ``count`` streams, or None at 2024 and more."""
        if count >= _MAX_STREAMS:
            return None
        while len(self._handles) < count:
            self._handles.append(self._device.create_stream().handle)
        return self._handles

    def close(self) -> None:
        """Destroy the streams that were created here."""
        for handle in self._handles[1:]:
            self._device.destroy_stream(self._device.stream(handle))
        del self._handles[1:]


class NoneAllocator:
    """Events and notifies on a device that has none: gives an empty vector, and None when some are asked for."""

    def acquire(self, count: int) -> list[int] | None:
        """Give as many handles as there are: none."""
        return [] if count == 0 else None

    def close(self) -> None:
        """End nothing: there are none."""


class Resources:
    """The three allocators of one owner, an executor or a session. They end together, streams before events."""

    def __init__(self, device: Device) -> None:
        self.streams = StreamAllocator(device)
        self.events = NoneAllocator()
        self.notifies = NoneAllocator()

    def close(self) -> None:
        """Destroy streams, events and notifies, in this order."""
        self.streams.close()
        self.events.close()
        self.notifies.close()
