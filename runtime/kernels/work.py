"""Work of a kernel as a task of the device.

A task carries every name that a person may know it by: a fault is asked for by one of them, and RUNTIME prints another.
"""

from typing import Protocol

from runtime.device.tasks import Finish, Task, TaskKind
from runtime.kernels.context import KernelContext


class Work(Protocol):
    """What a kernel has the device do."""

    @property
    def written(self) -> tuple[tuple[int, int], ...]:
        """Where in device memory results go: address and bytes."""

    def run(self) -> None:
        """Compute, and put the results into memory."""

    def begin(self) -> Finish:
        """Compute on what is in memory now, and give what puts the results there."""


def task_of(context: KernelContext, work: Work, kind: TaskKind, cost_ns: int) -> Task:
    """Make the task of a kernel's operator."""
    node = context.compute_node
    names = (node.name, node.type, context.name, context.type)
    return Task(node.name, work.run, cost_ns, kind, work.begin, names, work.written)
