"""What executors tell their subscribers, in GE's numbers (spec/execution.md 4.1)."""

from enum import IntEnum
from typing import Protocol

from runtime.kernels.context import KernelContext
from runtime.kernels.registry import RunFunc, TracePrinter


class ExecutorEvent(IntEnum):
    """What just happened."""

    EXECUTE_START = 0
    EXECUTE_END = 1
    MODEL_START = 2
    MODEL_END = 3


class GraphType(IntEnum):
    """Which of a model's three graphs runs; ``value`` ALL stands for each of them where one registers."""

    INIT = 0
    MAIN = 1
    DEINIT = 2
    ALL = 3

    @property
    def node_type(self) -> str:
        """The type of the root node that owns the graph."""
        return ("Init", "Main", "DeInit")[self]


class ExecNode(Protocol):
    """A node as a subscriber sees it."""

    @property
    def name(self) -> str:
        """The kernel's name."""

    @property
    def number(self) -> int:
        """Its place in the plan of its graph."""

    @property
    def run(self) -> RunFunc:
        """What it runs."""

    @property
    def context(self) -> KernelContext:
        """What it runs on."""

    @property
    def trace_printer(self) -> TracePrinter | None:
        """What it says afterwards; None for the end alone."""


class Subscriber(Protocol):
    """GE's callback. ``node`` is None for the model events; ``status`` is the kernel's."""

    def __call__(self, graph: GraphType, event: ExecutorEvent, node: ExecNode | None, status: int, /) -> None:
        """Take one event."""
