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
_EXECUTE_END = ExecutorEvent.EXECUTE_END
_MARKERS: dict[ExecutorEvent, Event] = {
    ExecutorEvent.MODEL_START: ModelStart(),
    ExecutorEvent.MODEL_END: ModelEnd(),
}
_NO_ERROR = frozenset({Status.SUCCESS, Status.END_OF_SEQUENCE})


class ExecutorTracer:
    """A subscriber that publishes on the journal's bus."""

    __slots__ = ("_journal",)

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @property
    def enabled(self) -> bool:
        """``GlobalTracer``: whether GE prints INFO now."""
        return self._journal.bus.admits("GE", Level.INFO)

    def __call__(self, _graph: GraphType, event: ExecutorEvent, node: ExecNode | None, status: int, /) -> None:
        """Take one executor event."""
        journal = self._journal
        bus = journal.bus
        if event is not _EXECUTE_END:
            marker = _MARKERS.get(event)
            if marker is not None and bus.admits("GE", Level.INFO):
                bus.publish(journal.origin, Level.INFO, None, marker)
            return
        if node is None or not bus.admits("GE", Level.INFO):
            return
        level = Level.INFO if status in _NO_ERROR else Level.ERROR
        printer = node.trace_printer
        if printer is None:
            bus.publish(journal.origin, level, node.name, _END)
            return
        for message in printer(node.context):
            told = Note(message) if isinstance(message, str) else message
            if message != "":
                bus.publish(journal.origin, level, node.name, told)
