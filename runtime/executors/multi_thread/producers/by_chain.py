"""CHAIN: kernels of which each is the only one behind the one before are one task (spec/execution.md 2.5)."""

from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.producers.tasks_ready import WholeTaskProducer
from runtime.executors.multi_thread.task import ExecTask, TaskType
from runtime.executors.options import TaskProducerType


def chain_producer(plan: ThreadPlan, thread_num: int) -> WholeTaskProducer:
    """Cut a graph into chains; a chain belongs to the worker that one of its kernels must have."""
    before, behind = _neighbours(plan)
    tasks: list[ExecTask] = []
    for first in range(len(plan.nodes)):
        if _follows(first, before, behind, plan):
            continue
        chain, kind = [first], plan.types[first]
        while (after := _next(chain[-1], before, behind, plan)) is not None:
            merged = _together(kind, plan.types[after])
            if merged is None:
                tasks.append(ExecTask(len(tasks), kind, tuple(chain)))
                chain, kind = [], plan.types[after]
            chain.append(after)
            kind = merged or kind
        tasks.append(ExecTask(len(tasks), kind, tuple(chain)))
    return WholeTaskProducer(TaskProducerType.CHAIN, plan, tasks, thread_num)


def _neighbours(plan: ThreadPlan) -> tuple[list[list[int]], list[list[int]]]:
    before: list[list[int]] = [[] for _ in plan.nodes]
    behind = plan.possible_watchers()
    for number, watchers in enumerate(behind):
        for watcher in watchers:
            before[watcher].append(number)
    return before, behind


def _next(number: int, before: list[list[int]], behind: list[list[int]], plan: ThreadPlan) -> int | None:
    """The kernel that continues a chain: the only one behind, which waits for nothing else."""
    if len(behind[number]) != 1 or number in plan.switches:
        return None
    (after,) = behind[number]
    return after if len(before[after]) == 1 and after not in plan.joins else None


def _follows(number: int, before: list[list[int]], behind: list[list[int]], plan: ThreadPlan) -> bool:
    return len(before[number]) == 1 and _next(before[number][0], before, behind, plan) == number


def _together(first: TaskType, second: TaskType) -> TaskType | None:
    """The worker that two kernels can share; None for one of memory and one of launches, which may share none."""
    kinds = {first, second} - {TaskType.NORMAL}
    if len(kinds) > 1:
        return None
    return kinds.pop() if kinds else TaskType.NORMAL
