"""Spans: runs of 64 KiB pages, and the layers in which idle ones wait (spec/execution.md 5.3, Structures).

A span is cut and joined with its neighbours only; the links between neighbours live here and nowhere else, because
every other place that touched them would have to know all the rules about them.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Protocol

PAGE_BITS = 16
PAGE = 1 << PAGE_BITS
"""``page_idem_num`` 16: a page has 64 KiB."""

_TRY_SPLIT_SHARE = 100
"""A whole span is cut once the requests for it add up to more than a hundredth of it."""


class MemBlock(Protocol):
    """``ge::MemBlock``: an address with a size and a pointer of its own."""

    @property
    def handle(self) -> int:
        """The pointer of the block object."""

    @property
    def addr(self) -> int:
        """Where its bytes begin."""

    @property
    def size(self) -> int:
        """Its bytes."""


class PageSpan:
    """A run of pages. ``lower`` is the block of the level below and is held by the first span of a run only."""

    __slots__ = ("addr", "asked", "count", "handle", "idle", "lower", "next", "pages", "prev", "tried")

    def __init__(self, handle: int, addr: int, pages: int, lower: MemBlock | None = None) -> None:
        self.handle = handle
        self.addr = addr
        self.pages = pages
        self.lower = lower
        self.asked = 0
        self.count = 0
        self.tried = 0
        self.idle = False
        self.prev: PageSpan | None = None
        self.next: PageSpan | None = None

    @property
    def size(self) -> int:
        """Bytes of the span."""
        return self.pages << PAGE_BITS

    @property
    def is_split(self) -> bool:
        """Whether the span has a neighbour from the same block of the level below."""
        return self.prev is not None or self.next is not None

    def may_split(self, pages: int) -> bool:
        """Say whether ``pages`` may be cut off; a refused request is remembered and counts towards the next."""
        if self.is_split:
            return True
        self.tried += pages
        return self.tried > self.pages // _TRY_SPLIT_SHARE

    def split(self, pages: int, handle: int) -> "PageSpan":
        """Cut ``pages`` off at the right and give them as a span of their own."""
        self.pages -= pages
        right = PageSpan(handle, self.addr + self.size, pages)
        right.prev, right.next = self, self.next
        if self.next is not None:
            self.next.prev = right
        self.next = right
        return right

    def absorb_next(self) -> "PageSpan":
        """Join the neighbour to the right into this span and give the neighbour, which is no span any more."""
        gone = self.next
        assert gone is not None
        self.pages += gone.pages
        self.next = gone.next
        if gone.next is not None:
            gone.next.prev = self
        gone.prev = gone.next = None
        if not self.is_split:
            self.tried = 0
        return gone


class SpanLayers:
    """Idle spans by their number of pages; in each layer the last one freed is the first one taken."""

    def __init__(self) -> None:
        self._layers: dict[int, dict[PageSpan, None]] = {}
        self._ids: list[int] = []

    def __iter__(self) -> Iterator[PageSpan]:
        return (span for layer in self._ids for span in reversed(self._layers[layer]))

    def layers(self) -> list[tuple[int, int]]:
        """Give (pages, number of spans) of each layer that has spans, ascending."""
        return [(pages, len(self._layers[pages])) for pages in self._ids]

    def push(self, span: PageSpan) -> None:
        """Put an idle span into its layer."""
        layer = self._layers.get(span.pages)
        if layer is None:
            layer = self._layers[span.pages] = {}
            insort(self._ids, span.pages)
        layer[span] = None
        span.idle = True

    def remove(self, span: PageSpan) -> None:
        """Take a span out of its layer."""
        layer = self._layers[span.pages]
        del layer[span]
        span.idle = False
        if not layer:
            del self._layers[span.pages]
            del self._ids[bisect_left(self._ids, span.pages)]

    def pop(self, pages: int) -> PageSpan | None:
        """Take the span of exactly ``pages`` that was freed last, or give None."""
        layer = self._layers.get(pages)
        if layer is None:
            return None
        span = next(reversed(layer))
        self.remove(span)
        return span

    def larger(self, pages: int) -> int | None:
        """Give the smallest layer above ``pages`` that has spans, or None."""
        index = bisect_left(self._ids, pages + 1)
        return self._ids[index] if index < len(self._ids) else None
