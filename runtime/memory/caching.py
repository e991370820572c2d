"""Level 1: the caching allocator of one executor (spec/execution.md 5.4).

Out of memory is a sequence of steps here: synchronise, give idle spans back, try again, then the same for the other
allocators of the thread. A level that did only a part of it would fail where the real one succeeds.
"""

from collections.abc import Callable, Iterator

from getrace.events import Level
from getrace.events.pools import AllocatorMade, AllocRequest, MemoryPressure
from runtime.memory.counted_spans import CountedSpans
from runtime.memory.journal import pointer_text
from runtime.memory.lower import Level1Source
from runtime.memory.process import MEMORY_HBM, ProcessMemory
from runtime.memory.scalable import ScalableAllocator
from runtime.memory.span import PageSpan

_ALLOCATOR_OBJECT = 0x4B0


class CachingMemAllocator(CountedSpans):
    """A scalable allocator over level 0, bound to a stream. ``synchronize`` waits for a stream and gives its status."""

    def __init__(
        self,
        process: ProcessMemory,
        synchronize: Callable[[int], int],
        peers: "list[CachingMemAllocator]",
        memory_type: int = MEMORY_HBM,
    ) -> None:
        level0 = process.level0(memory_type)
        self.handle = process.driver.pointer(_ALLOCATOR_OBJECT)
        self.stream = 0
        self._journal = process.journal
        self._process = process
        self._synchronize = synchronize
        self._peers = peers
        self.pool = ScalableAllocator(
            process.name("allocator"),
            Level1Source(level0, process.journal),
            process.config,
            process.journal,
            device_id=process.driver.device_id,
            pointer=process.driver.pointer,
        )
        self._journal.say(AllocatorMade("create caching memory allocator, ", f"[{self.pool.name}]"))
        peers.append(self)

    @property
    def name(self) -> str:
        """Its name among the allocators of the process."""
        return self.pool.name

    def set_stream(self, stream: int) -> None:
        """Bind the stream that is synchronised when memory runs out; SelectL1Allocator does it on every run."""
        self.stream = stream

    def malloc(self, size: int) -> PageSpan | None:
        """Give a span, or None when all the steps against a full device did not help."""
        if self._journal.bus.traces:
            self._journal.say(AllocRequest(size))
        span = self.pool.alloc(size)
        if span is not None:
            return span
        what = (
            "Failed to apply for memory. We will try to free memory from memory pool, "
            "the above or this error log can be ignored. Try to free cached memory..."
        )
        self._journal.say(MemoryPressure(what, "", self.pool.name), level=Level.ERROR)
        self.pool.print_details()
        self._journal.say(MemoryPressure("will synchronize on stream ", pointer_text(self.stream)))
        return next(self._retries(size), None)

    def close(self) -> bool:
        """Give everything back to level 0. False, with the leaks named, when blocks are still in use.

        An output may outlive its executor (spec/execution.md 5.2); the pages then go back with the last block.
        """
        self._peers.remove(self)
        self.closing = True
        return self.pool.finalize()

    def _retries(self, size: int) -> Iterator[PageSpan]:
        if not self._process.wait_for_launches() or self._synchronize(self.stream) != 0:
            return
        self.pool.recycle()
        span = self.pool.alloc(size)
        if span is not None:
            yield span
        what = "addr is nullptr, try to free other allocator memory and malloc again"
        self._journal.say(MemoryPressure(what, ""))
        for peer in self._peers:
            if peer is not self and self._synchronize(peer.stream) == 0:
                peer.pool.recycle()
                span = self.pool.alloc(size)
                if span is not None:
                    yield span


def allocator_of_current_device(
    process: ProcessMemory,
    synchronize: Callable[[int], int],
    peers: list[CachingMemAllocator],
    get_device: Callable[[], int],
) -> CachingMemAllocator | None:
    """``CachingMemAllocator::GetAllocator()``: ``get_device`` gives 0, or why there is no device."""
    code = get_device()
    if code != 0:
        event = MemoryPressure("[Get][aclrtGetDevice] Failed, ", f"result:{code}.")
        process.journal.say(event, level=Level.ERROR)
        return None
    return CachingMemAllocator(process, synchronize, peers)
