"""Strict mode: one test per constraint of seed 002, section 7, and that what obeys passes."""

from collections.abc import Callable

import numpy as np
import pytest
from flow_models import if_model, while_model
from simulated_runs import (
    Array,
    Recorder,
    add_model,
    careless_ops,
    const_model,
    empty_output,
    floats,
)

from getrace.bus import Bus
from getrace.events import Level, Origin
from runtime.api.host_tensors import free_output, to_array, to_tensor
from runtime.api.hybrid.executor import HybridModelRtV2Executor
from runtime.api.hybrid.model import HybridModel
from runtime.api.strict.device import StrictDevice
from runtime.api.strict.executor import StrictExecutor
from runtime.api.strict.lowering import fingerprint, lower_unchanged, require_unchanged
from runtime.api.strict.order import require_order, require_plan, shuffled
from runtime.api.strict.process import start_strict_process
from runtime.api.strict.violation import StrictModeError
from runtime.device.profiles import find_profile
from runtime.device.tasks import Task
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.builder import build_executor
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.families import builtin_kernels
from runtime.kernels.machine import Machine
from runtime.lowering.pipeline import lower_model
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.ops.builtin import builtin_ops
from runtime.subscribers.phase import GraphType
from runtime.values import Placement


class Strict:
    """A process on a strict device with one model."""

    def __init__(self, graph: ComputeGraph | None = None, *, root: ExecuteGraph | None = None) -> None:
        self.device = StrictDevice(find_profile("ascend910b"), seed=0, start_ns=0)
        bus = Bus(now=self.device.clock.stamp, levels={"GE": Level.ERROR})
        bus.subscribe(Recorder())
        journal = Journal(bus, Origin(1, "test", 1))
        self.machine = Machine(self.device, journal, ProcessMemory(self.device, journal), builtin_ops())
        root = root or lowered(graph or add_model())
        self.executor = StrictExecutor(build_executor(root, self.machine, builtin_kernels()), self.device)

    def arg(self) -> ModelExecuteArg:
        return ModelExecuteArg(self.device.create_stream().handle)

    def step(self, arg: ModelExecuteArg, *arrays: Array) -> list[float]:
        output = empty_output()
        inputs = [to_tensor(self.device, array) for array in arrays]
        assert self.executor.execute(arg, inputs, [output]) == 0
        assert self.device.synchronize(arg.stream) == 0
        value: list[float] = to_array(self.device, output).tolist()
        free_output(output)
        return value


def lowered(graph: ComputeGraph) -> ExecuteGraph:
    return lower_model(graph, LoweringOptions(library=library_of(builtin_ops()))).root


def test_a_program_that_obeys_runs_as_without_strict_mode() -> None:
    strict = Strict()
    arg = strict.arg()
    for _ in range(2):
        assert strict.executor.load(arg) == 0
        assert strict.step(arg, floats(1, 2), floats(3, 4)) == [4.0, 6.0]
        assert strict.step(arg, floats(1, 2), floats(3, 4)) == [4.0, 6.0]
        assert strict.executor.unload() == 0
    strict.executor.close()
    assert strict.machine.memory.finalize()


def test_a_model_is_run_on_the_stream_that_loaded_it() -> None:
    strict = Strict(const_model())
    first, second = strict.arg(), strict.arg()
    strict.executor.load(first)
    with pytest.raises(StrictModeError) as caught:
        strict.step(second, floats(1, 2, 3, 4))
    assert caught.value.message == (
        f"the model was loaded on stream 0x{first.stream:x} and is run on stream 0x{second.stream:x}, and nobody "
        "waited for the first"
    )


def test_or_the_stream_that_loaded_it_is_waited_for() -> None:
    strict = Strict(const_model())
    first, second = strict.arg(), strict.arg()
    strict.executor.load(first)
    strict.device.synchronize(first.stream)
    assert strict.step(second, floats(1, 2, 3, 4)) == [1.0, 3.0, 5.0, 7.0]


def test_a_model_is_run_with_the_allocator_that_loaded_it() -> None:
    strict = Strict(const_model())
    arg = strict.arg()
    machine = strict.machine
    strict.executor.load(arg)
    mine = CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)
    other = ModelExecuteArg(arg.stream, {Placement.DEVICE_HBM: mine})
    with pytest.raises(StrictModeError, match="the model was loaded with another allocator than it is run with"):
        strict.step(other, floats(1, 2, 3, 4))
    strict.device.synchronize(arg.stream)
    assert strict.step(other, floats(1, 2, 3, 4)) == [1.0, 3.0, 5.0, 7.0]


@pytest.mark.parametrize("build", [add_model, const_model, if_model, lambda: while_model(lambda _, inputs: inputs)])
def test_a_lowering_leaves_the_compute_graph_as_it_is(build: Callable[[], ComputeGraph]) -> None:
    graph = build()
    before = fingerprint(graph)
    assert len(lower_unchanged(graph).root.nodes) == 3
    assert fingerprint(graph) == before


def test_a_lowering_that_changes_a_node_is_named_by_it() -> None:
    graph = add_model()
    before = fingerprint(graph)
    graph.node("add").op.attrs["tiled"] = True
    with pytest.raises(StrictModeError, match=r"the lowering of graph add changed add$"):
        require_unchanged(graph, before)
    graph.node("add").op.attrs.pop("tiled")
    graph.attrs["lowered"] = 1
    with pytest.raises(StrictModeError, match="the lowering of graph add changed its attributes"):
        require_unchanged(graph, before)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("build", [add_model, const_model])
def test_kernels_may_be_created_in_any_order(build: Callable[[], ComputeGraph], seed: int) -> None:
    root = lowered(build())
    names = [node.name for node in root.owned_by("Main").nodes]
    with shuffled(root, seed):
        assert [node.name for node in root.owned_by("Main").nodes] != names
        strict = Strict(root=root)
    assert [node.name for node in root.owned_by("Main").nodes] == names
    plans = strict.executor.executor.model.graphs
    for kind in (GraphType.INIT, GraphType.MAIN, GraphType.DEINIT):
        require_plan(root.owned_by(kind.node_type), plans[kind].data)
    arg = strict.arg()
    strict.executor.load(arg)
    inputs = [floats(1, 2, 3, 4)] * len(strict.executor.executor.get_model_desc().inputs)
    expected = {2: [2.0, 4.0, 6.0, 8.0], 1: [1.0, 3.0, 5.0, 7.0]}[len(inputs)]
    assert strict.step(arg, *inputs) == expected
    assert strict.executor.unload() == 0


def test_an_order_that_only_creation_gives_is_found() -> None:
    graph = ExecuteGraph("g")
    first, second, third = (graph.add_node(name, "NoOp") for name in ("a", "b", "c"))
    graph.add_control_edge(first, second)
    require_order(graph, ["a", "b", "c"])
    require_order(graph, ["c", "a", "b"])
    with pytest.raises(StrictModeError, match="kernel b runs before a, which has to precede it"):
        require_order(graph, ["b", "a", "c"])
    graph.add_output(third)
    graph.add_edge(third, 0, first, 0)
    with pytest.raises(StrictModeError, match="kernel a runs before c, which feeds it"):
        require_order(graph, ["a", "b", "c"])


def test_a_copy_from_the_host_takes_the_bytes_at_the_call() -> None:
    strict = Strict()
    device = strict.device
    stream, host, target = device.create_stream(), device.host.malloc(16), device.malloc(64)
    assert host is not None
    assert target is not None
    device.host.write(host, floats(1, 2, 3, 4).tobytes())
    late = Task("MEMCPY_ASYNC", lambda: device.hbm.write(target, device.host.read(host, 16)), 10)
    device.launch(stream, late)
    with pytest.raises(StrictModeError) as caught:
        device.synchronize(stream.handle)
    assert caught.value.message == (
        f"task MEMCPY_ASYNC reads 16 bytes of host memory at 0x{host:x} when the device comes to it"
    )
    assert "HOST_TO_DEVICE_EX" in caught.value.hint
    assert device.synchronize(stream.handle) == 0


def test_copies_of_the_runtime_take_them_at_the_call() -> None:
    strict = Strict(const_model())
    arg = strict.arg()
    assert strict.executor.load(arg) == 0
    assert strict.device.synchronize(arg.stream) == 0
    assert strict.step(arg, floats(1, 2, 3, 4)) == [1.0, 3.0, 5.0, 7.0]


def test_a_run_of_known_shapes_asks_the_driver_for_nothing() -> None:
    strict = Strict()
    arg = strict.arg()
    strict.executor.load(arg)
    for size in (2, 5000, 2, 5000):
        array = np.ones(size, np.float32)
        assert strict.step(arg, array, array) == [2.0] * size
    strict.machine.caching[0].pool.recycle()
    for level0 in strict.machine.memory._level0.values():
        level0.pool.recycle()
    ones = np.ones(5000, np.float32)
    with pytest.raises(
        StrictModeError, match=r"asked the driver for memory 1 times, though inputs of shapes \[\(5000,"
    ):
        strict.step(arg, ones, ones)


def test_a_task_that_dies_is_no_longer_running() -> None:
    strict = Strict()
    strict.machine.ops = careless_ops()
    device, stream = strict.device, strict.device.create_stream()

    def dies() -> None:
        raise ValueError("no")

    device.launch(stream, Task("bad", dies, 1))
    assert device.synchronize(stream.handle) == 507015
    host = device.host.malloc(8)
    assert host is not None
    device.host.read(host, 8)
    device.require_early_reads()


def test_a_strict_process_runs_a_session_s_model() -> None:
    process = start_strict_process()
    hybrid = HybridModelRtV2Executor(process, HybridModel(const_model()))
    assert hybrid.init() == 0
    assert hybrid.load() == 0
    for _ in range(2):
        output = empty_output()
        inputs = [to_tensor(process.device, floats(1, 2, 3, 4))]
        assert hybrid.execute(inputs, [output]).status == 0
        assert to_array(process.device, output).tolist() == [1.0, 3.0, 5.0, 7.0]
        free_output(output)
    assert hybrid.unload() == 0
    hybrid.close()
    assert process.close() == 0


def test_a_strict_process_builds_strict_executors() -> None:
    process = start_strict_process()
    executor = process.build(process.lower(add_model()))
    arg = ModelExecuteArg(process.device.create_stream().handle)
    assert executor.load(arg) == 0
    other = ModelExecuteArg(process.device.create_stream().handle)
    inputs = [to_tensor(process.device, floats(1)) for _ in range(2)]
    with pytest.raises(StrictModeError, match="nobody waited for the first"):
        executor.execute(other, inputs, [empty_output()])
    assert executor.execute(arg, inputs, [empty_output()]) == 0
