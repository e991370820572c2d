"""Scenarios EX-32, EX-33, EX-36 and EX-37 of spec/execution.md 8.1: memory that must not leave before its launch."""

from dataclasses import replace

import pytest
from number_graphs import NumberGraph
from simulated_runs import Recorder, floats, open_process
from standin_kernels import bare_machine

from getrace.errors import ModelError
from getrace.events.text import LogLine
from runtime.engines.options import LoweringOptions
from runtime.executors.multi_thread.free_launch import LAST_NUMBER, FreeLaunchCsr, FreeLaunchState
from runtime.executors.multi_thread.scheduler import TaskScheduler
from runtime.executors.options import MultiThreadExecutorOption, TaskProducerType
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.status import Status
from runtime.lowering.pipeline import lower_model
from runtime.subscribers.phase import GraphType

FREE, LAUNCH, OTHER = 0, 1, 2
GOOD = FreeLaunchCsr.of([(FREE, LAUNCH)], 3)


def test_the_relation_is_sorted_and_holds_each_pair_once() -> None:
    assert FreeLaunchCsr.of([(2, 1), (0, 3), (2, 0), (0, 3)], 4) == FreeLaunchCsr([0, 1, 1, 3, 3], [3, 0, 1], 4, 3)


def freed_then_waiting(seed: int | None, submitted_first: bool) -> tuple[int, list[str]]:
    """A free whose worker then needs memory that is not there, and a launch on another worker."""
    graph = NumberGraph()
    waited: list[int] = []

    def wait() -> int:
        assert scheduler is not None
        graph.calls.append("wait")
        waited.append(scheduler.wait_for_launch_submissions())
        graph.calls.append("memory leaves")
        return 0

    free = graph.kernel("Free_1", section="memory", priority=1)
    pressed = graph.kernel("Alloc_2", wait, section="memory", priority=1)
    slow = graph.kernel("Shape_3", priority=1)
    launch = graph.kernel("CopyD2D_4", section="launch", priority=1)
    graph.order(slow, launch)
    graph.order(free, pressed)
    if submitted_first:
        graph.order(launch, free)
    graph.build(MultiThreadExecutorOption(thread_num=3, seed=seed))
    scheduler = graph.executor.data.scheduler
    assert scheduler is not None
    assert scheduler.prepare(FreeLaunchCsr.of([(0, 3)], 4)) == 0
    assert graph.run()[0] == 0
    graph.executor.emptied()
    assert waited == [0]
    return scheduler.relation.unmet, graph.calls


@pytest.mark.parametrize("seed", [None, *range(10)])
def test_EX_32_the_wait_ends_when_the_launch_has_been_submitted(seed: int | None) -> None:
    unmet, calls = freed_then_waiting(seed, submitted_first=False)
    assert unmet == 0
    assert calls.index("CopyD2D_4") < calls.index("memory leaves")
    assert calls.index("Free_1") < calls.index("wait")


def test_EX_33_a_launch_submitted_before_the_free_is_not_waited_for() -> None:
    _, calls = freed_then_waiting(0, submitted_first=True)
    assert calls == ["Shape_3", "CopyD2D_4", "Free_1", "Alloc_2", "wait", "memory leaves"]


def test_EX_33_in_a_loop_each_free_needs_a_launch_of_its_own_turn() -> None:
    state = FreeLaunchState(GOOD)
    assert state.start_up() == 0
    for number, settled in ((LAUNCH, True), (FREE, True), (FREE, False), (OTHER, False), (LAUNCH, True)):
        assert state.executed(number) == 0
        assert state.settled is settled


BROKEN = {
    "Free-launch CSR node num 4 does not match schedule limit 3": replace(GOOD, node_num=4),
    "Free-launch CSR first offset 1 is not zero": replace(GOOD, offsets=[1, 1, 1, 1]),
    "Free-launch CSR offset 2 at index 1 exceeds relation num 1": replace(GOOD, offsets=[0, 2, 1, 1]),
    "Free-launch CSR offsets are not monotonic at index 2": replace(GOOD, offsets=[0, 1, 0, 1]),
    "Free-launch CSR relation num is invalid": replace(GOOD, offsets=[0, 0, 0, 0]),
    "Free-launch CSR launch id 3 at index 0 is out of range 3": replace(GOOD, launch_ids=[3]),
}


@pytest.mark.parametrize("text", BROKEN)
def test_EX_36_a_broken_relation_is_refused_and_the_one_before_stays(text: str) -> None:
    recorder = Recorder()
    graph = NumberGraph(bare_machine(recorder))
    for number in range(3):
        graph.kernel(f"NoOp_{number}")
    graph.build(MultiThreadExecutorOption(seed=0))
    scheduler: TaskScheduler | None = graph.executor.data.scheduler
    assert scheduler is not None
    assert scheduler.prepare(GOOD) == 0
    assert scheduler.prepare(BROKEN[text]) == 1343225857
    (line,) = recorder.events()
    assert isinstance(line, LogLine)
    assert line.text == text
    assert scheduler.relation.csr is GOOD


def test_a_relation_without_any_array_means_that_there_are_none() -> None:
    assert FreeLaunchCsr([], [], 0, 0).fault(7) == ""


def test_EX_37_an_epoch_that_cannot_be_counted_on_ends_the_run_before_it_began() -> None:
    graph = NumberGraph()
    graph.kernel("NoOp_0")
    graph.build(MultiThreadExecutorOption(seed=0))
    scheduler = graph.executor.data.scheduler
    assert scheduler is not None
    scheduler.relation.epoch = LAST_NUMBER
    ended: list[int] = []
    scheduler.producer.end_up = lambda: ended.append(1)  # type: ignore[method-assign]
    assert graph.run()[0] == Status.FAILED
    assert (graph.calls, ended, scheduler.relation.epoch) == ([], [], (1 << 64) - 1)


@pytest.mark.parametrize(("counts", "number"), [("freed", FREE), ("submitted", LAUNCH)])
def test_EX_37_a_generation_that_cannot_be_counted_on_gives_the_run_up(counts: str, number: int) -> None:
    state = FreeLaunchState(GOOD)
    state.start_up()
    getattr(state, counts)[number] = LAST_NUMBER
    assert state.executed(number) == Status.FAILED
    assert state.abort_status == Status.FAILED
    assert state.settled
    assert getattr(state, counts)[number] == (1 << 64) - 1


def test_the_first_failure_wins() -> None:
    state = FreeLaunchState(GOOD)
    state.start_up()
    state.abort(7)
    state.abort(9)
    assert state.abort_status == 7


def chain() -> ComputeGraph:
    graph = GraphBuilder("chain")
    value = graph.data("x", (-1,))
    for number in range(4):
        value = graph.op("Relu", value, name=f"relu_{number}")
    return graph.output(value).build()


def test_a_graph_lowered_for_threads_brings_its_relation_and_gives_the_same_values() -> None:
    root = lower_model(chain(), LoweringOptions(max_runtime_core_number=3)).root
    process = open_process(executor=MultiThreadExecutorOption(thread_num=3), lowered=root)
    scheduler = process.executor.model.graphs[GraphType.MAIN].data.scheduler
    assert scheduler is not None
    names = [node.name for node in scheduler.plan.nodes]
    csr = scheduler.relation.csr
    pairs = {
        (names[free].split("_")[0], names[launch].split("_")[0])
        for free in range(csr.node_num)
        for launch in csr.launch_ids[csr.offsets[free] : csr.offsets[free + 1]]
    }
    assert pairs == {
        ("FreeMemoryHoldAddr", "LaunchKernelWithHandle"),
        ("FreeBatchHbmHoldAddr", "LaunchKernelWithHandle"),
    }
    assert process.executor.load(process.arg) == 0
    for values in ((-1, 2), (3, -4)):
        status, value = process.step(floats(*values))
        assert status == 0
        assert value is not None
        assert value.tolist() == [max(each, 0) for each in values]
    process.executor.close()


def test_a_graph_lowered_for_threads_cannot_be_split_by_chain() -> None:
    root = lower_model(chain(), LoweringOptions(max_runtime_core_number=3)).root
    with pytest.raises(ModelError, match="cannot be split by chain"):
        open_process(executor=MultiThreadExecutorOption(split=TaskProducerType.CHAIN), lowered=root)
