"""Scenarios EX-21 and EX-22 of spec/execution.md 8.1: queues are of a fixed size."""

from runtime.executors.queues import QUEUE_FULL, PriorityQueue, RingQueue


def test_EX_21_a_ring_queue_takes_as_many_as_fit_and_gives_them_back_in_order() -> None:
    queue: RingQueue[str] = RingQueue(3)
    assert [queue.push(item) for item in "abcd"] == [0, 0, 0, QUEUE_FULL]
    assert QUEUE_FULL == 1
    assert [queue.pop() for _ in range(4)] == ["a", "b", "c", None]
    assert [queue.push(item) for item in "xyz"] == [0, 0, 0]
    assert len(queue) == 3


def test_EX_22_a_priority_queue_gives_the_smallest_number_first_and_is_full_at_its_capacity() -> None:
    queue = PriorityQueue([5, 1, 3, 2], capacity=3)
    assert [queue.push(number) for number in range(4)] == [0, 0, 0, 1]
    assert [queue.pop() for _ in range(4)] == [1, 2, 0, None]
    assert [queue.push(number) for number in (3, 0)] == [0, 0]
    assert [queue.pop() for _ in range(2)] == [3, 0]
