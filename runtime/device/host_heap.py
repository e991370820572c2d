"""The heap of the host program, as memory allocators want to see it.

The device owns the host's address space, because one seed decides all addresses; this gives that space the shape of a
driver, so that a host allocator need not know that it runs beside a device.
"""

from runtime.device.device import Device


class HostHeap:
    """``new`` and ``delete[]`` of the host program."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self.device_id = device.device_id

    @property
    def total_bytes(self) -> int:
        """The heap has no limit of its own; 0 says so."""
        return 0

    def pointer(self, size: int) -> int:
        """Give the pointer of an object of ``size`` bytes."""
        return self._device.pointer(size)

    def malloc(self, size: int) -> int | None:
        """Give the address of ``size`` new bytes."""
        return self._device.host.malloc(size)

    def free(self, address: int) -> None:
        """Give bytes back."""
        self._device.host.free(address)
