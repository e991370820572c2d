"""Spans of a pool that several owners may hold: the last one gives the span back.

It owns the count. Three allocators hand spans out; if each counted by itself, one of them would sooner or later give a
span back that another owner still reads.
"""

from runtime.memory.scalable import ScalableAllocator
from runtime.memory.span import MemBlock, PageSpan


class CountedSpans:
    """What an allocator whose blocks are spans of its ``pool`` does with their owners.

    ``closing`` says that the allocator is not used any more: the pool's pages go back with the last block, for an
    output may outlive its executor (spec/execution.md 5.2).
    """

    pool: ScalableAllocator
    closing = False

    def share(self, block: MemBlock) -> None:
        """Add an owner to a block."""
        assert isinstance(block, PageSpan)
        block.count += 1

    def free(self, block: MemBlock) -> None:
        """Take one owner off a block; without owners it is idle in the pool, and of a closed pool it leaves."""
        assert isinstance(block, PageSpan)
        block.count -= 1
        if block.count == 0:
            self.pool.free(block)
            if self.closing and not self.pool.tally.occupied:
                self.pool.finalize()
