"""Blocks of other streams that this stream may use again: the borrow pool (spec/execution.md 5.7, BorrowAllocator).

It finds the smallest block that is large enough, and all blocks of one birth stream when they go home. GE erases by
the size asked for and may leave an empty set behind that the next search reads (9.13); here a block leaves both orders
at once.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator

from runtime.memory.device_order import DeviceOrder
from runtime.memory.multi_block import MultiStreamMemBlock


class BorrowAllocator:
    """The borrow pool of one stream."""

    def __init__(self) -> None:
        self._by_size: list[tuple[int, int, MultiStreamMemBlock]] = []
        self._by_birth: dict[int, dict[MultiStreamMemBlock, None]] = {}

    def __len__(self) -> int:
        return len(self._by_size)

    def __iter__(self) -> Iterator[MultiStreamMemBlock]:
        return (block for _, _, block in self._by_size)

    def put(self, block: MultiStreamMemBlock) -> None:
        """Take a block in."""
        insort(self._by_size, (block.size, block.handle, block))
        self._by_birth.setdefault(block.birth, {})[block] = None

    def alloc(self, size: int, order: DeviceOrder) -> MultiStreamMemBlock | None:
        """Take out the smallest block of at least ``size`` bytes that the device has finished with, or give None."""
        first = bisect_left(self._by_size, (size, -1))
        for _, _, block in self._by_size[first:]:
            if block.is_done_for(order):
                self._remove(block)
                return block
        return None

    def take(self, birth: int) -> list[MultiStreamMemBlock]:
        """``GetAndClearBorrowBlocks``: take out all blocks that were born on a stream, the last one that came first."""
        blocks = list(reversed(self._by_birth.get(birth, {})))
        for block in blocks:
            self._remove(block)
        return blocks

    def take_all(self) -> list[MultiStreamMemBlock]:
        """Take out everything, birth stream by birth stream."""
        return [block for birth in sorted(self._by_birth) for block in self.take(birth)]

    def _remove(self, block: MultiStreamMemBlock) -> None:
        del self._by_size[bisect_left(self._by_size, (block.size, block.handle))]
        born = self._by_birth[block.birth]
        del born[block]
        if not born:
            del self._by_birth[block.birth]
