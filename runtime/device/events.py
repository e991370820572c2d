"""Events and notifies: how one stream waits for another (spec/execution.md 6.3, 6.4).

An event counts how often the host had it recorded. A wait is for the record that the host asked for last before it, so
an event can be used again while waits for its last record are still on their way; a wait that comes before any record
is for the first one (GE's own order never does that; what a device does then is assumed). A notify is a binary
semaphore: a record sets it, a wait takes it away.
"""

from collections import deque
from dataclasses import dataclass
from typing import Protocol

from runtime.device.tasks import Task


class Waiter(Protocol):
    """A stream that stands at a wait."""

    handle: int


class Gate(Protocol):
    """What a task waits for."""

    def record(self) -> Task | None:
        """Give the task whose end opens it, or None as long as there is none."""

    def wait(self, waiter: Waiter) -> None:
        """Stand in front of it; whoever gives the signal is told who stands there."""


class Signal(Protocol):
    """What a task tells others when it ends."""

    def give(self, task: Task) -> list[Waiter]:
        """Take in that ``task`` has its place in time, and give those that may go on once it has ended."""


class Event:
    """``rtEvent``. ``asked`` counts the records that the host asked for, ``made`` those that are in a queue."""

    __slots__ = ("asked", "handle", "last", "made", "waiters")

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.asked = 0
        self.made = 0
        self.last: Task | None = None
        self.waiters: list[tuple[int, Waiter]] = []

    def ask(self) -> int:
        """Count one more record that the host asks for, and give its number from 1."""
        self.asked += 1
        return self.asked

    def wanted(self) -> int:
        """Give the number of the record that a wait asked for now is for."""
        return max(self.asked, 1)

    def recorded(self, number: int, task: Task) -> list[Waiter]:
        """Take in that record ``number`` has its place in time, and give those that may go on."""
        if number > self.made:  # records on several streams can be made in another order
            self.made, self.last = number, task
        freed = [waiter for wanted, waiter in self.waiters if wanted <= number]
        self.waiters = [(wanted, waiter) for wanted, waiter in self.waiters if wanted > number]
        return freed

    def reset(self) -> None:
        """Forget everything on its way: nobody waits any more, and a lost record is no longer wanted."""
        self.asked = self.made = 0
        self.last = None
        self.waiters.clear()


class Notify:
    """``rtNotify``: set by a record, taken by a wait."""

    __slots__ = ("handle", "set_by", "waiters")

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.set_by: Task | None = None
        self.waiters: deque[Waiter] = deque()

    def record(self) -> Task | None:
        """Give the record that set it, which is used up by that; None while it is not set."""
        task, self.set_by = self.set_by, None
        return task

    def wait(self, waiter: Waiter) -> None:
        """Stand in line."""
        self.waiters.append(waiter)

    def give(self, task: Task) -> list[Waiter]:
        """Set it, or hand the record to the first that waits. A notify that is set stays as it is."""
        if self.waiters:
            return [self.waiters.popleft()]
        self.set_by = self.set_by or task
        return []

    def reset(self) -> None:
        """Take it away, and forget who waits."""
        self.set_by = None
        self.waiters.clear()


@dataclass(frozen=True, slots=True)
class EventGate:
    """Record ``number`` of an event."""

    event: Event
    number: int

    def record(self) -> Task | None:
        """Give the last record, if it is the wanted one or a later one."""
        return self.event.last if self.event.made >= self.number else None

    def wait(self, waiter: Waiter) -> None:
        """Wait for that record."""
        self.event.waiters.append((self.number, waiter))


@dataclass(frozen=True, slots=True)
class EventSignal:
    """The making of record ``number`` of an event."""

    event: Event
    number: int

    def give(self, task: Task) -> list[Waiter]:
        """Make it."""
        return self.event.recorded(self.number, task)
