"""Scenarios EX-01 to EX-10 and EX-15 of spec/execution.md 8.1: the executors of one thread."""

import pytest
from number_graphs import NumberGraph
from simulated_runs import Recorder
from standin_kernels import bare_machine

from getrace.events import Level
from getrace.events.markers import ExecutorSelected
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.kernels.status import Status
from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType
from runtime.subscribers.stamps import StampRecorder

SEQUENTIAL, TOPOLOGICAL, PRIORITY = (
    ExecutorOption(kind) for kind in (ExecutorKind.SEQUENTIAL, ExecutorKind.TOPOLOGICAL, ExecutorKind.PRIORITY)
)
ONE_THREAD = pytest.mark.parametrize("option", [SEQUENTIAL, TOPOLOGICAL, PRIORITY], ids=lambda option: option.kind)


@ONE_THREAD
def test_EX_01_an_empty_graph_succeeds_and_calls_nothing(option: ExecutorOption) -> None:
    graph = NumberGraph()
    graph.build(option)
    assert graph.run() == (0, [])
    assert graph.calls == []


@ONE_THREAD
def test_EX_02_one_node_gives_a_new_result_for_new_inputs(option: ExecutorOption) -> None:
    graph = NumberGraph()
    graph.output(graph.kernel("Mul_1", lambda a, b: a * b, graph.data(0), graph.data(1)))
    graph.build(option)
    assert graph.run(2, 1024) == (0, [2048])
    assert graph.run(2, 100) == (0, [200])


@ONE_THREAD
def test_EX_03_a_chain_of_nodes_runs_each_exactly_once(option: ExecutorOption) -> None:
    graph = NumberGraph()
    first = graph.kernel("Mul_1", lambda a, b: a * b, graph.data(0), graph.data(1))
    graph.output(first, graph.kernel("Half_2", lambda a: a // 2, first))
    graph.build(option)
    assert graph.run(2, 1024) == (0, [2048, 1024])
    assert graph.calls == ["Mul_1", "Half_2"]


@pytest.mark.parametrize("option", [SEQUENTIAL, PRIORITY], ids=lambda option: option.kind)
def test_EX_04_independent_nodes_run_in_ascending_priority(option: ExecutorOption) -> None:
    graph = NumberGraph()
    for place, kind in enumerate(("add", "foo", "move")):
        for turn in range(3):
            graph.kernel(f"{kind}_{turn}", priority=10 * turn + place)
    graph.build(option)
    assert graph.run()[0] == 0
    assert graph.calls == [f"{kind}_{turn}" for turn in range(3) for kind in ("add", "foo", "move")]


@ONE_THREAD
def test_EX_05_a_node_that_failed_once_succeeds_in_the_next_run(option: ExecutorOption) -> None:
    graph = NumberGraph()
    first = graph.kernel("Mul_1", lambda a, b: a * b, graph.data(0), graph.data(1))
    second = graph.kernel("Times_2", lambda a: a * 5, first)
    graph.output(graph.kernel("Same_3", lambda a: a, second))
    graph.build(option)
    graph.statuses["Times_2"] = Status.FAILED
    assert graph.run(2, 1024) == (4294967295, [])
    assert graph.take() == ["Mul_1", "Times_2"]
    assert graph.run(2, 1024) == (0, [10240])
    assert graph.take() == ["Mul_1", "Times_2", "Same_3"]


@ONE_THREAD
def test_EX_07_without_a_callback_the_run_fails_and_no_node_runs(option: ExecutorOption) -> None:
    graph = NumberGraph()
    graph.kernel("NoOp_1")
    assert graph.build(option).execute_with(None) == 4294967295
    assert graph.calls == []


@ONE_THREAD
def test_EX_08_starts_and_ends_are_as_many_as_nodes_and_the_model_has_one_of_each(option: ExecutorOption) -> None:
    graph = NumberGraph()
    graph.output(graph.kernel("Half_2", lambda a: a // 2, graph.kernel("Mul_1", lambda a: 2 * a, graph.data(0))))
    graph.build(option)
    heard: list[tuple[GraphType, ExecutorEvent, str | None, int]] = []

    def listen(kind: GraphType, event: ExecutorEvent, node: ExecNode | None, status: int, /) -> None:
        heard.append((kind, event, node.name if node else None, status))

    subscribers = graph.silent()
    subscribers.add(listen)
    assert graph.run(8, subscribers=subscribers) == (0, [8])
    assert heard == [
        (GraphType.MAIN, ExecutorEvent.MODEL_START, None, 0),
        (GraphType.MAIN, ExecutorEvent.EXECUTE_START, "Mul_1", 0),
        (GraphType.MAIN, ExecutorEvent.EXECUTE_END, "Mul_1", 0),
        (GraphType.MAIN, ExecutorEvent.EXECUTE_START, "Half_2", 0),
        (GraphType.MAIN, ExecutorEvent.EXECUTE_END, "Half_2", 0),
        (GraphType.MAIN, ExecutorEvent.MODEL_END, None, 0),
    ]


def test_EX_09_without_control_flow_the_default_is_the_sequential_executor() -> None:
    recorder = Recorder()
    graph = NumberGraph(bare_machine(recorder, level=Level.INFO))
    graph.kernel("NoOp_1")
    graph.build(ExecutorOption())
    assert recorder.events()[0] == ExecutorSelected("sequential-executor", "Main_30")


def test_EX_15_a_chain_of_two_has_one_start_and_the_second_watches_the_first() -> None:
    graph = NumberGraph()
    graph.kernel("Bar_2", lambda a: a, graph.kernel("Foo_1"))
    data = graph.build(TOPOLOGICAL).data
    assert data.topology is not None
    assert [node.name for node in data.nodes] == ["Foo_1", "Bar_2"]
    assert (data.topology.starts, data.topology.indegrees) == ((0,), (0, 1))
    assert data.topology.watchers == ([1], [])
    assert graph.run()[0] == 0
    assert data.topology.indegrees == (0, 1)


@ONE_THREAD
def test_a_recorder_of_times_alone_gets_two_stamps_for_each_kernel(option: ExecutorOption) -> None:
    graph = NumberGraph()
    graph.order(graph.kernel("A_1"), graph.kernel("B_2"), graph.kernel("C_3"))
    graph.build(option)
    clock = iter(range(100, 200, 10))
    recorder = StampRecorder(lambda: next(clock))
    subscribers = graph.silent()
    subscribers.add(recorder)
    assert graph.run(subscribers=subscribers)[0] == 0
    stamps = recorder.stamps(GraphType.MAIN)
    assert stamps.count == 3
    assert list(stamps.kernels) == [0, 1, 2]
    assert list(stamps.starts) == [100, 120, 140]
    assert list(stamps.ends) == [110, 130, 150]


@ONE_THREAD
def test_a_recorder_beside_other_subscribers_gets_the_same_stamps(option: ExecutorOption) -> None:
    graph = NumberGraph()
    graph.order(graph.kernel("A_1"), graph.kernel("B_2"))
    graph.build(option)
    clock = iter(range(5))
    recorder = StampRecorder(lambda: next(clock))
    subscribers = graph.silent()
    subscribers.add(recorder)
    subscribers.add(lambda *_told: None)
    graph.statuses["B_2"] = 7
    assert graph.run(subscribers=subscribers)[0] == 7
    stamps = recorder.stamps(GraphType.MAIN)
    assert (stamps.count, list(stamps.starts), list(stamps.ends)) == (2, [0, 2], [1, 3])
