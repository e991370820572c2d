"""Scenarios EX-12 to EX-14 and EX-23 to EX-31, EX-38 of spec/execution.md 8.1: several threads."""

import pytest
from number_graphs import NumberGraph
from simulated_runs import Recorder, add_model, floats, open_process
from standin_kernels import bare_machine

from getrace.errors import ModelError
from getrace.events import Level
from getrace.events.failures import SchedulerLine
from getrace.events.markers import ExecutorSelected, KernelFailed, ModelEnd, ModelStart
from getrace.events.text import LogLine
from runtime.executors.builder import create
from runtime.executors.multi_thread.layout import HOST_CORES, thread_counts
from runtime.executors.multi_thread.report import dump
from runtime.executors.multi_thread.scheduler import TaskScheduler
from runtime.executors.multi_thread.task import ExecTask, TaskType, task_type
from runtime.executors.options import (
    ExecutorKind,
    ExecutorOption,
    MultiThreadExecutorOption,
    TaskProducerType,
    TaskThreadMode,
    option_from,
)
from runtime.kernels.families import builtin_kernels
from runtime.kernels.status import Status
from runtime.lowering.pipeline import lower_model
from runtime.subscribers.phase import ExecutorEvent

SINGLE, KERNEL, CHAIN, OP = TaskProducerType


def scheduler_of(graph: NumberGraph) -> TaskScheduler:
    found = graph.executor.data.scheduler
    assert found is not None
    return found


def two_chains(machine_listener: Recorder | None = None, length: int = 2) -> NumberGraph:
    """3 -> 7 -> … -> 6 and 5 -> 8 -> … -> 6."""
    machine = bare_machine(machine_listener, level=Level.INFO) if machine_listener else None
    graph = NumberGraph(machine)
    left = [graph.kernel(f"K{name}_{name}") for name in (3, *range(700, 700 + length - 1))]
    right = [graph.kernel(f"K{name}_{name}") for name in (5, *range(800, 800 + length - 1))]
    last = graph.kernel("K6_6")
    graph.order(*left, last)
    graph.order(*right, last)
    return graph


def test_EX_12_two_threads_are_for_main_and_the_others_choose_for_themselves() -> None:
    process = open_process(add_model(), executor=MultiThreadExecutorOption(thread_num=2))
    chosen = [event.executor for event in process.recorder.events() if isinstance(event, ExecutorSelected)]
    assert chosen == ["sequential-executor", "multi-thread-topo-executor", "sequential-executor"]
    assert process.executor.load(process.arg) == 0
    status, value = process.step(floats(1, 2), floats(3, 4))
    assert status == 0
    assert value is not None
    assert value.tolist() == [4.0, 6.0]
    process.executor.close()


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (MultiThreadExecutorOption(thread_num=1), "new thread num is less than least 2"),
        (
            ExecutorOption(ExecutorKind.MULTI_THREAD),
            "multi-thread-topo-executor was asked for without a number of threads",
        ),
    ],
    ids=["EX-13", "EX-14"],
)
def test_EX_13_and_EX_14_one_thread_or_no_number_of_threads_create_nothing(option: ExecutorOption, text: str) -> None:
    recorder = Recorder()
    machine = bare_machine(recorder)
    assert create(lower_model(add_model()).root, machine, builtin_kernels(), option) is None
    (line,) = recorder.events()
    assert isinstance(line, LogLine)
    assert line.text == text


@pytest.mark.parametrize(
    ("threads", "normal", "memory", "launch"), [(2, 1, 1, 0), (3, 1, 1, 1), (4, 2, 1, 1), (9, 7, 1, 1)]
)
def test_memory_has_one_thread_and_from_three_on_launches_have_one(
    threads: int, normal: int, memory: int, launch: int
) -> None:
    assert list(thread_counts(threads).values()) == [normal, memory, launch]


@pytest.mark.parametrize(
    ("kernel", "section", "threads", "split", "found"),
    [
        ("InferShape", "", 4, KERNEL, TaskType.NORMAL),
        ("LaunchKernelWithHandle", "", 4, KERNEL, TaskType.LAUNCH),
        ("LaunchKernelWithHandle", "memory", 4, KERNEL, TaskType.MEMORY),
        ("CopyD2D", "launch", 4, KERNEL, TaskType.LAUNCH),
        ("FreeMemory", "memory", 2, KERNEL, TaskType.MEMORY),
        ("BuildTensor", "memory", 3, KERNEL, TaskType.NORMAL),
        ("BuildTensor", "memory", 4, KERNEL, TaskType.MEMORY),
        ("BuildTensor", "memory", 3, CHAIN, TaskType.MEMORY),
        ("ExecuteOpPrepare", "", 3, KERNEL, TaskType.MEMORY),
        ("SyncStream", "", 4, KERNEL, TaskType.NORMAL),
    ],
)
def test_the_tag_of_a_kernel_is_its_type_then_its_section_then_two_exceptions(
    kernel: str, section: str, threads: int, split: TaskProducerType, found: TaskType
) -> None:
    assert task_type(kernel, section, threads, split) is found


def test_EX_23_a_single_task_runs_all_nodes_in_order_and_in_the_second_run_twice() -> None:
    graph = two_chains()
    graph.build(MultiThreadExecutorOption(thread_num=2, split=SINGLE))
    order = ["K3_3", "K700_700", "K5_5", "K800_800", "K6_6"]
    assert graph.run()[0] == 0
    assert graph.take() == order
    assert scheduler_of(graph).completed == 1
    assert graph.run()[0] == 0
    assert graph.take() == order * 2
    graph.executor.emptied()


def test_EX_24_two_chains_that_meet_are_three_tasks() -> None:
    graph = two_chains()
    graph.build(MultiThreadExecutorOption(thread_num=2, split=CHAIN))
    assert graph.run()[0] == 0
    assert graph.take() == ["K3_3", "K700_700", "K5_5", "K800_800", "K6_6"]
    assert scheduler_of(graph).completed == 3
    graph.executor.emptied()


@pytest.mark.parametrize("seed", [None, *range(5)])
def test_EX_25_long_chains_and_several_workers_run_every_node_once_in_three_tasks(seed: int | None) -> None:
    graph = two_chains(length=40)
    graph.build(MultiThreadExecutorOption(thread_num=6, split=CHAIN, seed=seed))
    assert graph.run()[0] == 0
    assert len(graph.calls) == len(set(graph.calls)) == 81
    assert graph.calls[-1] == "K6_6"
    assert scheduler_of(graph).completed == 3
    graph.executor.emptied()


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_EX_26_the_kernels_of_an_operator_are_a_task_for_each_worker_and_stage(seed: int | None) -> None:
    graph = NumberGraph()
    graph.graph.compute_nodes.extend(add_model().nodes)
    shape, tiling = graph.kernel("Shape_1", operator=0), graph.kernel("Tiling_2", operator=0)
    alloc = graph.kernel("Alloc_3", operator=0, section="memory")
    launch = graph.kernel("CopyD2D_4", operator=0, section="launch")
    free = graph.kernel("Free_5", operator=0, section="memory")
    other = graph.kernel("Shape_6", operator=1)
    graph.order(shape, tiling, alloc, launch, free)
    graph.order(shape, other)
    graph.build(MultiThreadExecutorOption(thread_num=4, split=OP, seed=seed))
    assert graph.run()[0] == 0
    assert [name for name in graph.calls if name != "Shape_6"] == [
        "Shape_1",
        "Tiling_2",
        "Alloc_3",
        "CopyD2D_4",
        "Free_5",
    ]
    assert scheduler_of(graph).completed == 5
    graph.executor.emptied()


@pytest.mark.parametrize("split", [KERNEL, CHAIN, OP])
@pytest.mark.parametrize("seed", [None, 3])
def test_EX_29_after_a_failure_the_next_run_succeeds_and_what_depends_on_it_did_not_run(
    split: TaskProducerType, seed: int | None
) -> None:
    recorder = Recorder()
    graph = NumberGraph(bare_machine(recorder, level=Level.INFO))
    first = graph.kernel("Mul_1", lambda a: a * 2, graph.data(0))
    second = graph.kernel("Add_2", lambda a: a + 1, first, section="memory")
    graph.output(graph.kernel("Neg_3", lambda a: -a, second))
    graph.build(MultiThreadExecutorOption(thread_num=3, split=split, seed=seed))
    graph.statuses["Add_2"] = 4660
    recorder.heard.clear()
    assert graph.run(21) == (4660, [])
    assert graph.take() == ["Mul_1", "Add_2"]
    failures = [heard for heard in recorder.heard if heard.level is Level.ERROR]
    assert [heard.event for heard in failures][-1] == KernelFailed("Add_2", "Add")
    assert ModelStart() in recorder.events()
    assert ModelEnd() not in recorder.events()
    assert graph.run(21) == (0, [-43])
    graph.executor.emptied()


def test_the_end_of_a_sequence_ends_the_run_without_an_error() -> None:
    recorder = Recorder()
    graph = NumberGraph(bare_machine(recorder))
    graph.order(graph.kernel("Next_1"), graph.kernel("Use_2"))
    graph.build(MultiThreadExecutorOption(seed=0))
    graph.statuses["Next_1"] = Status.END_OF_SEQUENCE
    assert graph.run()[0] == 1343225863
    assert graph.calls == ["Next_1"]
    assert recorder.events() == []


def test_what_a_kernel_raises_comes_out_of_execute_and_the_next_run_is_clean() -> None:
    graph = NumberGraph()
    graph.output(graph.kernel("Div_1", lambda a: 8 // a, graph.data(0)))
    graph.build(MultiThreadExecutorOption(thread_num=2))
    with pytest.raises(ZeroDivisionError):
        graph.run(0)
    assert graph.run(2) == (0, [4])
    graph.executor.emptied()


class Limits:
    """A device that notes which thread works under which stream."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int]] = []

    def use(self, tid: int, stream: int) -> None:
        self.calls.append(("use", tid, stream))

    def leave(self, tid: int, stream: int) -> None:
        self.calls.append(("leave", tid, stream))


def streamed_graph(recorder: Recorder) -> NumberGraph:
    graph = NumberGraph(bare_machine(recorder, level=Level.INFO))
    for index in (-1, -2, -3, -4):
        graph.data(index)
    graph.kernel("NoOp_1")
    graph.build(MultiThreadExecutorOption(thread_num=2))
    recorder.heard.clear()
    return graph


def test_EX_30_threads_bind_to_a_main_stream_bind_again_to_another_one_and_leave_at_the_end() -> None:
    recorder = Recorder()
    graph = streamed_graph(recorder)
    limits = scheduler_of(graph).limits = Limits()
    known = [graph.machine.device.create_stream() for _ in range(2)]
    first, second = (stream.handle for stream in known)
    for handle in (first, first, second):
        assert graph.run([handle], None, [], []) == (0, [])
    graph.executor.emptied()
    told = {tid: [(what, stream) for what, by, stream in limits.calls if by == tid] for _, tid, _ in limits.calls}
    bound = [("use", first), ("leave", first), ("use", second), ("leave", second)]
    assert told[2] == bound  # the thread that had work; another one may have slept through a run
    said = [event for event in recorder.events() if isinstance(event, SchedulerLine)]
    dispatched = SchedulerLine("Scheduler dispatch stream ", f"0x{first:x} (id={known[0].rt_id}) to 3 worker groups.")
    assert said[0] == dispatched
    assert SchedulerLine("Worker[", f"normal_task_worker] bind stream 0x{first:x} success.") in said


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ((None, None, None, None), "Stream vector is nullptr at input index 0."),
        (([], None, [], []), "Stream vector is empty at input index 0."),
    ],
)
def test_EX_31_without_a_stream_the_run_goes_on_with_a_warning(inputs: tuple[object, ...], text: str) -> None:
    recorder = Recorder()
    graph = streamed_graph(recorder)
    assert graph.run(*inputs) == (0, [])
    warning = recorder.heard[0]
    assert (warning.level, type(warning.event)) == (Level.WARNING, LogLine)
    assert isinstance(warning.event, LogLine)
    assert warning.event.text == text
    graph.executor.emptied()


def test_EX_31_without_the_four_appended_arguments_the_run_goes_on_with_a_warning() -> None:
    recorder = Recorder()
    graph = NumberGraph(bare_machine(recorder, level=Level.WARNING))
    graph.kernel("NoOp_1")
    graph.build(MultiThreadExecutorOption(thread_num=2))
    assert graph.run() == (0, [])
    (line,) = recorder.events()
    assert isinstance(line, LogLine)
    assert line.text == "Invalid input num 0, less than execute arg count 4."
    graph.executor.emptied()


def test_EX_38_each_thread_is_reported_at_its_start_and_its_end_when_a_run_is_told_of() -> None:
    graph = NumberGraph()
    graph.kernel("NoOp_1")
    graph.build(MultiThreadExecutorOption(thread_num=2))
    reported: list[tuple[int, bool]] = []
    scheduler_of(graph).thread_listener = lambda tid, begins: reported.append((tid, begins))
    assert graph.run()[0] == 0
    assert reported == []
    heard: list[ExecutorEvent] = []
    subscribers = graph.silent()
    subscribers.add(lambda _graph, event, _node, _status: heard.append(event))
    assert graph.run(subscribers=subscribers)[0] == 0
    assert reported == [(2, True), (3, True), (2, False), (3, False)]
    assert heard[0] is ExecutorEvent.MODEL_START
    assert heard[-1] is ExecutorEvent.MODEL_END
    graph.executor.emptied()


def test_more_threads_than_cores_are_made_with_ges_warning() -> None:
    recorder = Recorder()
    graph = NumberGraph(bare_machine(recorder, level=Level.WARNING))
    graph.kernel("NoOp_1")
    graph.build(MultiThreadExecutorOption(thread_num=HOST_CORES, seed=0))
    (line,) = recorder.events()
    assert isinstance(line, LogLine)
    assert line.text == "Thread count 65 exceeds the hardware concurrentcy 64"


def test_a_single_task_cannot_hold_control_flow() -> None:
    graph = NumberGraph()
    graph.kernel("WaitAnyone_1")
    with pytest.raises(ModelError, match="a single task cannot run control flow"):
        graph.build(MultiThreadExecutorOption(split=SINGLE))


@pytest.mark.parametrize("mode", list(TaskThreadMode))
def test_threads_that_spin_yield_or_sleep_run_the_same(mode: TaskThreadMode) -> None:
    graph = two_chains(length=10)
    graph.build(MultiThreadExecutorOption(thread_num=4, mode=mode))
    for _ in range(3):
        assert graph.run()[0] == 0
        assert sorted(graph.take()) == sorted(node.name for node in graph.executor.data.nodes)
    graph.executor.emptied()


@pytest.mark.parametrize(("text", "threads"), [(None, None), ("1", None), ("x", None), ("2", 2), ("5", 5)])
def test_the_environment_asks_for_threads_from_two_on(text: str | None, threads: int | None) -> None:
    option = option_from({} if text is None else {"MAX_RUNTIME_CORE_NUMBER": text})
    assert (option.thread_num if isinstance(option, MultiThreadExecutorOption) else None) == threads


def test_a_scheduler_says_how_it_stands_in_ges_lines() -> None:
    recorder = Recorder()
    graph = two_chains(recorder)
    graph.build(MultiThreadExecutorOption(thread_num=2, split=CHAIN, seed=0))
    assert graph.run()[0] == 0
    recorder.heard.clear()
    dump(scheduler_of(graph), graph.machine.journal)
    lines = [event.what + event.text for event in recorder.events() if isinstance(event, SchedulerLine)]
    assert lines[:7] == [
        "|-- Task Scheduler [stopped]",
        "    |-- scheduled count = 3, completed count = 3",
        "|-- Producer [type : chain]",
        "|-- Worker Group [type : normal, size : 1, running : false]",
        "    |-- submitted count = 3, completed count = 3, submit task failed = 0",
        "    |-- Worker [normal_task_worker : running(false)]",
        "        |-- pendding queue size = 0, completed queue size = 0",
    ]
    assert "        |-- Task Thread [ name : ge_exe_tasktd, mode : urgent ]" in lines
    assert "            |-- exec succ = 3, exec failed = 0" in lines


def test_a_full_queue_makes_the_scheduler_wait_and_loses_nothing() -> None:
    graph = NumberGraph()
    for number in range(30):
        graph.kernel(f"NoOp_{number}")
    graph.build(MultiThreadExecutorOption(thread_num=8, seed=5))
    scheduler = scheduler_of(graph)
    scheduler.workers[TaskType.NORMAL].pending.capacity = 2
    assert graph.run()[0] == 0
    assert sorted(graph.calls) == sorted(f"NoOp_{number}" for number in range(30))
    assert scheduler.workers[TaskType.NORMAL].refused > 0
    assert scheduler.workers[TaskType.NORMAL].submit(ExecTask(0, TaskType.NORMAL, ())) == 0
