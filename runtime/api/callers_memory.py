"""The memory of a caller that brings an allocator of its own (``--external-allocator``).

It is as simple as the rules allow: a block that comes back waits for a request of its size, and none goes back to the
driver before the end, because the stream may still work on it (seed 000 ``6.2``). Its numbers are the caller's; the
allocators of the runtime know nothing of them.
"""

from collections import defaultdict

from runtime.device.device import Device
from runtime.memory.external import AllocatorDesc

_GRAIN = 512


class CallersMemory:
    """Device memory by the block. ``used`` and ``peak`` are bytes that a model holds and held at most."""

    def __init__(self, device: Device) -> None:
        self.used = 0
        self.peak = 0
        self._device = device
        self._sizes: dict[int, int] = {}
        self._idle: dict[int, list[int]] = defaultdict(list)

    def describe(self) -> AllocatorDesc:
        """Give the functions that ``CreateExternalAllocator`` wraps; a block is its address."""
        return AllocatorDesc(None, self._alloc, self._free, int)

    def _alloc(self, _owner: object, size: int) -> int | None:
        size = -(-max(size, 1) // _GRAIN) * _GRAIN
        idle = self._idle[size]
        address = idle.pop() if idle else self._device.malloc(size)
        if address is not None:
            self._sizes[address] = size
            self.used += size
            self.peak = max(self.peak, self.used)
        return address

    def _free(self, _owner: object, address: int) -> None:
        size = self._sizes[address]
        self._idle[size].append(address)
        self.used -= size

    def close(self) -> None:
        """Give back to the driver what no model holds."""
        for blocks in self._idle.values():
            for address in blocks:
                self._device.free(address)
        self._idle.clear()
