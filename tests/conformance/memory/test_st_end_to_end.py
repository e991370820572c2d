"""Scenarios ST of spec/execution.md 8.5 that concern a whole model: what stands on which stream, what memory does.

Expected sequences are those of spec/kerneltrace.md 10.4.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from simulated_runs import OpenProcess, floats, on_device, open_process

from getrace.dumps.snapshot import AttrValue
from getrace.events import Event, Level
from getrace.events.device import TaskSubmitted
from getrace.events.memory import (
    BirthRecycle,
    BorrowRecycle,
    LocalRecycle,
    MemAlloc,
    MemFree,
    MemWander,
)
from getrace.events.streams import MigrationSent, MigrationWaited, RecycleSent, RecycleWaited, StreamSplit
from getrace.plog.codec import spell
from getrace.plog.row import RT2_2026
from runtime.executors.arguments import ModelExecuteArg
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.graph.stream_assign import assign_events
from runtime.kernels.machine import Machine
from runtime.lowering.graph_converter import MODEL_DESC
from runtime.lowering.model_desc import ModelDesc
from runtime.lowering.pipeline import lower_model
from runtime.memory.caching import CachingMemAllocator
from runtime.values import DType, Placement, Tensor

Array = npt.NDArray[np.float32]

SHORT: Final[dict[str, str]] = {
    "EVENT_RECORD": "Record",
    "STREAM_WAIT_EVENT": "Wait",
    "MEMCPY_ASYNC": "MemcpyAsync",
}


def built(graph: GraphBuilder, *outputs: object) -> ComputeGraph:
    model = graph.output(*outputs).build()  # type: ignore[arg-type]
    assign_events(model)
    return model


def crossing() -> ComputeGraph:
    """Case01: add on stream 0, relu on stream 1, the output on stream 0."""
    graph = GraphBuilder("case01")
    x, y = graph.data("x", (-1,)), graph.data("y", (-1,))
    return built(graph, graph.op("Relu", graph.op("Add", x, y, name="add1"), name="relu", stream=1))


class Run:
    """A model loaded on a device whose RUNTIME prints everything; inputs and outputs lie on the device."""

    def __init__(self, model: ComputeGraph, *, stream: int | None = None) -> None:
        self.process: OpenProcess = open_process(lowered=lower_model(model).root, profile="tiny")
        self.process.machine.journal.bus.set_level("RUNTIME", Level.INFO)
        if stream is not None:
            self.process.arg = ModelExecuteArg(stream)
        assert self.process.executor.load(self.process.arg) == 0

    @property
    def machine(self) -> Machine:
        """The process."""
        return self.process.machine

    def put(self, array: Array) -> Tensor:
        """An array on the device."""
        tensor = on_device(self.machine.device, array)
        assert tensor.data is not None
        self.machine.device.hbm.write(tensor.data.addr, array.tobytes())
        return tensor

    def step(self, *arrays: Array, like: Array) -> Array:
        """One step whose output the caller gives; its value."""
        device = self.machine.device
        self.process.recorder.heard.clear()
        outputs = [on_device(device, like)]
        inputs = [self.put(array) for array in arrays]
        assert self.process.executor.execute(self.process.arg, inputs, outputs) == 0
        assert device.synchronize(self.process.arg.stream) == 0
        assert outputs[0].data is not None
        value = np.frombuffer(device.hbm.read(outputs[0].data.addr, like.nbytes), like.dtype)
        return value.reshape(like.shape)

    def heard(self) -> list[Event]:
        """What the last step said."""
        return [item.event for item in self.process.recorder.heard]

    def tasks(self) -> dict[int, list[str]]:
        """The tasks of the last step that are no kernels, by logical stream."""
        rt = {event.rt_stream: event.stream for event in self.heard() if isinstance(event, StreamSplit)}
        found: dict[int, list[str]] = {stream: [] for stream in rt.values()}
        for event in self.heard():
            if isinstance(event, TaskSubmitted) and event.type_name in SHORT:
                found[rt[event.rt_stream]].append(SHORT[event.type_name])
        return found

    def life_of(self, address: int) -> list[str]:
        """What the last step said of an address, one word and the streams each."""
        return [WORDS[type(event)](event) for event in self.heard() if _speaks_of(event, address)]


def _speaks_of(event: Event, address: int) -> bool:
    return type(event) in WORDS and getattr(event, "addr", None) == address


WORDS: Final[dict[type[Event], Callable[..., str]]] = {
    MemAlloc: lambda event: f"alloc @{event.stream}",
    MemWander: lambda event: f"wander {event.stream}>{event.peer}",
    MemFree: lambda event: f"free @{event.stream}",
    LocalRecycle: lambda event: f"local @{event.stream}",
    BorrowRecycle: lambda event: f"borrow @{event.stream}",
    BirthRecycle: lambda event: f"recycle @{event.stream}",
    RecycleSent: lambda event: f"send @{event.stream} e{event.event_id}",
    RecycleWaited: lambda event: f"wait @{event.stream} e{event.event_id}",
    MigrationSent: lambda event: f"send home @{event.stream} e{event.event_id}",
    MigrationWaited: lambda event: f"wait home @{event.stream} e{event.event_id}",
}


def test_ST_15_memory_goes_to_the_other_stream_and_comes_home() -> None:
    run = Run(crossing())
    x, y = floats(1, -5), floats(2, 3)
    assert run.step(x, y, like=x).tolist() == [3, 0]
    allocated = [event for event in run.heard() if isinstance(event, MemAlloc) and event.stream == 0]
    assert run.life_of(allocated[0].addr) == [
        "alloc @0",
        "wander 0>1",
        "free @0",
        "local @0",
        "send @0 e0",
        "wait @1 e0",
        "free @1",
        "borrow @1",
        "send home @1 e1",
        "wait home @0 e1",
        "recycle @0",
    ]
    assert run.tasks() == {0: ["Record", "Wait", "MemcpyAsync", "Wait"], 1: ["Wait", "Record", "Record"]}


def test_ST_17_host_memory_goes_to_another_stream_without_a_word() -> None:
    graph = GraphBuilder("case03")
    x = graph.data("x", (-1, -1))
    dims = graph.op("Shape", x, name="dims", outputs=[nd_desc((2,), DType.INT64)], engine=GE_LOCAL)
    both = graph.op("Add", dims, dims, name="both", stream=1)
    run = Run(built(graph, both, graph.op("Relu", x, name="other", stream=1)))
    root = run.process.executor.model.graphs
    main = [node.context for graph_ in root.values() for node in graph_.data.nodes]
    across = [context.name for context in main if context.type == "AccessMemCrossStream"]
    assert [name for name in across if "_both_" in name] == []
    assert [name for name in across if "_other_" in name] != []


def test_ST_18_what_a_reference_shares_is_let_go_as_often_as_it_is_held() -> None:
    graph = GraphBuilder("case04")
    ref, value = graph.data("ref", (-1,)), graph.data("value", (-1,))
    summed = graph.op("AssignAdd", ref, value, name="summed")
    run = Run(built(graph, graph.op("Relu", summed, name="read", stream=1)))
    for step in range(2):
        kept = floats(1, 2)
        assert run.step(kept, floats(10, -20), like=kept).tolist() == [11, 0]
        counts = {kind: sum(type(event) is kind for event in run.heard()) for kind in (RecycleSent, RecycleWaited)}
        assert counts[RecycleSent] >= counts[RecycleWaited] > 0, step
    held = run.machine.device.hbm.used
    assert run.process.executor.unload() == 0
    run.process.executor.close()
    assert run.machine.memory.finalize()
    assert run.machine.device.hbm.used < held


def test_ST_19_streams_of_a_compiled_graph_are_not_counted() -> None:
    inner = ComputeGraph("inner", {"_graph_unknown_flag": False, "memory_size": 1024, "stream_num": 3})
    desc = nd_desc((4,))
    attrs: dict[str, AttrValue] = {"index": 0, "_parent_node_index": 0}
    data = inner.add(OpDesc("d", "Data", (desc,), (desc,), GE_LOCAL, attrs=attrs))
    end = inner.add(OpDesc("o", "NetOutput", (desc,), (), GE_LOCAL))
    twice = inner.add(OpDesc("r", "Relu", (desc,), (desc,)))
    inner.connect(data, 0, twice, 0)
    inner.connect(twice, 0, end, 0)
    graph = GraphBuilder("case06")
    x = graph.data("x", (4,))
    call = graph.op("PartitionedCall", x, name="call", engine=GE_LOCAL, outputs=[desc], stream=1)
    model = graph.output(call).build()
    model.add_subgraph(call.node, inner)
    assign_events(model)
    found = lower_model(model).root.attrs[MODEL_DESC]
    assert isinstance(found, ModelDesc)
    assert found.reusable_stream_num == 2


def test_ST_20_a_stream_that_nobody_feeds_starts_behind_the_callers_own() -> None:
    graph = GraphBuilder("case07")
    x = graph.data("x", (-1,))
    one = graph.const("one", (2,), floats(-1, 1).tobytes())
    cut = graph.op("Relu", one, name="cut", stream=1)
    model = built(graph, graph.op("Add", x, cut, name="sum"))
    for node in model.nodes:
        if node.name == "one":
            node.op = _moved(node.op, 1)
    assign_events(model)
    run = Run(model)
    assert run.step(floats(10, 20), like=floats(0, 0)).tolist() == [10, 21]
    assert run.tasks() == {0: ["Record", "Wait", "Wait"], 1: ["Wait", "Record", "Record"]}


def _moved(op: OpDesc, stream: int) -> OpDesc:
    attrs: dict[str, AttrValue] = dict(op.attrs)
    return OpDesc(op.name, op.type, op.inputs, op.outputs, op.engine, attrs=attrs, stream_id=stream)


def test_ST_21_a_callers_allocator_has_the_same_in_use_behind_every_step() -> None:
    run = Run(crossing())
    allocator = CachingMemAllocator(run.machine.memory, run.machine.synchronize, run.machine.caching)
    stream = run.process.arg.stream
    run.process.arg = ModelExecuteArg(stream, external_allocator={Placement.DEVICE_HBM: allocator})
    occupied = []
    for _ in range(4):
        run.step(floats(1, 2), floats(3, 4), like=floats(0, 0))
        occupied.append(allocator.pool.tally.theory)
    assert occupied == [0, 0, 0, 0]
    assert allocator.pool.tally.theory_min > 0


def test_ST_23_without_a_stream_the_default_one_is_used() -> None:
    run = Run(crossing(), stream=0)
    assert run.step(floats(1, -9), floats(2, 3), like=floats(0, 0)).tolist() == [3, 0]
    first = next(event for event in run.heard() if isinstance(event, StreamSplit))
    assert (first.handle, first.stream, first.rt_stream) == (0, 0, 0)
    text = spell(first, "SplitRtStreams_1", RT2_2026)[1]
    assert text == "[KernelTrace][SplitRtStreams_1]Get rts stream (nil) from logical stream 0, rts stream_id: 0"


@pytest.mark.parametrize("steps", [3])
def test_steps_of_one_model_do_the_same_on_every_stream(steps: int) -> None:
    run = Run(crossing())
    seen = []
    for _ in range(steps):
        run.step(floats(1, 2), floats(3, 4), like=floats(0, 0))
        seen.append(run.tasks())
    assert seen == [seen[0]] * steps
