"""When kernels ran, and nothing else: two numbers per run of a kernel in arrays that exist before the run.

A profiler that only wants times would pay for a call and an object per kernel otherwise. The loops fill the arrays
themselves when nobody else listens; beside other subscribers the recorder is told like any of them.
"""

from array import array
from collections.abc import Callable

from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType

_NUMBER = "q"


class Stamps:
    """``kernels[i]`` ran from ``starts[i]`` to ``ends[i]``, in nanoseconds of ``now``, for i below ``count``.

    There is room for each kernel once; a loop that runs some of them more often makes room.
    """

    __slots__ = ("count", "ends", "kernels", "now", "starts")

    def __init__(self, capacity: int, now: Callable[[], int]) -> None:
        self.now = now
        self.count = 0
        self.kernels = array(_NUMBER, bytes(8 * capacity))
        self.starts = array(_NUMBER, bytes(8 * capacity))
        self.ends = array(_NUMBER, bytes(8 * capacity))

    def grow(self) -> None:
        """Make twice as much room."""
        more = bytes(8 * max(len(self.kernels), 1))
        for column in (self.kernels, self.starts, self.ends):
            column.frombytes(more)

    def begin(self, kernel: int) -> int:
        """Note that a kernel begins; gives the place of its stamps."""
        at = self.count
        if at == len(self.kernels):
            self.grow()
        self.kernels[at] = kernel
        self.count = at + 1
        self.starts[at] = self.now()
        return at


class StampRecorder:
    """A subscriber that keeps the stamps of the last run of each graph."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._stamps: dict[GraphType, Stamps] = {}
        self._open = 0

    def stamps(self, graph: GraphType, kernels: int = 0) -> Stamps:
        """Give the stamps of a graph's last run; a run that begins says how many kernels there are."""
        found = self._stamps.get(graph)
        if found is None or len(found.kernels) < kernels:
            found = self._stamps[graph] = Stamps(kernels, self._now)
        return found

    def __call__(self, graph: GraphType, event: ExecutorEvent, node: ExecNode | None, _status: int, /) -> None:
        """Stamp one executor event."""
        stamps = self.stamps(graph)
        if event is ExecutorEvent.MODEL_START:
            stamps.count = 0
        elif node is not None and event is ExecutorEvent.EXECUTE_START:
            self._open = stamps.begin(node.number)
        elif node is not None:
            stamps.ends[self._open] = self._now()
