"""The order tables of spec/kerneltrace.md 10.3 to 10.8, line by line, on models written here."""

from collections.abc import Callable, Mapping

import pytest
from memory_lifetimes import broken_rule, lives
from simulated_runs import OpenProcess, floats, open_process
from truth_runs import truth_ops

from getrace.events import Event
from getrace.events.memory import BirthRecycle, MemFree
from getrace.events.pools import AllocatorMade, AllocRequest, MemoryPressure, PoolShrink
from getrace.events.streams import EventWaited, StreamSplit
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.stream_assign import RECV_ATTR, SEND_ATTR, assign_events
from runtime.lowering.pipeline import lower_model


def two_node() -> GraphBuilder:
    graph = GraphBuilder("two_node")
    data = graph.data("data1", (-1,)), graph.data("data2", (-1,))
    return graph.output(graph.op("Relu", graph.op("Add", *data, name="add1"), name="relu1", stream=1))


def chain3() -> GraphBuilder:
    graph = GraphBuilder("chain3")
    value = graph.data("data1", (-1,))
    for kind, stream in (("Exp", 0), ("Relu", 1), ("Sigmoid", 2), ("Tanh", 0)):
        value = graph.op(kind, value, name=f"{kind.lower()}{stream}", stream=stream)
    return graph.output(value)


def diamond() -> GraphBuilder:
    graph = GraphBuilder("diamond")
    top = graph.op("Exp", graph.data("data1", (-1,)), name="exp0")
    right, left = graph.op("Sigmoid", top, name="sigmoid2", stream=2), graph.op("Relu", top, name="relu1", stream=1)
    return graph.output(graph.op("Add", left, right, name="add0"))


def pingpong6() -> GraphBuilder:
    graph = GraphBuilder("pingpong6")
    value = graph.data("data1", (-1,))
    for index, kind in enumerate(("Relu", "Sigmoid", "Tanh", "Exp", "Relu", "Sigmoid")):
        value = graph.op(kind, value, name=f"{kind}_{index}", stream=index % 2)
    return graph.output(value)


MODELS: dict[str, tuple[Callable[[], GraphBuilder], int]] = {
    "two_node": (two_node, 2),
    "chain3": (chain3, 1),
    "diamond": (diamond, 1),
    "pingpong6": (pingpong6, 1),
}


TABLES: dict[str, list[str]] = {
    "two_node": [
        "AllocMemHbm_add1: A@0 W 0>1 F@0 L@0 S@0e0 V@1e0 F@1 B@1 s@1e1 v@0e1 R@0",
        "AllocBatchHbm_add1: A@0 F@0 R@0",
        "AllocMemHbm_relu1: A@1 W 1>0 F@1 L@1 F@0 L@0 R@1",
        "AllocBatchHbm_relu1: A@1 F@1 R@1",
    ],
    "chain3": [
        "AllocMemHbm_exp0: A@0 W 0>1 F@0 L@0 S@0e0 V@1e0 F@1 B@1 R@0",
        "AllocBatchHbm_exp0: A@0 F@0 R@0",
        "AllocMemHbm_relu1: A@1 W 1>2 F@1 L@1 S@1e1 V@2e1 F@2 B@2 R@1",
        "AllocBatchHbm_relu1: A@1 F@1 R@1",
        "AllocMemHbm_sigmoid2: A@2 W 2>0 F@2 L@2 S@2e2 V@0e2 F@0 B@0 R@2",
        "AllocBatchHbm_sigmoid2: A@2 F@2 R@2",
        "AllocBatchHbm_tanh0: A@0 F@0 R@0",
    ],
    "diamond": [
        "AllocMemHbm_exp0: A@0 W 0>2 F@2 L@2 W 0>1 F@0 L@0 F@1 L@1 S@2e3 S@1e2 V@0e2 V@0e3 R@0",
        "AllocBatchHbm_exp0: A@0 F@0 R@0",
        "AllocMemHbm_sigmoid2: A@2 W 2>0 F@2 L@2 S@2e3 V@0e3 F@0 B@0 R@2",
        "AllocBatchHbm_sigmoid2: A@2 F@2 R@2",
        "AllocMemHbm_relu1: A@1 W 1>0 F@1 L@1 S@1e2 V@0e2 F@0 B@0 R@1",
        "AllocBatchHbm_relu1: A@1 F@1 R@1",
        "AllocBatchHbm_add0: A@0 F@0 R@0",
    ],
    "pingpong6": [
        "AllocMemHbm_Relu_0: A@0 W 0>1 F@0 L@0 S@0e0 V@1e0 F@1 B@1 s@1e1 v@0e1 R@0",
        "AllocBatchHbm_Relu_0: A@0 F@0 R@0",
        "AllocMemHbm_Sigmoid_1: A@1 W 1>0 F@1 L@1 S@1e1 V@0e1 F@0 B@0 s@0e2 v@1e2 R@1",
        "AllocBatchHbm_Sigmoid_1: A@1 F@1 R@1",
        "AllocMemHbm_Tanh_2: A@0 W 0>1 F@0 L@0 S@0e2 V@1e2 F@1 B@1 s@1e3 v@0e3 R@0",
        "AllocBatchHbm_Tanh_2: A@0 F@0 R@0",
        "AllocMemHbm_Exp_3: A@1 W 1>0 F@1 L@1 S@1e3 V@0e3 F@0 B@0 s@0e4 v@1e4 R@1",
        "AllocBatchHbm_Exp_3: A@1 F@1 R@1",
        "AllocMemHbm_Relu_4: A@0 W 0>1 F@0 L@0 S@0e4 V@1e4 F@1 B@1 s@1e5 v@0e5 R@0",
        "AllocBatchHbm_Relu_4: A@0 F@0 R@0",
        "AllocMemHbm_Sigmoid_5: A@1 W 1>0 F@1 L@1 F@0 L@0 R@1",
        "AllocBatchHbm_Sigmoid_5: A@1 F@1 R@1",
    ],
}
"""Spec 10.8: the lives of one step, in order of their allocations."""

TOPOLOGICAL = [
    "AllocMemHbm_add1: A@0 W 0>1 F@0 L@0 S@0e0 V@1e0 F@1 B@1 s@1e1 v@0e1 R@0",
    "AllocMemHbm_relu1: A@1 W 1>0 F@1 L@1 S@1e1 V@0e1 F@0 B@0 R@1",
    "AllocBatchHbm_add1: A@0 F@0 R@0",
    "AllocBatchHbm_relu1: A@1 F@1 R@1",
]


def loaded(graph: ComputeGraph, executor: ExecutorKind | None = None) -> OpenProcess:
    assign_events(graph)
    swapped = {0: 1, 1: 0, 2: 3, 3: 2} if graph.name == "diamond" else {}  # its branches were made in the other order
    for node in graph.nodes:
        for attribute in (SEND_ATTR, RECV_ATTR):
            ids = node.op.attrs.get(attribute, ())
            assert isinstance(ids, tuple)
            if ids:
                node.op.attrs[attribute] = tuple(sorted(swapped.get(n, n) for n in ids if isinstance(n, int)))
        if node.type not in {"Data", "NetOutput"}:
            node.op.attrs["workspace_bytes"] = (4096,)
    ops = truth_ops()
    root = lower_model(
        graph, LoweringOptions(library=library_of(ops), args_exception_dump=True, all_tensor_not_empty=True)
    ).root
    process = open_process(lowered=root, ops=ops, executor=ExecutorOption(executor))
    assert process.executor.load(process.arg) == 0
    return process


def step(process: OpenProcess, inputs: int) -> None:
    process.recorder.heard.clear()
    arrays = [floats(*range(40))] * inputs
    status, _ = process.outputs(arrays, 1, given=arrays[:1])
    assert status == 0


@pytest.mark.parametrize("name", TABLES)
def test_every_step_has_the_lives_of_the_table(name: str) -> None:
    build, inputs = MODELS[name]
    process = loaded(build().build(), ExecutorKind.SEQUENTIAL)
    for _ in range(3):
        step(process, inputs)
        assert [str(life) for life in lives(process.recorder.heard)] == TABLES[name]


def test_the_topological_executor_allocates_earlier_and_frees_later() -> None:
    process = loaded(two_node().build(), ExecutorKind.TOPOLOGICAL)
    for _ in range(2):
        step(process, 2)
        assert [str(life) for life in lives(process.recorder.heard)] == TOPOLOGICAL


@pytest.mark.parametrize("name", TABLES)
def test_the_rules_hold_for_the_tables(name: str) -> None:
    assert {broken_rule(line.partition(": ")[2]) for line in TABLES[name]} == {""}


@pytest.mark.parametrize(
    ("life", "rule"),
    [
        ("F@0 A@0", "a life begins with an allocation"),
        ("A@0 R@0 F@0", "R@0: somebody still has the block"),
        ("A@0 F@0 R@0 F@0", "F@0 behind the end of the life"),
        ("A@0 F@1", "F@1: stream 1 does not have the block"),
        ("A@0 W 1>2", "W1>2: stream 1 does not have the block"),
        ("A@0 W 0>1 L@0 F@0", "L@0: it stands behind the last free of its stream"),
        ("A@0 W 0>1 F@0 S@0e0", "S@0e0: stream 0 has not finished"),
        ("A@0 W 0>1 F@0 L@0 V@1e0 S@0e0", "V@1e0: event 0 was not sent with it"),
        ("A@0 W 0>1 F@0 L@0 S@0e0 V@1e0 B@1 F@1", "B@1: somebody still has the block"),
        ("A@0 W 0>1 F@0 L@0 S@0e0 V@1e0 F@1 R@1", "R@1: a block of stream 0 ends there"),
        ("A@0 W 0>1 F@0 L@0 S@0e0 V@1e0 F@1 B@1 v@0e1 s@1e1", "v@0e1: event 1 was not sent with it"),
        ("A@0 W 0>1 F@0 L@0 S@0e0 V@1e0 F@1 B@1 s@0e1", "s@0e1: stream 0 has not borrowed it"),
    ],
)
def test_a_wrong_order_breaks_a_rule(life: str, rule: str) -> None:
    assert broken_rule(life) == rule


def test_with_one_stream_free_and_recycle_are_neighbours() -> None:
    graph = GraphBuilder("chain")
    value = graph.data("data1", (-1,))
    for index in range(4):
        value = graph.op("Relu", value, name=f"relu{index}")
    process = loaded(graph.output(value).build())
    step(process, 1)
    events: list[Event] = [item.event for item in process.recorder.heard]
    frees = [at for at, event in enumerate(events) if isinstance(event, MemFree) and (event.stream or 0) >= 0]
    recycled = [events[at + 1] for at in frees if isinstance(events[at + 1], BirthRecycle)]
    assert len(recycled) == 4
    assert {str(life).partition(": ")[2] for life in lives(process.recorder.heard)} == {"A@0 F@0 R@0"}


def last_word(event: Event, streams: Mapping[int, int]) -> str:
    """What LastWaitEvents says, one word and a number each."""
    match event:
        case EventWaited():
            return f"wait {event.event_id}"
        case BirthRecycle():
            return f"recycle {event.stream}"
        case AllocatorMade(what="stream id "):
            return f"pool of {event.text[0]}"
        case PoolShrink():
            return f"shrink {streams[event.handle]}"
        case _:
            return ""


def test_the_last_wait_stands_before_what_goes_home_and_pools_shrink_in_the_order_of_their_streams() -> None:
    process = loaded(chain3().build())
    step(process, 1)
    said = process.recorder.events()
    streams = {event.handle: event.stream for event in said if isinstance(event, StreamSplit)}
    assert [word for event in said if (word := last_word(event, streams))][-15:] == [
        "wait 3",
        "wait 4",
        *("recycle 2", "recycle 0", "recycle 1"),  # borrowed on streams 0, 1 and 2
        *("pool of 0", "shrink 0", "shrink 0", "shrink 0"),
        *("pool of 1", "shrink 1", "shrink 1"),
        *("pool of 2", "shrink 2", "shrink 2"),
    ]


def test_memory_pressure_with_two_streams_takes_six_requests_for_one_block() -> None:
    process = loaded(two_node().build())
    process.machine.device.hbm.capacity = 0
    process.recorder.heard.clear()
    arrays = [floats(1, 2)] * 2
    status, _ = process.outputs(arrays, 1)
    assert status != 0
    events = process.recorder.events()
    requests = [event for event in events if isinstance(event, AllocRequest)]
    level1, level0 = 6, 12
    assert len([event for event in requests if event.asked == 65536]) == level1 + level0
    said = [event.what for event in events if isinstance(event, MemoryPressure)]
    assert said.count("malloc memory not success, try to free l2 mem pool and malloc again") == 2
    assert said.count("Failed to expand memory for l2 allocator, stream ") == 2
    assert said.count("L2 allocator failed") == 1
    assert said.count("malloc memory not success, try to use borrow block") == 1
