"""Which executor the user asks for (spec/execution.md 1.1, 2.2, 2.5, 3.8).

It owns the choices and nothing of how they are carried out: who asks (command line, API) and who builds both need
the same words, and the builder may not import the multi-thread executor only to read a number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final

CORE_NUMBER: Final = "MAX_RUNTIME_CORE_NUMBER"
"""Environment variable: 2 or more asks for the multi-thread executor with as many threads."""

LEAST_THREADS: Final = 2
"""``kLeastThreadNumber``: one worker for ordinary kernels and one for memory."""


class ExecutorKind(StrEnum):
    """``ExecutorType``: executors by the name that GE prints."""

    SEQUENTIAL = "sequential-executor"
    TOPOLOGICAL = "general-topo-executor"
    PRIORITY = "priority-topo-executor"
    MULTI_THREAD = "multi-thread-topo-executor"


class TaskProducerType(StrEnum):
    """How the multi-thread executor cuts a graph into tasks, by the name that GE prints."""

    SINGLE = "single"
    KERNEL = "kernel"
    CHAIN = "chain"
    OP = "op"


class TaskThreadMode(Enum):
    """What a worker's thread does while it has nothing to run: spin, yield, or sleep a microsecond."""

    URGENT = "urgent"
    MODERATE = "moderate"
    LOW_LOAD = "low_load"


@dataclass(frozen=True, slots=True)
class ExecutorOption:
    """``ExecutorOption``: the executor of Main; without a kind the graph decides. Init and DeInit always choose alone.

    ``kind`` MULTI_THREAD needs a MultiThreadExecutorOption, as in GE; the plain option is refused when built.
    """

    kind: ExecutorKind | None = None


@dataclass(frozen=True, slots=True)
class MultiThreadExecutorOption(ExecutorOption):
    """``MultiThreadExecutorOption``: ``thread_num`` threads in all, tasks cut by ``split``.

    With a ``seed`` there are no threads: the same workers take turns in an order drawn from it, so that one seed gives
    one log. GE has no such mode.
    """

    kind: ExecutorKind | None = ExecutorKind.MULTI_THREAD
    thread_num: int = LEAST_THREADS
    split: TaskProducerType = TaskProducerType.KERNEL
    mode: TaskThreadMode = TaskThreadMode.URGENT
    seed: int | None = None


def option_from(environment: Mapping[str, str]) -> ExecutorOption:
    """Give what the environment asks for (spec 3.8); what is no number counts as 1, the default."""
    text = environment.get(CORE_NUMBER, "1").strip()
    cores = int(text) if text.isdecimal() else 1
    return ExecutorOption() if cores < LEAST_THREADS else MultiThreadExecutorOption(thread_num=cores)
