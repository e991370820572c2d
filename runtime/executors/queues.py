"""Queues of a fixed size: what is ready, what a worker has to do (spec/execution.md 2.4, 2.5).

GE allocates them when an executor is built, so a run never asks for memory; here the capacity is kept because a full
queue is a status that the caller sees, and a scheduler that waits for room behaves as GE's does.
"""

from collections import deque
from collections.abc import Sequence
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
    ``priorities`` is the table of all numbers that may come; it belongs to the caller and is only read. ``heap`` are
    the numbers that wait, the most urgent first; the priority of each lies beside it, as it is compared often.
    """

    __slots__ = ("_keys", "_priorities", "capacity", "heap")

    def __init__(self, priorities: Sequence[int], capacity: int) -> None:
        self.capacity = capacity
        self.heap: list[int] = []
        self._keys: list[int] = []
        self._priorities = priorities

    def __len__(self) -> int:
        return len(self.heap)

    def push(self, node: int) -> int:
        """Add a number: it rises as long as it is more urgent than what is above it. QUEUE_FULL without room."""
        heap, keys = self.heap, self._keys
        at = len(heap)
        if at >= self.capacity:
            return QUEUE_FULL
        key = self._priorities[node]
        heap.append(node)
        keys.append(key)
        while at:
            above = (at - 1) >> 1
            if key >= keys[above]:
                break
            heap[at], keys[at], at = heap[above], keys[above], above
        heap[at], keys[at] = node, key
        return 0

    def pop(self) -> int | None:
        """Take the most urgent number; the last one fills its place and sinks. None when there is none."""
        heap, keys = self.heap, self._keys
        if not heap:
            return None
        last, key = heap.pop(), keys.pop()
        size = len(heap)
        if not size:
            return last
        first, at, below = heap[0], 0, 1
        while below < size:
            least = keys[below]
            if below + 1 < size and keys[below + 1] < least:
                below += 1
                least = keys[below]
            if least >= key:
                break
            heap[at], keys[at], at, below = heap[below], least, below, 2 * below + 1
        heap[at], keys[at] = last, key
        return first

    def clear(self) -> None:
        """Drop all numbers."""
        self.heap.clear()
        self._keys.clear()
