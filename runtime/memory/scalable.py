"""The scalable allocator: layers of spans of pages over whatever gives blocks (spec/execution.md 5.3).

Theory of operation. A request is rounded up to pages. The layer of exactly that many pages is asked first, the last
freed span first. Otherwise the smallest larger idle span is cut: its right part is given out, its left part stays
idle. Otherwise a block comes from below. A freed span joins its idle neighbours and waits in its layer; nothing goes
back below until ``recycle`` or ``finalize``. The lines of a usual request are made only when somebody hears them: to
make them costs as much as all the rest.
"""

from collections.abc import Callable

from getrace.events import Level, Place
from getrace.events.pools import (
    AllocatorMade,
    MemoryPressure,
    PoolRecycled,
    SpanAlloc,
    SpanEvent,
    SpanFree,
    SpanTry,
    ThresholdExceeded,
)
from runtime.memory.config import ScalableConfig
from runtime.memory.details import details
from runtime.memory.journal import Journal
from runtime.memory.lower import DeviceAllocator, Source
from runtime.memory.span import PAGE, PAGE_BITS, MemBlock, PageSpan
from runtime.memory.tally import Tally

_SPAN_OBJECT = 0xA0

_CHUNK = Place("rts_caching_mem_allocator.cc", 52, "FetchNewSpan")
"""Where it is said that a whole chunk would pass the threshold; for a span of pages the same words stand elsewhere."""

_LEAK = Place("scalable_allocator.cc", 63, "Finalize")
"""Where each leaked span is named, in the words of their number."""
_UNSIGNED = (1 << 64) - 1


class ScalableAllocator:
    """An allocator named ``name`` over ``source``; ``chunk`` is the least it takes from below at a time.

    A source that counts by itself is a DeviceAllocator.
    """

    def __init__(
        self,
        name: str,
        source: Source | DeviceAllocator,
        config: ScalableConfig,
        journal: Journal,
        *,
        device_id: int,
        pointer: Callable[[int], int],
        chunk: int = PAGE,
    ) -> None:
        self.name = name
        below = source if isinstance(source, DeviceAllocator) else DeviceAllocator(source, device_id, journal)
        self.tally = Tally(name, config, below)
        self._config = config
        self._journal = journal
        self._device_id = device_id
        self._pointer = pointer
        self._chunk = chunk
        self._spare_handles: list[int] = []

    def alloc(self, size: int) -> PageSpan | None:
        """Give a span of at least ``size`` bytes (0 counts as one page), or None when there is no memory.

        A size below 0 is the large number that it is in GE's unsigned bits.
        """
        if not 0 <= size <= self._config.threshold:
            text = f"{size & _UNSIGNED} > mem_size_total_threshold:{self._config.threshold}"
            self._journal.say(MemoryPressure("[ScalableAllocator]: size:", text, self.name), level=Level.ERROR)
            return None
        pages = max(1, (size + PAGE - 1) >> PAGE_BITS)
        if pages >= self._config.layers:
            return None
        fetches = self.tally.device.allocs
        span = self.tally.idle.pop(pages) or self._cut(pages, size) or self._fetch(pages)
        if span is None:
            return None
        self._give(span, size, is_fresh=self.tally.device.allocs > fetches)
        return span

    def free(self, span: PageSpan) -> None:
        """Take a span back, join it with idle neighbours and keep it."""
        self.tally.gave_back(span)
        size, addr = span.size, span.addr
        span.count = 0
        self.tally.idle.push(self._joined(span))
        if self._journal.bus.traces:
            tally = self.tally
            self._journal.say(SpanFree(self._device_id, size, addr, tally.theory, tally.theory_min, self.name))

    def recycle(self) -> None:
        """Give every idle span that was never cut, or is whole again, back to the level below."""
        self.tally.recycles += 1
        whole = [span for span in self.tally.idle if not span.is_split]
        self._journal.say(PoolRecycled(len(self.tally.idle.layers()), 0, self.name))
        for span in whole:
            self._release(span)
        self.print_details()

    def finalize(self, graph: str = "", *, says_statistics: bool = False) -> bool:
        """Give everything back. With spans still in use nothing is given back, they are named, and it gives False.

        With ``says_statistics`` the statistics block comes first, and for a named graph the most it ever held.
        """
        if self.tally.occupied:
            self._warn_of_leaks()
            return False
        if says_statistics:
            self.print_details()
            if graph:
                text = f"{graph}, max_alloc_dev_mem={self.tally.device_max} B, device_id={self._device_id}"
                self._journal.say(AllocatorMade("model_metrics:name=", text), level=Level.EVENT)
        for span in list(self.tally.idle):
            self._release(span)
        return True

    def convert_to_root(self, span: PageSpan) -> MemBlock | None:
        """``ConvertToRootBlock``: dissolve a whole span and hand over the block below it. None for a part of one.

        The block still counts as held and in use, as in GE: so a pool that hands much over comes to its limit, gives
        its idle pages back and asks again, once for each request.
        """
        if span.is_split:
            return None
        assert span.lower is not None
        self.tally.handed_over(span)
        self._spare_handles.append(span.handle)
        return span.lower

    def print_details(self) -> None:
        """Print the statistics block, unless nothing is held from below."""
        if self.tally.reserved and self._journal.bus.admits("GE", Level.INFO):
            for event in details(self.tally):
                self._journal.say(event)

    def _give(self, span: PageSpan, size: int, *, is_fresh: bool) -> None:
        span.count = 1
        span.asked = size
        self.tally.took(span)
        is_heard = self._journal.bus.traces
        if is_heard:
            self._journal.say(SpanTry(1, size, span.size, self.name))
        if is_fresh and self.tally.new_maximum():
            self.print_details()
        if is_heard:
            self._journal.say(SpanAlloc(self._device_id, size, span.size, span.addr, span.handle, self.name))

    def _cut(self, pages: int, size: int) -> PageSpan | None:
        layer = self.tally.idle.larger(pages)
        if layer is None:
            return None
        span = self.tally.idle.pop(layer)
        assert span is not None
        if not span.may_split(pages):
            self.tally.idle.push(span)
            text = f"{self._device_id} size:{size} allocate_size:{pages << PAGE_BITS}."
            self._journal.say(SpanEvent("Delay split block device_id:", text, self.name))
            return None
        return self._split(span, pages)

    def _split(self, span: PageSpan, pages: int) -> PageSpan:
        right = span.split(pages, self._handle())
        self.tally.idle.push(span)
        return right

    def _fetch(self, pages: int) -> PageSpan | None:
        wanted = max(pages << PAGE_BITS, self._chunk)
        occupied = self.tally.reserved
        if occupied > self._config.threshold - wanted:
            event = ThresholdExceeded(occupied, wanted, self._config.threshold, self.name)
            self._journal.say(event, place=_CHUNK if wanted > pages << PAGE_BITS else None)
            if self.tally.idle.layers():
                return None
        block = self.tally.device.alloc(wanted)
        if block is None:
            return None
        span = PageSpan(self._handle(), block.addr, block.size >> PAGE_BITS, block)
        return span if span.pages == pages else self._split(span, pages)

    def _joined(self, span: PageSpan) -> PageSpan:
        after = span.next
        if after is not None and after.idle:
            self.tally.idle.remove(after)
            self._spare_handles.append(span.absorb_next().handle)
        before = span.prev
        if before is not None and before.idle:
            self.tally.idle.remove(before)
            self._spare_handles.append(before.absorb_next().handle)
            return before
        if not span.is_split:
            span.tried = 0
        return span

    def _release(self, span: PageSpan) -> None:
        assert span.lower is not None
        self.tally.idle.remove(span)
        self._spare_handles.append(span.handle)
        self.tally.device.free(span.lower)

    def _warn_of_leaks(self) -> None:
        what = "[ScalableAllocator]: memory leaks, occupied spans = "
        self._journal.say(MemoryPressure(what, str(len(self.tally.occupied)), self.name), level=Level.WARNING)
        for span in self.tally.occupied:
            leak = MemoryPressure(what, f"0x{span.handle:x}", self.name)
            self._journal.say(leak, level=Level.WARNING, place=_LEAK)

    def _handle(self) -> int:
        return self._spare_handles.pop() if self._spare_handles else self._pointer(_SPAN_OBJECT)
