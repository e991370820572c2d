"""Family Q, static sub graphs: each kernel type is run, and a whole model with one (spec/lowering.md 11.Q, 4.9)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from kernel_runs import Workbench
from simulated_runs import floats, open_process

from getrace.events import Level
from getrace.events.models import (
    DavinciCreated,
    DavinciExecuted,
    DavinciRunAddresses,
    DavinciWorkspaces,
    FixedMemory,
)
from getrace.events.text import LogLine
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GE_LOCAL, GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.kernels.payloads import RunAddress, StaticModelRef
from runtime.lowering.pipeline import lower_model
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType

FAILED = 4294967295
HBM, SESSION_SCOPE = 2, 4294967298
EMPTY = GertTensorData()


def inner(operator: str = "Neg", name: str = "inner") -> ComputeGraph:
    """An operator on the input, the input itself, and a constant."""
    graph = ComputeGraph(name, {"_graph_unknown_flag": False, "memory_size": 1024})
    desc = nd_desc((2,))
    x = graph.add(OpDesc("x", "Data", (desc,), (desc,), attrs={"index": 0, "_parent_node_index": 0}))
    c = graph.add(OpDesc("c", "Const", (), (desc,), attrs={"value": floats(7, 8).tobytes()}))
    op = graph.add(OpDesc("inside", operator, (desc,), (desc,)))
    end = graph.add(OpDesc("end", "NetOutput", (desc,) * 3, ()))
    graph.connect(x, 0, op, 0)
    for slot, source in enumerate((op, x, c)):
        graph.connect(source, 0, end, slot)
    return graph


@dataclass(slots=True)
class Made:
    """A model that was created on a bench."""

    bench: Workbench
    streams: Any
    model: Any
    created: Any


def created(graph: ComputeGraph, fixed: tuple[int, int] = (0, 0), status: int = 0) -> Made:
    bench = Workbench()
    allocator = bench.context("ReusableStreamAllocator")
    assert bench.run(allocator) == 0
    context = bench.context(
        "DavinciModelCreate",
        *(StaticModelRef(graph.name, graph), 1, EMPTY, 0, 0, None, "", allocator.output(0)),
        *(*fixed, EMPTY, 0, 0, EMPTY, "", (), None),
    )
    assert bench.run(context) == status
    return Made(bench, allocator.output(0), context.output(0), context)


def ran(made: Made, *values: float) -> list[list[float]]:
    """Run a created model once; gives its outputs."""
    bench = made.bench
    x, y = bench.on_device(floats(*values)), bench.on_device(floats(0, 0))
    address = bench.context("DavinciModelGetRunAddress", made.model, 0, RunAddress(0, 0, 2))
    assert bench.run(address) == 0
    constant = address.output(0)
    assert bench.traces(address) == [DavinciRunAddresses(1, ((0, 0, 64, constant.addr),))]
    context = bench.context("DavinciModelExecute", made.model, bench.stream, 1, 3, x, y, x, constant, outputs=0)
    assert bench.run(context) == 0
    regions = ((y.addr, y.size), (x.addr, x.size), (constant.addr, 64))
    assert bench.traces(context) == [DavinciExecuted(0, ((x.addr, x.size),), regions)]
    return [bench.read(data, DType.FLOAT, (2,)).tolist() for data in (y, x, constant)]


def test_a_model_is_created_with_streams_and_weights_of_its_own() -> None:
    made = created(inner())
    [said] = made.bench.traces(made.created)
    assert isinstance(said, DavinciCreated)
    assert (said.model, said.streams, said.stream_ids, said.weight_size) == (
        0,
        1,
        (made.streams.streams[0].rt_id,),
        512,
    )
    assert made.bench.machine.device.hbm.read(said.weight or 0, 8) == floats(7, 8).tobytes()
    lines = [item.event.text for item in made.bench.recorder.heard if isinstance(item.event, LogLine)]
    stream = made.streams.streams[0]
    told = (
        f"Create new stream: 0x{stream.handle:x}, rt stream id: {stream.rt_id}, rt model id: 0, priority: 0, "
        "stream flag: 1, task num: 3."
    )
    assert lines[-2:] == [told, "create davinci model successfully, model id:4294967295."]
    assert [item.event for item in made.bench.recorder.heard if isinstance(item.event, FixedMemory)] == [
        FixedMemory(0, 0, 0, 0)
    ]


def test_a_model_runs_and_gives_constants_without_a_copy() -> None:
    made = created(inner())
    assert ran(made, 1, 2) == [[-1.0, -2.0], [1.0, 2.0], [7.0, 8.0]]
    assert ran(made, 3, 4)[0] == [-3.0, -4.0]


@pytest.mark.parametrize(("room", "own"), [(4096, False), (16, True)])
def test_the_memory_of_a_step_is_used_when_it_is_large_enough(room: int, own: bool) -> None:
    made = created(inner())
    block = made.bench.on_device(np.zeros(room, np.uint8))
    small = made.bench.on_device(np.zeros(16, np.uint8))
    update = made.bench.context(
        "DavinciModelUpdateWorkspaces", made.model, 4, HBM, block, SESSION_SCOPE, small, outputs=0
    )
    assert made.bench.run(update) == 0
    assert made.bench.traces(update) == [DavinciWorkspaces(2, ((HBM, block.addr), (SESSION_SCOPE, small.addr)))]
    used = made.bench.machine.device.hbm.used
    assert ran(made, 1, 2)[0] == [-1.0, -2.0]
    x_and_y = 2 * 8
    assert made.bench.machine.device.hbm.used - used - x_and_y == (512 if own else 0)


def test_fixed_memory_stays_when_a_step_brings_other_memory() -> None:
    made = created(inner())
    block = made.bench.on_device(np.zeros(4096, np.uint8))
    assert made.model.davinci.bind_work(block.addr, block.size)
    made.model.bound = True
    other = made.bench.on_device(np.zeros(4096, np.uint8))
    update = made.bench.context("DavinciModelUpdateWorkspaces", made.model, 2, HBM, other, outputs=0)
    assert made.bench.run(update) == 0
    assert made.model.davinci._areas["work"] == block.addr


def test_with_fixed_addresses_the_model_gets_its_memory_when_it_is_created() -> None:
    bench = Workbench()
    allocator = bench.context("ReusableStreamAllocator")
    memory = bench.on_device(np.zeros(4096, np.uint8))
    context = bench.context(
        "DavinciModelCreateV2",
        *(StaticModelRef("inner", inner()), 1, EMPTY, 0, 0, None, "", allocator.output(0), memory),
    )
    assert bench.run(context) == 0
    made = Made(bench, allocator.output(0), context.output(0), context)
    assert made.model.davinci._areas["work"] == memory.addr
    assert ran(made, 1, 2)[0] == [-1.0, -2.0]


def test_the_finalizer_gives_the_memory_back() -> None:
    made = created(inner())
    ran(made, 1, 2)
    assert made.model.davinci.is_loaded
    assert made.bench.run(made.bench.context("DavinciModelFinalizer", made.model, outputs=0)) == 0
    assert not made.model.davinci.is_loaded
    made.created.outputs[0].release()
    made.streams.close()
    assert made.streams.streams == []


def test_a_graph_that_cannot_be_planned_fails_the_kernel() -> None:
    made = created(inner("NoSuchOperator"), status=FAILED)
    assert made.model is None
    assert made.bench.traces(made.created) == []
    assert made.bench.said()[0].startswith("[DavinciModelCreate][k]davinci model init failed: no operator of type")


def test_an_output_that_the_model_computes_has_no_address_before_the_run() -> None:
    made = created(inner())
    context = made.bench.context("DavinciModelGetRunAddress", made.model, 0, RunAddress(0, 64, 0))
    assert made.bench.run(context) == FAILED
    assert made.bench.said() == ["get run address is zero, type:0, offset:64"]


def calling(count: int) -> ComputeGraph:
    """A dynamic model that calls a compiled one, or two behind each other."""
    builder = GraphBuilder("outer")
    value, open_one = builder.data("data", (2,)), builder.data("open", (-1,))
    calls = []
    for number in range(count):
        value = builder.op("PartitionedCall", value, name=f"call{number}", outputs=[nd_desc((2,))] * 3, engine=GE_LOCAL)
        calls.append(value.node)
    results = [Output(calls[-1], index) for index in range(3)]
    graph = builder.output(*results, builder.op("Relu", open_one)).build()
    for number, node in enumerate(calls):
        graph.add_subgraph(node, inner(name=f"inner{number}"))
    return graph


@pytest.mark.parametrize(("count", "first"), [(1, [-1.0, 2.0]), (2, [1.0, -2.0])])
@pytest.mark.parametrize("fixed", [False, True])
def test_a_dynamic_model_runs_its_compiled_parts_step_after_step(count: int, first: list[float], fixed: bool) -> None:
    options = LoweringOptions(static_model_addr_fixed=fixed)
    process = open_process(lowered=lower_model(calling(count), options).root, level=Level.INFO)
    for _ in range(2):
        assert process.executor.load(process.arg) == 0
        for _ in range(2):
            status, values = process.outputs([floats(1, -2), floats(-5, 5, 0)], 4)
            assert status == 0
            last = [1.0, -2.0] if count == 1 else [-1.0, 2.0]
            assert [value.tolist() for value in values] == [first, last, [7.0, 8.0], [0.0, 5.0, 0.0]]
        assert process.executor.unload() == 0
    process.executor.close()
    assert process.machine.memory.finalize()
    assert process.machine.device.hbm.used == 0
