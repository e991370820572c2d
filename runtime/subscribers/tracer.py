"""The tracer: after each kernel, what the kernel has to say; around each graph, a marker (spec/execution.md 4.4).

It is silent unless GE is at INFO at that very moment. A kernel without a trace printer costs one shared event.
"""

from getrace.events import Event, Level
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.text import Note
from runtime.kernels.status import Status
from runtime.memory.journal import Journal
from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType

_END = KernelEnd()
_INFO, _ERROR = Level.INFO, Level.ERROR
_EXECUTE_END = ExecutorEvent.EXECUTE_END
_END_OF_SEQUENCE = int(Status.END_OF_SEQUENCE)
_MARKERS: dict[ExecutorEvent, Event] = {
    ExecutorEvent.MODEL_START: ModelStart(),
    ExecutorEvent.MODEL_END: ModelEnd(),
}


class ExecutorTracer:
    """A subscriber that publishes on the journal's bus."""

    __slots__ = ("_bus", "_journal", "_publish")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._bus = journal.bus
        self._publish = journal.bus.publish

    @property
    def enabled(self) -> bool:
        """``GlobalTracer``: whether GE prints INFO now."""
        return self._bus.traces

    def __call__(self, _graph: GraphType, event: ExecutorEvent, node: ExecNode | None, status: int, /) -> None:
        """Take one executor event."""
        if not self._bus.traces:
            return
        if event is not _EXECUTE_END or node is None:
            marker = _MARKERS.get(event)
            if marker is not None:
                self._publish(self._journal.origin, _INFO, None, marker)
            return
        level = _ERROR if status and status != _END_OF_SEQUENCE else _INFO
        printer = node.trace_printer
        if printer is None:
            self._publish(self._journal.origin, level, node.name, _END)
            return
        for message in printer(node.context):
            told = Note(message) if isinstance(message, str) else message
            if message != "":
                self._publish(self._journal.origin, level, node.name, told)
