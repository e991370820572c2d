"""An address space with real bytes: the device's HBM, and the host's heap.

Every access is checked against the region that owns the address. A wrong address therefore stops the run with a
sentence here, as the hardware's memory management does, instead of reading somebody else's bytes.
"""

from bisect import bisect_right, insort
from threading import RLock

import numpy as np
import numpy.typing as npt

from getrace.errors import InternalError

Bytes = npt.NDArray[np.uint8]


class AddressFaultError(InternalError):
    """An access outside of every region, or across the end of one."""


class AddressSpace:
    """Regions of bytes from ``base`` on. ``capacity`` bytes at most are in use; None means no limit.

    Bytes of a region come into being when they are first looked at: a region of 20 GiB costs nothing until then.
    Addresses only grow: one that was freed is never given again, so an access to it is always noticed. Threads may
    share a space; two that write the same bytes race, as on the hardware.
    """

    def __init__(self, base: int, *, align: int, capacity: int | None = None) -> None:
        self.base = base
        self.capacity = capacity
        self.used = 0
        self._align = align
        self._next = base
        self._starts: list[int] = []
        self._sizes: dict[int, int] = {}
        self._bytes: dict[int, Bytes] = {}
        self._lock = RLock()

    def malloc(self, size: int) -> int | None:
        """Give the address of ``size`` new bytes (zeroes), or None when the capacity does not hold them."""
        if size <= 0:
            raise InternalError(f"a region needs a positive size, not {size}")
        with self._lock:
            if self.capacity is not None and self.used + size > self.capacity:
                return None
            address = self.reserve(size)
            insort(self._starts, address)
            self._sizes[address] = size
            self.used += size
            return address

    def reserve(self, size: int) -> int:
        """Give an address that nobody else gets and that has no bytes: the pointer of an object of ``size`` bytes."""
        with self._lock:
            address = self._next
            self._next += -(-size // self._align) * self._align
            return address

    def free(self, address: int) -> None:
        """Give a region back. Raises AddressFaultError when ``address`` is not the start of one."""
        with self._lock:
            size = self._sizes.pop(address, None)
            if size is None:
                raise AddressFaultError(f"0x{address:x} is not the start of a region in use")
            del self._starts[bisect_right(self._starts, address) - 1]
            self._bytes.pop(address, None)
            self.used -= size

    def view(self, address: int, size: int) -> Bytes:
        """Give ``size`` bytes from ``address`` on as an array that shares memory with the space."""
        with self._lock:
            index = bisect_right(self._starts, address) - 1
            start = self._starts[index] if index >= 0 else -1
            if index < 0 or size < 0 or address + size > start + self._sizes[start]:
                raise AddressFaultError(f"{size} bytes at 0x{address:x} are not inside a region in use")
            data = self._bytes.get(start)
            if data is None:
                data = self._bytes[start] = np.zeros(self._sizes[start], np.uint8)
            return data[address - start : address - start + size]

    def write(self, address: int, data: bytes | Bytes) -> None:
        """Write bytes from ``address`` on."""
        source = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        self.view(address, source.size)[:] = source

    def read(self, address: int, size: int) -> bytes:
        """Give a copy of ``size`` bytes from ``address`` on."""
        return self.view(address, size).tobytes()
