"""The memory pool of one stream over level 1, and what it does when memory runs out (spec/execution.md 5.8).

The pool grows by exactly the pages of a request it cannot serve and gives pages back when it is told to, in front of
others that want them. Both are said as ``Expand`` and ``Shrink``, the only lines of level 2 without ``[KernelTrace]``.
"""

from collections.abc import Callable, Sequence
from typing import Final

from getrace.errors import InternalError
from getrace.events import Level
from getrace.events.pools import AllocatorMade, MemoryPressure, PoolExpand, PoolShrink
from runtime.memory.counted_spans import CountedSpans
from runtime.memory.journal import pointer_text
from runtime.memory.l2 import Level1
from runtime.memory.process import ProcessMemory
from runtime.memory.scalable import ScalableAllocator
from runtime.memory.span import MemBlock, PageSpan

_NO_DEVICE: Final = 0xFFFFFFFF
"""A pool knows no device; all its lines print this number."""


class MultiStreamL1Source:
    """``MultiStreamL1Allocator``: level 1 as the pool of one stream sees it. ``level1`` is bound before each run."""

    def __init__(self, process: ProcessMemory) -> None:
        self.level1: Level1 | None = None
        self.rt_stream = 0
        self.pools: Sequence[L2MemPool] = ()
        self._process = process
        self._journal = process.journal

    def alloc(self, size: int) -> MemBlock | None:
        """Give a block of level 1, after the pools of all streams have given theirs back if need be."""
        level1 = self.bound
        block = level1.malloc(size) or self._from_other_pools(level1, size)
        if block is None:
            multi = int(self._process.multi_thread)
            text = f"{pointer_text(self.rt_stream)}, size {size}, is enable rt2 multi thread: {multi}"
            event = MemoryPressure("Failed to expand memory for l2 allocator, stream ", text)
            self._journal.say(event, level=Level.ERROR)
            return None
        self._journal.say(PoolExpand(self.rt_stream, block.addr, block.size, block.handle, level1.handle))
        return block

    def free(self, block: MemBlock) -> None:
        """Give a block back to level 1."""
        self._journal.say(PoolShrink(self.rt_stream, block.addr, block.handle))
        self.bound.free(block)

    @property
    def bound(self) -> Level1:
        """The level 1 of this run. Raises InternalError before there is one."""
        if self.level1 is None:
            raise InternalError("the level-2 allocator was used before its level-1 allocator was set")
        return self.level1

    def _from_other_pools(self, level1: Level1, size: int) -> MemBlock | None:
        if not self.pools or self._process.multi_thread:
            return None
        self._journal.say(MemoryPressure("malloc memory not success, try to free l2 mem pool and malloc again", ""))
        for pool in self.pools:
            if pool.give_back():
                block = level1.malloc(size)
                if block is not None:
                    return block
        return None


class L2MemPool(CountedSpans):
    """``L2MemPool``. ``synchronize`` waits for a stream of the runtime and gives its status."""

    def __init__(self, process: ProcessMemory, synchronize: Callable[[int], int]) -> None:
        self.source = MultiStreamL1Source(process)
        self._journal = process.journal
        self._process = process
        self._synchronize = synchronize
        self.pool = ScalableAllocator(
            process.name("allocator"),
            self.source,
            process.config,
            process.journal,
            device_id=_NO_DEVICE,
            pointer=process.driver.pointer,
        )
        self._journal.say(AllocatorMade("create l2 allocator:", f"[{self.pool.name}]"))

    def bind(self, level1: Level1, rt_stream: int) -> None:
        """Set the level 1 and the stream of the coming run."""
        self.source.level1 = level1
        self.source.rt_stream = rt_stream
        self._journal.say(AllocatorMade("set l1 allocator ", f"[{level1.name}] for l2 allocator [{self.pool.name}]"))

    def malloc(self, size: int) -> PageSpan | None:
        """Give a span; when there is none, wait for the stream, give idle pages back and try once more."""
        span = self.pool.alloc(size)
        if span is not None:
            return span
        event = MemoryPressure("L2 allocator failed", pointer_text(self.source.rt_stream))
        self._journal.say(event, level=Level.ERROR)
        return self.pool.alloc(size) if self.give_back() else None

    def close(self) -> None:
        """Give all pages to level 1; those of a block that a caller's tensor still owns follow with that block."""
        self.closing = True
        if not self.pool.tally.occupied:
            self.pool.finalize()

    def give_back(self) -> bool:
        """Wait for the stream, then give idle pages to level 1: in the other order they could still be in use.

        False when the stream does not end well; nothing is given back then.
        """
        if not self._process.wait_for_launches() or self._synchronize(self.source.rt_stream) != 0:
            return False
        self.pool.recycle()
        return True
