"""What stands below a scalable allocator: the driver, or the allocator of the level below.

``DeviceAllocator`` is GE's name for the counting shell around either; it prints the ``DeviceAllocator::`` lines. The
counts live here and not in the scalable allocator, which knows spans only.
"""

from dataclasses import dataclass
from typing import Protocol

from getrace.events import Level, Place
from getrace.events.pools import (
    DeviceAlloc,
    DeviceAllocFailed,
    DeviceFree,
    DriverFree,
    DriverMalloc,
    DriverMallocFailed,
    Level1Free,
    Level1Malloc,
)
from runtime.memory.journal import Journal
from runtime.memory.span import MemBlock

_OUT_OF_MEMORY = 207001
"""``ACL_ERROR_RT_MEMORY_ALLOCATION``."""

_FAILED = 0xFFFFFFFF
"""``FAILED`` of GE."""

_MODULE_ID = 45
"""GE's module number in ``MallocMemory`` lines (all of them in logs of dialect rt2-2026)."""

_PRINTED_FROM = 1024
"""``GE_PRINT_DYNAMIC_MEMORY`` stays silent up to this size (spec/execution.md 0.3)."""

_BLOCK_OBJECT = 0x60

_CALL_FAILED = ("aclrt_malloc_helper.cc", 106, "HandleDevice")
_POLICY = 4096
"""GE's policy of an allocation in all such lines of logs of dialect rt2-2026."""

_FROM_BELOW = Place("rts_caching_mem_allocator.h", 34, "Alloc")
"""Where the ``rtMalloc`` line stands; the driver's own line has the same words."""


class Driver(Protocol):
    """What memory needs of a device."""

    device_id: int

    @property
    def total_bytes(self) -> int:
        """Bytes of the device."""

    def malloc(self, size: int) -> int | None:
        """Give the address of new memory, or None."""

    def free(self, address: int) -> None:
        """Take memory back."""

    def pointer(self, size: int) -> int:
        """Give the host pointer of an object of ``size`` bytes."""


class Source(Protocol):
    """Gives blocks and takes them back."""

    def alloc(self, size: int) -> MemBlock | None:
        """Give a block of ``size`` bytes, or None."""

    def free(self, block: MemBlock) -> None:
        """Take a block back."""


@dataclass(slots=True)
class DriverBlock:
    """A block straight from the driver."""

    handle: int
    addr: int
    size: int


class DriverSource:
    """GE's ``RtMemAllocator``: each block is one ``aclrtMalloc``."""

    def __init__(self, driver: Driver, journal: Journal) -> None:
        self._driver = driver
        self._journal = journal

    def alloc(self, size: int) -> DriverBlock | None:
        """Give a block of the driver, or None when the device is full."""
        address = self._driver.malloc(size)
        device = self._driver.device_id
        if address is None:
            text = f"[Call][aclrtMallocWithCfg] failed, size: {size}, policy: {_POLICY}, ret: {_OUT_OF_MEMORY}"
            self._journal.error(_CALL_FAILED, text, _FAILED)
            self._journal.say(DriverMallocFailed(_OUT_OF_MEMORY, device, size), level=Level.ERROR)
            return None
        self._journal.say(DriverMalloc("aclrtMalloc", size, "page caching", address, device, _MODULE_ID))
        return DriverBlock(self._driver.pointer(_BLOCK_OBJECT), address, size)

    def free(self, block: MemBlock) -> None:
        """Give a block back to the driver."""
        self._journal.say(DriverFree(self._driver.device_id, block.size, block.addr))
        self._driver.free(block.addr)


class Pool(Protocol):
    """The allocator of the level below."""

    def malloc(self, size: int) -> MemBlock | None:
        """Give a block of at least ``size`` bytes, or None."""

    def free(self, block: MemBlock) -> None:
        """Take a block back."""


class Level1Source:
    """GE's ``RtsFirstLevelPool``: blocks come from the process-wide allocator of the level below."""

    def __init__(self, pool: Pool, journal: Journal, purpose: str = "rt2 memory pool") -> None:
        self._pool = pool
        self._journal = journal
        self._purpose = purpose

    def alloc(self, size: int) -> MemBlock | None:
        """Give a block of the level below, or None; the lines come after it, as in GE, the first for a block only."""
        block = self._pool.malloc(size)
        if block is not None and size > _PRINTED_FROM:
            self._journal.say(DriverMalloc("rtMalloc", size, self._purpose), place=_FROM_BELOW)
        self._journal.say(Level1Malloc(block.handle if block else 0, size))
        return block

    def free(self, block: MemBlock) -> None:
        """Give a block back to the level below."""
        self._journal.say(Level1Free(block.handle, block.size))
        self._pool.free(block)


class DeviceAllocator:
    """Counts what a source was asked for and took back; ``occupied`` is in bytes, ``allocs`` has failures in it."""

    def __init__(self, source: Source, device_id: int, journal: Journal) -> None:
        self.occupied = 0
        self.allocs = 0
        self.frees = 0
        self.device_id = device_id
        self._source = source
        self._journal = journal

    def alloc(self, size: int) -> MemBlock | None:
        """Give a block of ``size`` bytes, or None."""
        self.allocs += 1
        block = self._source.alloc(size)
        if block is None:
            self._journal.say(DeviceAllocFailed(self.device_id, size), level=Level.ERROR)
            return None
        self.occupied += size
        self._journal.say(DeviceAlloc(self.device_id, size, block=block.handle))
        return block

    def free(self, block: MemBlock) -> None:
        """Give a block back."""
        handle, size = block.handle, block.size
        self._source.free(block)
        self.occupied -= size
        self.frees += 1
        self._journal.say(DeviceFree(self.device_id, size, block=handle))
