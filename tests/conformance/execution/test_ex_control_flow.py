"""Scenarios EX-10, EX-16, EX-18, EX-19 and EX-27 of spec/execution.md 8.1: control flow in every executor that can."""

import pytest
from flow_execute_graphs import FlowRun, if_graph, while_graph
from kernel_runs import Workbench
from simulated_runs import Recorder
from standin_kernels import bare_machine

from getrace.events import Level
from getrace.events.markers import ExecutorSelected
from getrace.events.text import LogLine
from runtime.executors.options import ExecutorKind, ExecutorOption, MultiThreadExecutorOption, TaskProducerType
from runtime.kernels.status import Status

FLOW = pytest.mark.parametrize(
    "option",
    [
        ExecutorOption(ExecutorKind.TOPOLOGICAL),
        ExecutorOption(ExecutorKind.PRIORITY),
        MultiThreadExecutorOption(thread_num=2),
        MultiThreadExecutorOption(thread_num=4, seed=1),
        MultiThreadExecutorOption(thread_num=3, split=TaskProducerType.CHAIN),
        MultiThreadExecutorOption(thread_num=3, split=TaskProducerType.OP, seed=2),
    ],
    ids=["topological", "priority", "2 threads", "seeded", "chain", "op"],
)


def test_EX_10_an_if_graph_with_four_launches_is_for_the_general_topological_executor() -> None:
    root = if_graph()
    for number in range(4):
        root.add_node(f"LaunchKernelWithHandle_{number}", "LaunchKernelWithHandle")
    recorder = Recorder()
    FlowRun(root, ExecutorOption(), [0], bare_machine(recorder, level=Level.INFO))
    assert recorder.events()[0] == ExecutorSelected("general-topo-executor", "Main_30")


@FLOW
def test_EX_16_only_the_chosen_branch_runs_and_the_consumer_runs_once(option: ExecutorOption) -> None:
    flow = FlowRun(if_graph(), option, [0, 1, 0])
    around = ["GenIndexForIf", "SwitchNotify", "BranchPivot", "{}", "BranchDone", "WaitAnyone", "After"]
    for chosen in ("Then0", "Then1", "Then0"):
        assert flow.run() == [kernel.format(chosen) for kernel in around]


def test_EX_18_a_case_without_branches_is_refused() -> None:
    bench = Workbench()
    context = bench.context("GenIndexForCase", None, 0)
    assert bench.run(context) == Status.PARAM_INVALID
    (line,) = bench.recorder.events()
    assert isinstance(line, LogLine)
    assert line.text == "Failed to generate index for case, at least one default branch"


@FLOW
@pytest.mark.parametrize("turns", [0, 1, 5])
def test_EX_19_the_body_runs_k_times_the_condition_once_more_and_a_second_run_does_the_same(
    option: ExecutorOption, turns: int
) -> None:
    flow = FlowRun(while_graph(), option, [*[1] * turns, 0] * 2)
    condition = ["WaitAnyone", "GenCondForWhile", "CondSwitchNotify"]
    turn = [*condition, "BranchPivot", "Body", "BranchDone"]
    expected = ["First", "Enter", *turn * turns, *condition, "Exit", "After"]
    assert flow.run() == expected
    assert flow.run() == expected


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("threads", [2, 3, 5])
def test_EX_27_the_kernel_producer_runs_what_the_topological_executor_runs(seed: int, threads: int) -> None:
    many = MultiThreadExecutorOption(thread_num=threads, seed=seed)
    one = ExecutorOption(ExecutorKind.TOPOLOGICAL)
    for root, decisions in ((if_graph(3), [2, 0, 1]), (while_graph(), [1, 1, 0, 0, 1, 0])):
        threaded, single = FlowRun(root, many, decisions), FlowRun(root, one, decisions)
        for _ in range(3):
            assert threaded.run() == single.run()
