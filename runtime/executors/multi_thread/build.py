"""``MultiThreadExecutionDataBuilder``: from the kernels of Main to a scheduler (spec/execution.md 2.5)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from getrace.errors import ModelError
from runtime.executors.execution_data import PlannedNode
from runtime.executors.multi_thread.crew import Crew, SeededCrew, ThreadCrew
from runtime.executors.multi_thread.free_launch import FreeLaunchCsr
from runtime.executors.multi_thread.launch_order import launch_pairs
from runtime.executors.multi_thread.layout import make_workers, thread_counts
from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.producers.by_kernel import KernelTaskProducer
from runtime.executors.multi_thread.producers.table import PRODUCERS
from runtime.executors.multi_thread.scheduler import TaskScheduler
from runtime.executors.multi_thread.task import TaskType, task_type
from runtime.executors.multi_thread.worker import TaskThread, TaskWorker
from runtime.executors.options import ExecutorKind, ExecutorOption, MultiThreadExecutorOption, TaskProducerType
from runtime.executors.order import priority_of
from runtime.executors.topological import Topology
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.kernels.context import Cell
from runtime.kernels.machine import Machine
from runtime.lowering.passes.kernel_kinds import HELD_RELEASES, SUBMITTING

_HELD: Final = frozenset(HELD_RELEASES.values())
_CONTROL: Final = frozenset(
    {
        "SwitchNotify",
        "CondSwitchNotify",
        "BranchPivot",
        "BranchDone",
        "WaitAnyone",
        "WatcherPlaceholder",
        "Enter",
        "Exit",
    }
)


def checked_option(option: ExecutorOption) -> MultiThreadExecutorOption:
    """Give the option of a multi-thread executor. Raises ModelError for a plain one and for too few threads."""
    if not isinstance(option, MultiThreadExecutorOption) or option.kind is not ExecutorKind.MULTI_THREAD:
        raise ModelError(
            f"{ExecutorKind.MULTI_THREAD} was asked for without a number of threads",
            "give a MultiThreadExecutorOption",
        )
    thread_counts(option.thread_num)
    return option


def build_scheduler(
    kernels: Sequence[FastNode],
    nodes: Sequence[PlannedNode],
    topology: Topology,
    option: MultiThreadExecutorOption,
    machine: Machine,
    inputs: Sequence[Cell] = (),
) -> TaskScheduler:
    """Build the scheduler of a graph whose ``kernels`` are planned as ``nodes``; ``inputs`` end with the streams.

    Raises ModelError when the graph's relations between frees and launches are not what they should be.
    """
    plan = thread_plan(kernels, nodes, topology, option)
    workers = make_workers(option, machine.journal)
    producer = PRODUCERS[option.split](plan, option.thread_num)
    if isinstance(producer, KernelTaskProducer):
        producer.tell(machine.journal)
    scheduler = TaskScheduler(plan, producer, workers, _crew(workers, option, machine), machine, inputs)
    numbers = {node: number for number, node in enumerate(kernels)}
    pairs = [pair for graph in dict.fromkeys(node.graph for node in kernels) for pair in _relations(graph, numbers)]
    _check_split(pairs, option)
    if scheduler.prepare(FreeLaunchCsr.of(pairs, len(nodes))):
        raise ModelError("the relations between frees and launches are broken")
    return scheduler


def thread_plan(
    kernels: Sequence[FastNode],
    nodes: Sequence[PlannedNode],
    topology: Topology,
    option: MultiThreadExecutorOption,
) -> ThreadPlan:
    """Say of each kernel what producers need."""
    joins = {number for number, node in enumerate(kernels) if node.type == "WaitAnyone"}
    return ThreadPlan(
        nodes,
        topology,
        tuple(priority_of(node) for node in kernels),
        tuple(
            task_type(kernel.type, planned.section, option.thread_num, option.split)
            for kernel, planned in zip(kernels, nodes, strict=True)
        ),
        tuple(_operator(node) for node in kernels),
        frozenset(number for number in joins if _is_loop(kernels[number].graph.parent_node)),
        frozenset(joins),
    )


def _operator(node: FastNode) -> tuple[str, int] | None:
    index = node.attrs.get("ComputeNodeIndex")
    return None if node.type in _CONTROL or not isinstance(index, int) else (node.graph.name, index)


def _is_loop(owner: FastNode | None) -> bool:
    return owner is not None and owner.type == "While"


def _crew(workers: Mapping[TaskType, TaskWorker], option: MultiThreadExecutorOption, machine: Machine) -> Crew:
    threads: list[TaskThread] = [thread for worker in workers.values() for thread in worker.threads]
    return ThreadCrew(threads, machine.turn) if option.seed is None else SeededCrew(threads, option.seed)


def _relations(graph: ExecuteGraph, numbers: Mapping[FastNode, int]) -> Iterable[tuple[int, int]]:
    """Check and number the relations that the pass RemoveLaunchFreeEdge left on a graph."""
    for free, launch in launch_pairs(graph):
        if free.graph is not graph:
            raise ModelError(f"Free relation node {free.name} is not owned by graph {graph.name}")
        if launch.graph is not graph:
            raise ModelError(f"Launch relation node {launch.name} is not owned by graph {graph.name}")
        if free.type not in _HELD:
            raise ModelError(f"Relation source {free.name} type {free.type} is not a hold-address Free")
        if launch.type not in SUBMITTING:
            raise ModelError(f"Relation target {launch.name} type {launch.type} is not a launch kernel")
        for node in (free, launch):
            if node not in numbers:
                raise ModelError(f"Relation node {node.name} is not mapped to an execution node")
        yield numbers[free], numbers[launch]


def _check_split(pairs: Sequence[tuple[int, int]], option: MultiThreadExecutorOption) -> None:
    """Memory may be given up before its launch only where memory and launches go the same way, operator by operator."""
    if pairs and option.split in (TaskProducerType.CHAIN, TaskProducerType.OP):
        raise ModelError(
            f"a graph whose frees do not wait for launches cannot be split by {option.split}",
            "split it by kernel, or lower it for one thread",
        )
