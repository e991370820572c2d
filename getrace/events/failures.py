"""What GE says when something fails or is called out of order (spec/kerneltrace.md 7.3, 7.4, 8)."""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class AssertFailed(Event):
    """A GE_ASSERT without a message: the condition as the source writes it."""

    condition: str


@dataclass(frozen=True, slots=True, repr=False)
class AssertUnequal(Event):
    """GE_ASSERT_EQ: what was expected and what came."""

    condition: str
    expected: str
    actual: str


@dataclass(frozen=True, slots=True, repr=False)
class ExecutorError(Event):
    """A text of the executor's life cycle: the fixed words and what follows them."""

    what: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class SchedulerLine(Event):
    """A line of the multi-thread executor's scheduler and its statistics."""

    what: str
    text: str
