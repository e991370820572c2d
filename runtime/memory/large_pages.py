"""Memory in physical pages of 8 MiB behind one address range (spec/execution.md 5.3, Expandable VA mode).

A block takes as many whole physical pages as it needs and keeps them when it is freed; Recycle gives them back. The
addresses of a block are those of its first page: pages are not mapped anew to join holes, which GE does as a last
resort before it recycles.
"""

from typing import Final

from getrace.events.pools import ExpandableMemory
from runtime.memory.counted_spans import CountedSpans
from runtime.memory.lower import Driver, DriverBlock
from runtime.memory.process import ProcessMemory
from runtime.memory.scalable import ScalableAllocator
from runtime.memory.span import MemBlock, PageSpan

LARGE_PAGE: Final = 8 << 20
"""``kLargePageSize``."""

_ALLOCATOR_OBJECT = 0x5A0
_BLOCK_OBJECT = 0x60


class LargePageSource:
    """Physical memory: each block is a whole number of large pages. ``physical`` is what is mapped, in bytes."""

    def __init__(self, process: ProcessMemory) -> None:
        self.physical = 0
        self._driver: Driver = process.driver
        self._journal = process.journal

    def alloc(self, size: int) -> DriverBlock | None:
        """Give mapped memory of at least ``size`` bytes, or None."""
        whole = -(-size // LARGE_PAGE) * LARGE_PAGE
        address = self._driver.malloc(whole)
        if address is None:
            return None
        self.physical += whole
        text = f"0x{address:x} virtual_memory_size:{size} success, total physical_memory_size:{self.physical}."
        self._journal.say(ExpandableMemory("virtual_memory_addr:", text))
        return DriverBlock(self._driver.pointer(_BLOCK_OBJECT), address, size)

    def free(self, block: MemBlock) -> None:
        """Give the pages of a block back."""
        self.physical -= -(-block.size // LARGE_PAGE) * LARGE_PAGE
        self._driver.free(block.addr)


class FixedBaseExpandableAllocator(CountedSpans):
    """``FixedBaseExpandableAllocator``: one for each session, device and place, whose memory its models share.

    A model that asks again for as much as before gets the address it had: compiled addresses stay right.
    """

    def __init__(self, process: ProcessMemory) -> None:
        self.handle = process.driver.pointer(_ALLOCATOR_OBJECT)
        self.stream = 0
        self.source = LargePageSource(process)
        self.pool = ScalableAllocator(
            process.name("allocator"),
            self.source,
            process.config,
            process.journal,
            device_id=process.driver.device_id,
            pointer=process.driver.pointer,
        )
        process.beside.append(self.pool)

    @property
    def name(self) -> str:
        """Its name among the allocators of the process."""
        return self.pool.name

    def set_stream(self, stream: int) -> None:
        """Remember the stream."""
        self.stream = stream

    def malloc(self, size: int) -> PageSpan | None:
        """Give a span, after idle pages have been given back if need be; None when there is no memory."""
        span = self.pool.alloc(size)
        if span is None:
            self.pool.recycle()
            span = self.pool.alloc(size)
        return span
