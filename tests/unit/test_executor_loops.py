"""Order, loops and subscribers: what runs when, and who is told."""

from collections.abc import Iterable

import pytest
from simulated_runs import Recorder, floats, open_process, replaced

from getrace.bus import Bus
from getrace.errors import ModelError
from getrace.events import Event, Level, Origin
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.streams import NotifyGot
from getrace.events.text import Note
from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.executors.execution_data import ExecutionData, GraphExecutor, PlannedNode
from runtime.executors.io_reuse import check_reuse, parse_pairs
from runtime.executors.loops import run_plain, run_traced
from runtime.executors.order import execution_order
from runtime.executors.refusals import Refusal
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.context import KernelContext
from runtime.kernels.machine import Machine
from runtime.kernels.registry import Kernel, RunFunc
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.ops.builtin import builtin_ops
from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType
from runtime.subscribers.scheduler import SubscribersScheduler
from runtime.subscribers.tracer import ExecutorTracer


def machine(recorder: Recorder, level: Level = Level.INFO) -> Machine:
    device = Device(find_profile("tiny"), seed=0, start_ns=0)
    bus = Bus(now=device.clock.stamp, levels={"GE": level})
    bus.subscribe(recorder)
    journal = Journal(bus, Origin(1, "test", 1))
    return Machine(device, journal, ProcessMemory(device, journal), builtin_ops())


def node(name: str, run: RunFunc, on: Machine) -> PlannedNode:
    return PlannedNode(name, run, KernelContext(name, "NoOp", (), (), None, on), None)


def counted(ran: list[str], statuses: Iterable[int], on: Machine) -> list[PlannedNode]:
    def kernel(name: str, status: int) -> RunFunc:
        def run(_context: KernelContext) -> int:
            ran.append(name)
            return status

        return run

    return [node(f"NoOp_{index}", kernel(f"NoOp_{index}", status), on) for index, status in enumerate(statuses)]


@pytest.mark.parametrize(("statuses", "result", "count"), [((0, 0, 0), 0, 3), ((0, 5, 0), 5, 2), ((), 0, 0)])
def test_both_loops_run_the_same_and_stop_at_the_first_failure(
    statuses: tuple[int, ...], result: int, count: int
) -> None:
    on = machine(Recorder())
    plain: list[str] = []
    nodes = counted(plain, statuses, on)
    assert run_plain([(item.run, item.context) for item in nodes]) == result
    traced: list[str] = []
    nodes = counted(traced, statuses, on)
    assert run_traced(nodes, GraphType.MAIN, lambda *_told: None) == result
    assert plain == traced
    assert len(plain) == count


def test_a_subscriber_hears_start_and_end_of_each_node_and_no_model_end_after_a_failure() -> None:
    heard: list[tuple[GraphType, ExecutorEvent, str | None, int]] = []

    def listen(graph: GraphType, event: ExecutorEvent, node: ExecNode | None, status: int, /) -> None:
        heard.append((graph, event, node.name if node else None, status))

    nodes = counted([], (0, 7), machine(Recorder()))
    run_traced(nodes, GraphType.INIT, listen)
    assert heard == [
        (GraphType.INIT, ExecutorEvent.MODEL_START, None, 0),
        (GraphType.INIT, ExecutorEvent.EXECUTE_START, "NoOp_0", 0),
        (GraphType.INIT, ExecutorEvent.EXECUTE_END, "NoOp_0", 0),
        (GraphType.INIT, ExecutorEvent.EXECUTE_START, "NoOp_1", 0),
        (GraphType.INIT, ExecutorEvent.EXECUTE_END, "NoOp_1", 7),
    ]


def executor(on: Machine) -> tuple[GraphExecutor, SubscribersScheduler]:
    nodes = tuple(counted([], (0, 0), on))
    data = ExecutionData("Main_1", GraphType.MAIN, nodes, (), ())
    return GraphExecutor(data), SubscribersScheduler(ExecutorTracer(on.journal))


def test_the_tracer_prints_markers_and_one_end_per_kernel() -> None:
    recorder = Recorder()
    graph, subscribers = executor(machine(recorder))
    assert graph.execute(subscribers) == 0
    assert [(item.kernel, item.event) for item in recorder.heard] == [
        (None, ModelStart()),
        ("NoOp_0", KernelEnd()),
        ("NoOp_1", KernelEnd()),
        (None, ModelEnd()),
    ]


def test_the_tracer_follows_the_level_while_a_graph_runs() -> None:
    recorder = Recorder()
    on = machine(recorder)
    graph, subscribers = executor(on)

    def louder_or_softer(_graph: GraphType, event: ExecutorEvent, node: ExecNode | None, _status: int, /) -> None:
        if event is ExecutorEvent.EXECUTE_START and node is not None:
            on.journal.bus.set_level("GE", Level.WARNING if node.name == "NoOp_1" else Level.INFO)

    subscribers.add(louder_or_softer)
    graph.execute(subscribers)
    assert [item.kernel for item in recorder.heard] == [None, "NoOp_0"]


def test_nobody_is_asked_when_nobody_listens() -> None:
    graph, subscribers = executor(machine(Recorder(), Level.WARNING))
    assert not subscribers.is_enabled()
    heard: list[ExecutorEvent] = []

    def listen(_graph: GraphType, event: ExecutorEvent, _node: ExecNode | None, _status: int, /) -> None:
        heard.append(event)

    subscribers.add(listen, GraphType.INIT)
    assert subscribers.is_enabled()
    graph.execute(subscribers)
    assert heard == []
    subscribers.add(listen, GraphType.MAIN)
    graph.execute(subscribers)
    assert len(heard) == 6
    assert subscribers.size == 3
    subscribers.remove(listen)
    assert not subscribers.is_enabled()


def test_a_single_subscriber_is_called_directly() -> None:
    on = machine(Recorder())
    tracer = ExecutorTracer(on.journal)
    assert SubscribersScheduler(tracer).subscriber_for(GraphType.MAIN) is tracer


def test_a_printer_may_give_events_or_texts_and_an_empty_text_is_no_line() -> None:
    def printer(_context: KernelContext) -> list[Event | str]:
        return ["my own words", "", NotifyGot(1, 2)]

    recorder = Recorder()
    on = machine(recorder)
    item = PlannedNode("Mine_1", lambda _context: 0, KernelContext("Mine_1", "Mine", (), (), None, on), printer)
    data = ExecutionData("Main_1", GraphType.MAIN, (item,), (), ())
    GraphExecutor(data).execute(SubscribersScheduler(ExecutorTracer(on.journal)))
    assert recorder.events()[1:-1] == [Note("my own words"), NotifyGot(1, 2)]


def ordered(edges: Iterable[tuple[str, str]], priorities: dict[str, int] | None = None) -> list[str]:
    graph = ExecuteGraph("g")
    nodes = {name: graph.add_node(name, "NoOp") for name in "abcdef"}
    for name, priority in (priorities or {}).items():
        nodes[name].attrs["priority"] = priority
    for before, after in edges:
        graph.add_control_edge(nodes[before], nodes[after])
    return [item.name for item in execution_order(graph)]


def test_nodes_run_in_the_order_in_which_they_became_ready() -> None:
    assert ordered([]) == ["a", "b", "c", "d", "e", "f"]
    assert ordered([("b", "a"), ("c", "d")]) == ["b", "c", "e", "f", "a", "d"]


def test_a_smaller_priority_runs_earlier_as_soon_as_it_is_ready() -> None:
    assert ordered([("a", "f")], {"f": 1, "a": 2}) == ["a", "f", "b", "c", "d", "e"]


def test_a_circle_is_named() -> None:
    with pytest.raises(ModelError, match="graph g has a circle through node a"):
        ordered([("a", "b"), ("b", "a")])


def test_constants_of_init_run_first_and_the_rest_follows_as_in_a_real_log() -> None:
    process = open_process()
    nodes = process.executor.model.graphs[GraphType.INIT].data.nodes
    kinds = [item.context.type for item in nodes if item.context.type != "Const"]
    assert kinds == [
        *("GetPlatformInfo", "SplitRtStreams", "CreateL1Allocator", "GetSpaceRegistry", "AppendCoreTypeToPlatform"),
        *("GetSpaceRegistry", "SelectL1Allocator", "FindInferShapeFunc", "FindTilingFunc", "CreateL2Allocators"),
        "CreateInitL2Allocator",
    ]


def test_the_order_of_main_before_the_passes_is_stable() -> None:
    process = open_process()
    nodes = process.executor.model.graphs[GraphType.MAIN].data.nodes
    kinds = [item.context.type for item in nodes if item.context.type != "Const"]
    assert kinds == [
        *("SplitRtStreams", "SplitDataTensor", "SplitDataTensor", "AllocLaunchArg", "TilingParse"),
        *("SinkNodeBinWithHandle", "SelectL1Allocator", "CalcTensorSizeFromStorage", "CalcTensorSizeFromStorage"),
        *("InferShape", "PrepareCacheableTilingFwkData", "SelectL2Allocator", "CalcTensorSizeFromShape"),
        *("CacheableTiling", "MakeSureTensorAtDevice", "MakeSureTensorAtDevice", "AllocMemHbm", "AllocBatchHbm"),
        *("LaunchKernelWithHandle", "FreeMemory", "FreeMemory", "FreeBatchHbm", "EnsureTensorAtOutMemory"),
        "FreeMemory",
    ]


def test_a_kernel_without_a_registration_stops_the_build() -> None:
    def renamed(kernel: Kernel) -> Kernel:
        return Kernel("Renamed", kernel.run)

    with pytest.raises(ModelError, match=r"Failed to find exec node \[InferShape_add_125\] kernel funcs"):
        open_process(kernels=replaced("InferShape", renamed))


def test_an_outputs_creator_that_fails_stops_the_build() -> None:
    def broken(kernel: Kernel) -> Kernel:
        return Kernel(kernel.type, kernel.run, outputs_creator=lambda _context: 1)

    with pytest.raises(ModelError, match="Failed to create output for node InferShape_add_125 type InferShape"):
        open_process(kernels=replaced("InferShape", broken))


PAIRS = [
    ("0,1|2,3", [(0, 1), (2, 3)], 0),
    ("", [], 0),
    ("0|1,2", [(1, 2)], 0),
    (" 1x,2y", [(1, 2)], 0),
    ("-1,0|0,0", [(0, 0)], 1),
    ("a,0|0,0", [(0, 0)], 1),
]


@pytest.mark.parametrize(("option", "pairs", "warnings"), PAIRS)
def test_reuse_pairs_are_read_as_ge_reads_them(option: str, pairs: list[tuple[int, int]], warnings: int) -> None:
    found, said = parse_pairs(option)
    assert (found, len(said)) == (pairs, warnings)


def test_a_reuse_pair_out_of_range_is_named() -> None:
    process = open_process()
    tensors = process.inputs(floats(1))
    assert check_reuse([(0, 0)], tensors, tensors) is None
    assert _text(check_reuse([(1, 0)], tensors, tensors)) == (
        "[Check][Param] Input index 1 out of range, input_num is 1, addr reuse check not pass"
    )
    assert _text(check_reuse([(0, 2)], tensors, tensors)) == (
        "[Check][Param] Output index 2 out of range, output_num is 1, addr reuse check not pass"
    )
    assert check_reuse([(9, 9)], [], tensors) is None


def _text(refusal: Refusal | None) -> str | None:
    return refusal.text if refusal else None
