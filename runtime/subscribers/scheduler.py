"""The scheduler of subscribers: who is asked, for which graph, and when (spec/execution.md 4.3).

Which subscribers work is decided when a graph starts to run. The built-in ones come first, in a fixed order, so that
one that launches tasks cannot come before the tracer and falsify the task it reports.
"""

from collections.abc import Callable
from dataclasses import dataclass

from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType, Subscriber
from runtime.subscribers.stamps import StampRecorder, Stamps
from runtime.subscribers.tracer import ExecutorTracer


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _Guard:
    """A subscriber, the graphs it listens to, and whether it works now."""

    subscriber: Subscriber
    graph: GraphType
    enabled: Callable[[], bool]

    def works_for(self, graph: GraphType) -> bool:
        return self.graph in (graph, GraphType.ALL) and self.enabled()


class SubscribersScheduler:
    """The subscribers of one executor."""

    def __init__(self, tracer: ExecutorTracer) -> None:
        self._built_in: tuple[_Guard, ...] = (_Guard(tracer, GraphType.ALL, lambda: tracer.enabled),)
        self._external: tuple[_Guard, ...] = ()

    @property
    def size(self) -> int:
        """How many subscribers there are, the built-in ones included."""
        return len(self._built_in) + len(self._external)

    def add_built_in(self, subscriber: Subscriber, graph: GraphType, enabled: Callable[[], bool]) -> None:
        """``AddBuiltIn``: add one that does not make a run tell by itself, only while it is enabled."""
        self._built_in = (*self._built_in, _Guard(subscriber, graph, enabled))

    def add(
        self,
        subscriber: Subscriber,
        graph: GraphType = GraphType.ALL,
        enabled: Callable[[], bool] = _always,
    ) -> None:
        """``AddSubscriber``: add one behind those there are, for one graph or all three."""
        self._external = (*self._external, _Guard(subscriber, graph, enabled))

    def remove(self, subscriber: Subscriber) -> None:
        """``RemoveSubscriber``: take one off; one that is not there is no fault."""
        self._external = tuple(guard for guard in self._external if guard.subscriber is not subscriber)

    def is_enabled(self) -> bool:
        """``IsEnable``: whether a run has to tell anybody. An external subscriber alone is enough."""
        return bool(self._external) or any(guard.enabled() for guard in self._built_in)

    def hears_starts(self, graph: GraphType) -> bool:
        """Say whether somebody who works for a graph wants to know when a kernel starts; the tracer does not."""
        return any(guard.works_for(graph) for guard in self._external)

    def stamps_for(self, graph: GraphType, kernels: int) -> Stamps | None:
        """Give the stamps to fill when all that works for a graph now is one recorder of times."""
        working = [guard.subscriber for guard in (*self._built_in, *self._external) if guard.works_for(graph)]
        recorder = working[0] if len(working) == 1 else None
        return recorder.stamps(graph, kernels) if isinstance(recorder, StampRecorder) else None

    def subscriber_for(self, graph: GraphType) -> Subscriber:
        """``GetSubscriber``: one callback for all who work for this graph now; a single one is given as it is."""
        working = tuple(guard.subscriber for guard in (*self._built_in, *self._external) if guard.works_for(graph))
        if len(working) == 1:
            return working[0]

        def tell_all(graph: GraphType, event: ExecutorEvent, node: ExecNode | None, status: int, /) -> None:
            for subscriber in working:
                subscriber(graph, event, node, status)

        return tell_all
