"""OP: the kernels of one operator that one worker can run in one go are one task (spec/execution.md 2.5).

An operator's kernels wait for each other across workers: memory is taken between tiling and launch, and given back
behind it. So an operator is a few tasks. A kernel's stage counts how often the worker or the operator changes on the
longest way to it; kernels of one operator, worker and stage are one task, and no two tasks wait for each other.
"""

from collections import deque

from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.producers.tasks_ready import WholeTaskProducer
from runtime.executors.multi_thread.task import ExecTask, TaskType
from runtime.executors.options import TaskProducerType

_Key = tuple[str, int, TaskType]


def operator_producer(plan: ThreadPlan, thread_num: int) -> WholeTaskProducer:
    """Cut a graph into operators; a kernel that belongs to none, or to control flow, is a task of its own."""
    groups: dict[tuple[_Key, int], list[int]] = {}
    for number, stage in _staged(plan):
        groups.setdefault((_key(plan, number), stage), []).append(number)
    tasks = [ExecTask(place, key[2], tuple(kernels)) for place, ((key, _), kernels) in enumerate(groups.items())]
    return WholeTaskProducer(TaskProducerType.OP, plan, tasks, thread_num)


def _key(plan: ThreadPlan, number: int) -> _Key:
    operator = plan.operators[number]
    graph, node = ("", -1 - number) if operator is None else operator
    return graph, node, plan.types[number]


def _staged(plan: ThreadPlan) -> list[tuple[int, int]]:
    """Give each kernel with its stage, a kernel behind all it waits for. The way back of a loop is not followed."""
    stages = [0] * len(plan.nodes)
    left = [0] * len(plan.nodes)
    back = plan.loop_heads
    watchers = plan.possible_watchers()
    for behind in watchers:
        for after in behind:
            left[after] += 1
    order: list[tuple[int, int]] = []
    ready = deque(number for number, count in enumerate(left) if not count or number in back)
    seen = set(ready)
    while ready:
        number = ready.popleft()
        order.append((number, stages[number]))
        for after in watchers[number]:
            same = _key(plan, after) == _key(plan, number)
            stages[after] = max(stages[after], stages[number] + (not same))
            left[after] -= 1
            if not left[after] and after not in seen:
                seen.add(after)
                ready.append(after)
    return order
