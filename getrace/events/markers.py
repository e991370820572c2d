"""The life of a graph execution: its two markers, and the end of each kernel (spec/kerneltrace.md 2, kinds C and D)."""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class ModelStart(Event):
    """A graph begins to run: Init in Load, Main in each Execute, DeInit in UnLoad."""


@dataclass(frozen=True, slots=True, repr=False)
class ModelEnd(Event):
    """A graph ran to its end. Missing whenever a kernel returned anything but 0."""


@dataclass(frozen=True, slots=True, repr=False)
class KernelEnd(Event):
    """A kernel without a trace printer has ended: a record that is only a header."""


@dataclass(frozen=True, slots=True, repr=False)
class ExecutorSelected(Event):
    """The builder chose an executor for a graph (``Init_4``, ``Main_30``, ``DeInit_27``)."""

    executor: str
    graph: str


@dataclass(frozen=True, slots=True, repr=False)
class NodesOrdered(Event):
    """The builder read the nodes of a graph, ``with`` or ``without`` re-ordering them by priority."""

    order: str
    graph: str


@dataclass(frozen=True, slots=True, repr=False)
class KernelFailed(Event):
    """The multi-thread executor names a kernel that failed, with its real type."""

    name: str
    kernel_type: str
