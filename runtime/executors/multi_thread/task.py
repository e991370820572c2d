"""Tasks: what a scheduler hands to a worker, and which worker a kernel belongs to (spec/execution.md 2.5).

The tags decide who may run at the same time: all kernels that touch the allocators have one worker with one thread,
and so have launches. If a producer decided this itself, two producers would sooner or later disagree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from runtime.executors.options import TaskProducerType
from runtime.executors.selection import LAUNCH_TYPES
from runtime.kernels.registry import LAUNCH, MEMORY

BUILDS_TENSOR: Final = frozenset({"BuildTensor", "BuildTensorPureShape", "BuildTensorStorage", "BuildRefTensor"})
"""Kernels that only put a tensor together; with one NORMAL thread beside the others they are no work for MEMORY.

The spec names the number of threads only; the logs show it for KERNEL and not for CHAIN."""

_PREPARES: Final = frozenset({"ExecuteOpPrepare"})
_ONE_OF_EACH: Final = 3


class TaskType(StrEnum):
    """``ExecTaskType`` by the name that GE prints."""

    NORMAL = "normal"
    MEMORY = "memory"
    LAUNCH = "launch"


_BY_SECTION: Final = {MEMORY: TaskType.MEMORY, LAUNCH: TaskType.LAUNCH}


def task_type(kernel_type: str, section: str, thread_num: int, split: TaskProducerType) -> TaskType:
    """``KernelTags.UpdateTag``: by type, then by critical section, then the two kinds of kernels that are special."""
    found = TaskType.LAUNCH if kernel_type in LAUNCH_TYPES else TaskType.NORMAL
    found = _BY_SECTION.get(section, found)
    if kernel_type in BUILDS_TENSOR and thread_num == _ONE_OF_EACH and split is TaskProducerType.KERNEL:
        found = TaskType.NORMAL
    return TaskType.MEMORY if kernel_type in _PREPARES else found


@dataclass(frozen=True, slots=True)
class ExecTask:
    """``ExecTask``: kernels by number that one worker runs one after the other."""

    id: int
    type: TaskType
    kernels: Sequence[int]


@dataclass(frozen=True, slots=True)
class Done:
    """A task that a worker is through with, and the first status that was not 0."""

    task: ExecTask
    status: int
