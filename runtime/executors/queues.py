"""Queues of a fixed size: what is ready, what a worker has to do (spec/execution.md 2.4, 2.5).

GE allocates them when an executor is built, so a run never asks for memory; here the capacity is kept because a full
queue is a status that the caller sees, and a scheduler that waits for room behaves as GE's does.
"""

from collections import deque
from collections.abc import Callable, Sequence
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

    ``push(number)`` gives 0, or QUEUE_FULL without room. ``pop()`` takes the most urgent number, None when there is
    none. Both are closures over the lists: a loop calls them for each kernel, and methods would look them up each time.
    """

    __slots__ = ("_keys", "heap", "pop", "push")

    def __init__(self, priorities: Sequence[int], capacity: int) -> None:
        self.heap: list[int] = []
        self._keys: list[int] = []
        self.push: Callable[[int], int] = _pusher(self.heap, self._keys, priorities, capacity)
        self.pop: Callable[[], int | None] = _popper(self.heap, self._keys)

    def __len__(self) -> int:
        return len(self.heap)

    def clear(self) -> None:
        """Drop all numbers."""
        self.heap.clear()
        self._keys.clear()


def _pusher(heap: list[int], keys: list[int], priorities: Sequence[int], capacity: int) -> Callable[[int], int]:
    """Make the function that adds a number: it rises as long as it is more urgent than what is above it."""
    add, add_key = heap.append, keys.append

    def push(number: int) -> int:
        at = len(keys)
        if at >= capacity:
            return QUEUE_FULL
        key = priorities[number]
        add(number)
        add_key(key)
        while at:
            above = (at - 1) >> 1
            if key >= keys[above]:
                break
            heap[at] = heap[above]
            keys[at] = keys[above]
            at = above
        heap[at] = number
        keys[at] = key
        return 0

    return push


def _popper(heap: list[int], keys: list[int]) -> Callable[[], int | None]:
    """Make the function that takes the first number: the last one fills its place and sinks."""
    take, take_key = heap.pop, keys.pop

    def pop() -> int | None:
        if not heap:
            return None
        last = take()
        key = take_key()
        size = len(keys)
        if not size:
            return last
        first = heap[0]
        at, below = 0, 1
        while below < size:
            least = keys[below]
            right = below + 1
            if right < size and keys[right] < least:
                below = right
                least = keys[right]
            if least >= key:
                break
            heap[at] = heap[below]
            keys[at] = least
            at = below
            below = 2 * below + 1
        heap[at] = last
        keys[at] = key
        return first

    return pop
