"""The bus: how an event that happened reaches everybody who wants to know.

Theory of operation. A sink is a callable. The bus holds its sinks in one tuple that is replaced whole when somebody
subscribes or leaves, so a publish in progress always walks a complete tuple and needs no lock. Publishing is
synchronous and in order; there are no topics: a sink ignores what it does not want. A sink that raises is detached,
counted and reported, and the run goes on. Back-pressure is a sink's own business.

The bus also holds the log level of each module, as a value: the tracer asks it whether GE is at INFO, exactly as
GE's ``GlobalTracer`` asks the log library each time (spec/kerneltrace.md 2).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Protocol

from getrace.events.base import Event
from getrace.events.envelope import Level, Origin


class Sink(Protocol):
    """Takes one event. ``kernel`` is None outside a kernel and "" for a message printed with an empty NAME."""

    def __call__(self, time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        """Take one event; called in the thread that published it."""


@dataclass(frozen=True, slots=True)
class SinkFailure:
    """A sink that raised and was detached: the sink, the error, the event it choked on."""

    sink: Sink
    error: Exception
    event: Event


class Bus:
    """Delivers events to sinks in the order of subscription.

    ``now`` gives the time stamp of an event in nanoseconds. ``traces`` says whether GE prints KernelTrace lines at this
    moment; it is kept ready because a tracer asks after every kernel.
    """

    __slots__ = ("_default_level", "_levels", "_sinks", "failures", "now", "traces")

    def __init__(
        self,
        now: Callable[[], int],
        levels: Mapping[str, Level] | None = None,
        default_level: Level = Level.ERROR,
    ) -> None:
        self.now = now
        self.failures: list[SinkFailure] = []
        self._sinks: tuple[Sink, ...] = ()
        self._levels = dict(levels if levels is not None else {"GE": Level.INFO})
        self._default_level = default_level
        self.traces = self.admits("GE", Level.INFO)

    def subscribe(self, sink: Sink) -> Callable[[], None]:
        """Add a sink at the end; the returned callable takes it off again (a second call does nothing)."""
        # A method is called faster than an object that has one.
        call: Sink = sink if isinstance(sink, FunctionType | MethodType) else sink.__call__
        self._sinks = (*self._sinks, call)
        return lambda: self._detach(call)

    def _detach(self, call: Sink) -> None:
        self._sinks = tuple(other for other in self._sinks if other is not call)

    def set_level(self, module: str, level: Level) -> None:
        """Set the level from which a module prints, from now on."""
        self._levels[module] = level
        self.traces = self.admits("GE", Level.INFO)

    def admits(self, module: str, level: Level) -> bool:
        """Say whether a module prints at this level now."""
        return level >= self._levels.get(module, self._default_level)

    def publish(self, origin: Origin, level: Level, kernel: str | None, event: Event) -> None:
        """Stamp an event and hand it to each sink. A sink that raises is detached and recorded in ``failures``."""
        time_ns = self.now()
        for sink in self._sinks:
            try:
                sink(time_ns, origin, level, kernel, event)
            except Exception as error:  # noqa: BLE001 - a subscriber's fault must not end the run; it is reported
                self._detach(sink)
                self.failures.append(SinkFailure(sink, error, event))
