"""CHAIN: a kernel that waits for one kernel only is of the same task as that one (spec/execution.md 2.5).

So a task begins with a kernel that waits for several or for none, and belongs to the worker of that kernel: GE's logs
show the shapes of a whole model on the worker of memory, because they hang on a tensor that is split there.
"""

from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.producers.tasks_ready import WholeTaskProducer
from runtime.executors.multi_thread.producers.walk import arrivals, depth_first
from runtime.executors.multi_thread.task import ExecTask, TaskType
from runtime.executors.options import TaskProducerType


def chain_producer(plan: ThreadPlan, thread_num: int) -> WholeTaskProducer:
    """Cut a graph into chains."""
    watchers = plan.possible_watchers()
    before = _before(plan, watchers)
    heads: dict[int, int] = {}
    chains: dict[int, list[int]] = {}
    begins = (number for number in range(len(plan.nodes)) if not _joins(number, before, plan))
    counts = [len(preceding) if _joins(number, before, plan) else 0 for number, preceding in enumerate(before)]
    arrive = arrivals(counts)
    for head in begins:
        for number in depth_first((head,), watchers, arrive):
            heads[number] = head
            chains.setdefault(head, []).append(number)
    tasks = [ExecTask(place, plan.types[head], tuple(chain)) for place, (head, chain) in enumerate(chains.items())]
    return WholeTaskProducer(TaskProducerType.CHAIN, plan, tasks, thread_num)


def _before(plan: ThreadPlan, watchers: list[list[int]]) -> list[list[int]]:
    before: list[list[int]] = [[] for _ in plan.nodes]
    for number, behind in enumerate(watchers):
        for after in behind:
            before[after].append(number)
    return before


def _joins(number: int, before: list[list[int]], plan: ThreadPlan) -> bool:
    """Whether a kernel continues the task of the one it waits for.

    What a switch chooses begins a task, and so does a kernel that must have a worker of its own kind.
    """
    if len(before[number]) != 1 or number in plan.joins or before[number][0] in plan.switches:
        return False
    return plan.types[number] is TaskType.NORMAL
