"""Queues of a fixed size: what is ready, what a worker has to do (spec/execution.md 2.4, 2.5).

GE allocates them when an executor is built, so a run never asks for memory; here the capacity is kept because a full
queue is a status that the caller sees, and a scheduler that waits for room behaves as GE's does.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, Generic, TypeVar

Item = TypeVar("Item")

QUEUE_FULL: Final = 1
"""``kStatusQueueFull``: what a push on a full queue returns. 0 is success."""


class RingQueue(Generic[Item]):
    """First in, first out; ``capacity`` items fit. GE's SPSC queue of n slots has a capacity of n - 1, MPMC of n."""

    __slots__ = ("_items", "capacity")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._items: deque[Item] = deque()

    def __len__(self) -> int:
        return len(self._items)

    def push(self, item: Item) -> int:
        """Add an item at the end; QUEUE_FULL when there is no room for it."""
        if len(self._items) >= self.capacity:
            return QUEUE_FULL
        self._items.append(item)
        return 0

    def push_front(self, item: Item) -> None:
        """Put back what was taken last."""
        self._items.appendleft(item)

    def pop(self) -> Item | None:
        """Take the oldest item; None when there is none."""
        return self._items.popleft() if self._items else None

    def clear(self) -> None:
        """Drop all items."""
        self._items.clear()


class PriorityQueue:
    """A binary min-heap of numbers by their priority. Equals keep the order in which GE's heap gives them.

    That order shows in GE's logs, since all kernels of one operator have one priority; ``heapq`` gives another one.
    ``priorities`` is the table of all numbers that may come; it belongs to the caller and is only read.
    """

    __slots__ = ("_heap", "_priorities", "capacity")

    def __init__(self, priorities: Sequence[int], capacity: int) -> None:
        self.capacity = capacity
        self._priorities = priorities
        self._heap: list[int] = []

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[int]:
        return iter(self._heap)

    def push(self, node: int) -> int:
        """Add a number: it rises as long as it is more urgent than what is above it. QUEUE_FULL without room."""
        heap, priorities = self._heap, self._priorities
        at = len(heap)
        if at >= self.capacity:
            return QUEUE_FULL
        heap.append(node)
        while at and priorities[node] < priorities[heap[above := (at - 1) >> 1]]:
            heap[at], at = heap[above], above
        heap[at] = node
        return 0

    def pop(self) -> int | None:
        """Take the most urgent number; the last one fills its place and sinks. None when there is none."""
        heap, priorities = self._heap, self._priorities
        if not heap:
            return None
        last = heap.pop()
        if not heap:
            return last
        first, at, below = heap[0], 0, 1
        while below < len(heap):
            if below + 1 < len(heap) and priorities[heap[below + 1]] < priorities[heap[below]]:
                below += 1
            if priorities[heap[below]] >= priorities[last]:
                break
            heap[at], at, below = heap[below], below, 2 * below + 1
        heap[at] = last
        return first

    def clear(self) -> None:
        """Drop all numbers."""
        self._heap.clear()
