"""HybridModelRtV2Executor and the simple executor: spec/execution.md 3.7, 3.8, scenarios MX-44 and MX-45 of 8.2."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from session_models import error_texts, line_texts, variable_reader, variable_writer
from simulated_runs import Array, Recorder, add_model, empty_output, failing, floats, on_device

from getrace.bus import Bus
from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from getrace.events import Level
from runtime.api.ge_process import GeProcess, start_process
from runtime.api.host_tensors import free_output, to_array, to_tensor
from runtime.api.hybrid.allocator_manager import ScalableAllocatorManager
from runtime.api.hybrid.executor import Executed, HybridModelRtV2Executor
from runtime.api.hybrid.model import HybridModel, is_need_hybrid_load
from runtime.api.hybrid.simple import RtV2SimpleExecutor, create_simple
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.rt_session import RtSession
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.kernels.registry import KernelRegistry
from runtime.kernels.status import Status
from runtime.memory.caching import CachingMemAllocator
from runtime.values import Placement, Tensor

PARAM_INVALID, FAILED = 1343225857, 4294967295


@dataclass
class Held:
    """A process, what it said, and a hybrid executor on it."""

    recorder: Recorder
    process: GeProcess
    hybrid: HybridModelRtV2Executor
    made: list[Tensor] = field(default_factory=list)

    def host(self, *arrays: Array) -> list[Tensor]:
        return [to_tensor(self.process.device, array) for array in arrays]

    def run(self, *arrays: Array) -> tuple[Executed, list[float]]:
        """One Execute on host inputs; gives the values of its first output."""
        output = empty_output()
        result = self.hybrid.execute(self.host(*arrays), [output])
        values = [] if result.status or result.is_eos else to_array(self.process.device, output).tolist()
        free_output(output)
        return result, values


def started(kernels: KernelRegistry | None = None, level: Level = Level.INFO) -> tuple[Recorder, GeProcess]:
    recorder, bus = Recorder(), Bus(now=int, levels={"GE": level})
    bus.subscribe(recorder)
    process = start_process(bus)
    if kernels is not None:
        process.kernels = kernels
    return recorder, process


def held(
    model: HybridModel | ComputeGraph | None = None,
    *,
    kernels: KernelRegistry | None = None,
    session: RtSession | None = None,
    level: Level = Level.INFO,
) -> Held:
    """An executor, initialised and loaded."""
    recorder, process = started(kernels, level)
    given = model if isinstance(model, HybridModel) else HybridModel(model or add_model(), 5)
    hybrid = HybridModelRtV2Executor(process, given, session=session)
    assert hybrid.init() == 0
    assert hybrid.load() == 0
    return Held(recorder, process, hybrid)


def test_a_model_is_run_and_everything_is_given_back() -> None:
    held_ = held()
    assert held_.run(floats(1, 2), floats(3, 4)) == (Executed(0), [4.0, 6.0])
    assert held_.run(floats(1), floats(3)) == (Executed(0), [4.0])
    assert held_.hybrid.unload() == 0
    held_.hybrid.close()
    assert held_.process.close() == 0
    assert held_.process.device.hbm.used == 0


def test_MX_44_the_end_of_a_data_set_is_a_success() -> None:
    held_ = held(kernels=failing("LaunchKernelWithHandle", Status.END_OF_SEQUENCE))
    held_.recorder.heard.clear()
    assert held_.run(floats(1), floats(2)) == (Executed(0, is_eos=True), [])
    texts = line_texts(held_.recorder)
    assert f"start to recycle memory. graph add, stream: 0x{held_.hybrid.stream:x}" in texts
    assert error_texts(held_.recorder) == []
    assert held_.run(floats(1), floats(2)) == (Executed(0), [3.0])


def test_MX_44_after_a_run_the_stream_was_waited_for_and_idle_memory_is_back_at_level_0() -> None:
    held_ = held()
    allocator = held_.hybrid.allocators.allocators(held_.hybrid.stream)[Placement.DEVICE_HBM]
    assert isinstance(allocator, CachingMemAllocator)
    assert held_.run(floats(1), floats(2)) == (Executed(0), [3.0])
    assert allocator.pool.tally.theory == 0


def test_a_kernel_that_fails_becomes_an_assertion_of_the_caller() -> None:
    held_ = held(kernels=failing("LaunchKernelWithHandle", 1343225860))
    assert held_.run(floats(1), floats(2)) == (Executed(PARAM_INVALID), [])
    assert error_texts(held_.recorder)[-1] == "Failed to execute rt v2 model for graph add, model_id 5."
    assert held_.run(floats(1), floats(2)) == (Executed(0), [3.0])


def test_load_hides_what_failed() -> None:
    recorder, process = started(failing("SplitRtStreams", 1343225860))
    hybrid = HybridModelRtV2Executor(process, HybridModel(add_model(), 5))
    assert hybrid.init() == 0
    assert hybrid.load() == PARAM_INVALID
    assert error_texts(recorder)[-2:] == ["Failed to execute init graph", "Failed load rt v2 model for graph add"]
    assert hybrid.load() == 0


def test_a_model_that_cannot_be_built_is_said() -> None:
    recorder, process = started()
    graph = GraphBuilder("odd")
    hybrid = HybridModelRtV2Executor(
        process, HybridModel(graph.output(graph.op("NoSuchOp", graph.data("x", (-1,)))).build())
    )
    assert hybrid.init() == FAILED
    assert error_texts(recorder)[0] == "Failed create rt2 executor for model odd"
    with pytest.raises(ModelError, match="hybrid model odd is not initialised"):
        hybrid.load()


def test_the_stream_of_the_caller_is_used_and_left_to_it() -> None:
    _, process = started()
    stream = process.device.create_stream().handle
    hybrid = HybridModelRtV2Executor(process, HybridModel(add_model()), stream=stream)
    hybrid.init()
    hybrid.load()
    assert hybrid.stream == stream
    hybrid.unload()
    hybrid.close()
    assert stream in process.device.streams


def test_a_call_on_a_stream_of_the_callers_does_not_wait() -> None:
    held_ = held()
    device = held_.process.device
    stream = device.create_stream().handle
    inputs, output = held_.host(floats(1), floats(2)), empty_output()
    assert held_.hybrid.execute_with_stream_async(inputs, [output], stream) == 0
    assert device.synchronize(stream) == 0
    assert to_array(device, output).tolist() == [3.0]
    matrix = held_.host(floats(1, 2).reshape(1, 2), floats(2))
    assert held_.hybrid.execute_with_stream_async(matrix, [empty_output()], stream) == PARAM_INVALID
    assert error_texts(held_.recorder)[0] == "Input 0 [1,2] on host must be scalar or list-scalar"


def test_inputs_are_counted() -> None:
    held_ = held()
    assert held_.run(floats(1))[0].status == PARAM_INVALID
    assert error_texts(held_.recorder) == [
        "[Check][Size]Input size mismatches, Input desc size 2 and input size 1 are not same",
        "[Invoke][PrepareInputData]Failed to copy input data to model, model_id = 5",
    ]


def test_the_last_input_of_a_model_in_several_batches_is_not_the_callers() -> None:
    graph = add_model()
    assert HybridModel(graph).input_count == 2
    graph.attrs["_enable_dynamic_batch"] = True
    assert HybridModel(graph).input_count == 1


def test_inputs_on_the_device_go_in_as_they_are() -> None:
    held_ = held()
    device = held_.process.device
    on = [on_device(device, floats(1, 2)), on_device(device, floats(3, 4))]
    for tensor, array in zip(on, (floats(1, 2), floats(3, 4)), strict=True):
        assert tensor.data is not None
        device.hbm.write(tensor.data.addr, array.tobytes())
    output = empty_output()
    assert held_.hybrid.execute(on, [output]) == Executed(0)
    assert to_array(device, output).tolist() == [4.0, 6.0]


def test_an_input_marked_for_the_host_stays_there_and_may_not_be_on_the_device() -> None:
    graph = add_model()
    graph.node("x2").op.attrs["_host_tensor_as_model_input"] = True
    held_ = held(graph)
    assert held_.run(floats(1), floats(2)) == (Executed(0), [3.0])
    x1, x2 = held_.host(floats(1))[0], on_device(held_.process.device, floats(2))
    assert held_.hybrid.execute([x1, x2], [empty_output()]).status == PARAM_INVALID
    assert error_texts(held_.recorder)[0] == (
        "Input 1 is marked as host model input, but actual input placement is device."
    )


def test_a_promise_of_device_inputs_is_held() -> None:
    held_ = held(HybridModel(add_model(), 5, device_inputs=True))
    assert held_.run(floats(1), floats(2))[0].status == PARAM_INVALID
    assert error_texts(held_.recorder)[0] == "Input 0 has unexpected placement 1"


def test_an_input_without_memory_has_no_placement_to_copy_from() -> None:
    held_ = held()
    x1 = held_.host(floats(1))[0]
    assert held_.hybrid.execute([x1, empty_output()], [empty_output()]).status == PARAM_INVALID
    assert error_texts(held_.recorder)[0] == "Input 1 has unexpected placement 4"


def test_copies_of_inputs_are_given_back_at_once() -> None:
    held_ = held()
    allocator = held_.hybrid.allocators.allocators(held_.hybrid.stream)[Placement.DEVICE_HBM]
    assert isinstance(allocator, CachingMemAllocator)
    before = len(allocator.pool.tally.occupied)
    for _ in range(3):
        assert held_.run(floats(1, 2), floats(3, 4)) == (Executed(0), [4.0, 6.0])
    assert len(allocator.pool.tally.occupied) == before


def test_MX_45_loading_twice_is_fine_and_running_before_it_is_not() -> None:
    recorder, process = started()
    simple = create_simple(process, HybridModel(add_model()), RtSession())
    arg = ModelExecuteArg(process.device.create_stream().handle)
    assert simple.execute(arg, [], []) == PARAM_INVALID
    assert error_texts(recorder) == ["Executor for model add has not been load"]
    assert simple.load(arg, ModelLoadArg()) == 0
    assert simple.load(arg, ModelLoadArg()) == 0
    assert line_texts(recorder).count("Executor for model add has already loaded") == 1
    assert simple.unload() == 0
    assert simple.unload() == 0
    assert line_texts(recorder).count("Executor for model add has already unloaded") == 1


@pytest.mark.parametrize(("iterations", "launches"), [(1, 1), (3, 3)])
def test_one_call_runs_a_model_as_often_as_it_says(iterations: int, launches: int) -> None:
    held_ = held(HybridModel(add_model(), 5, iterations=iterations))
    held_.recorder.heard.clear()
    assert held_.run(floats(1), floats(2)) == (Executed(0), [3.0])
    kernels = [item.kernel for item in held_.recorder.heard if item.kernel is not None]
    assert sum(name.startswith("LaunchKernelWithHandle") for name in set_of_runs(kernels)) == launches


def set_of_runs(kernels: Sequence[str]) -> list[str]:
    """One name for each run of a kernel: lines of one run follow each other."""
    return [name for before, name in zip(["", *kernels], kernels, strict=False) if name != before]


def test_the_first_iteration_that_fails_ends_the_call() -> None:
    held_ = held(HybridModel(add_model(), 5, iterations=3), kernels=failing("FreeBatchHbm", Status.FAILED, calls=(1,)))
    assert held_.run(floats(1), floats(2))[0].status == PARAM_INVALID
    assert isinstance(held_.hybrid.executor, RtV2SimpleExecutor)


@pytest.mark.parametrize(
    ("marks", "host", "needed"),
    [
        ({}, False, True),
        ({"_graph_unknown_flag": False}, False, False),
        ({"_graph_unknown_flag": True}, False, True),
        ({"_graph_unknown_flag": False, "_dynamic_shape_partitioned": True}, False, True),
        ({"_graph_unknown_flag": False}, True, True),
    ],
)
def test_which_models_need_this_path(marks: dict[str, bool], host: bool, needed: bool) -> None:
    graph = add_model()
    graph.attrs.update(marks)
    assert is_need_hybrid_load(graph, host_exec=host) is needed


def test_a_model_with_known_shapes_does_not_need_it() -> None:
    assert not is_need_hybrid_load(add_model((4,)))


def test_models_of_a_session_share_variables() -> None:
    _, process = started()
    session = RtSession(7)
    values: list[float] = []
    for model, inputs in (
        (variable_writer(), [floats(1, 2, 3, 4), floats(1, 1, 1, 1)]),
        (variable_reader(), [floats(0, 0, 0, 10)]),
    ):
        hybrid = HybridModelRtV2Executor(process, HybridModel(model), session=session)
        assert hybrid.init() == 0
        assert hybrid.load() == 0
        result, values = Held(Recorder(), process, hybrid).run(*inputs)
        assert result == Executed(0)
    assert values == [2.0, 3.0, 4.0, 15.0]


def test_the_session_of_a_model_is_an_attribute_of_it() -> None:
    graph = add_model()
    graph.attrs["session_id"] = 12
    assert held(graph).hybrid.session.session_id == 12
    other = held()
    assert other.hybrid.session.session_id == 0
    assert "No session attr named session_id on model add, use default session id 0" in line_texts(other.recorder)


def file_model() -> ComputeGraph:
    """y = x + what stands in a file."""
    graph = GraphBuilder("filed")
    attrs: dict[str, AttrValue] = {"location": "w.bin", "offset": 8}
    weight = graph.op("FileConstant", name="w", engine=GE_LOCAL, outputs=[nd_desc((2,))], attrs=attrs)
    return graph.output(graph.op("AddExample", graph.data("x", (2,)), weight, name="add")).build()


def test_a_constant_in_a_file_is_read_once_per_session(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(floats(0, 0, 5, 6).tobytes())
    recorder, process = started(level=Level.DEBUG)
    session = RtSession(3)
    for _ in range(2):
        model = HybridModel(file_model(), weight_dir=str(tmp_path))
        hybrid = HybridModelRtV2Executor(process, model, session=session)
        assert hybrid.init() == 0
        assert hybrid.load() == 0
        assert Held(recorder, process, hybrid).run(floats(1, 1)) == (Executed(0), [6.0, 7.0])
        hybrid.unload()
        hybrid.close()
    texts = line_texts(recorder)
    assert sum(text.startswith("Load file constant [w]") for text in texts) == 1
    assert texts.count("File constant [w] has been loaded, no need to reload.") == 1
    session.destroy_resources(process.machine)
    assert process.close() == 0


@pytest.mark.parametrize(("content", "text"), [(None, "Failed to get file path"), (b"short", "is more than")])
def test_a_file_that_is_missing_or_too_short_is_named(tmp_path: Path, content: bytes | None, text: str) -> None:
    if content is not None:
        (tmp_path / "w.bin").write_bytes(content)
    recorder, process = started()
    hybrid = HybridModelRtV2Executor(process, HybridModel(file_model(), weight_dir=str(tmp_path)))
    assert hybrid.init() == FAILED
    assert text in error_texts(recorder)[1]


def test_a_guard_may_refuse_the_inputs() -> None:
    graph = add_model()
    graph.attrs["_guard_check_so_data"] = b"\x7fELF"

    def guard(inputs: Sequence[Tensor]) -> str:
        return "" if len(inputs[0].shape.origin) == 1 else "x1 must be a vector " + "!" * 2000

    held_ = held(HybridModel(graph, 5, guard=guard))
    assert held_.run(floats(1), floats(2)) == (Executed(0), [3.0])
    assert held_.run(floats(1).reshape(1, 1), floats(2))[0].status == FAILED
    said = error_texts(held_.recorder)[0]
    assert said.startswith("Guard check failed, reason: x1 must be a vector !!!")
    assert len(said) == len("Guard check failed, reason: ") + 1023


def test_a_guard_that_is_only_a_library_is_said_to_be_unchecked() -> None:
    graph = add_model()
    graph.attrs["_guard_check_so_data"] = b"\x7fELF"
    held_ = held(graph)
    assert "The guard of model add is a compiled library and is not checked" in line_texts(held_.recorder)
    assert held_.run(floats(1), floats(2)) == (Executed(0), [3.0])


def test_each_stream_has_its_allocators_and_a_users_own_comes_first() -> None:
    recorder, process = started(level=Level.DEBUG)
    manager = ScalableAllocatorManager(process)
    first, second = manager.allocators(1), manager.allocators(2)
    assert manager.allocators(1) is first
    assert first[Placement.DEVICE_HBM] is not second[Placement.DEVICE_HBM]
    assert first[Placement.FOLLOWING] is first[Placement.HOST]
    machine = process.machine
    mine = CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)
    manager.register_external(1, mine)
    assert manager.allocators(1)[Placement.DEVICE_HBM] is mine
    assert f"Use external device allocator = 0x{mine.handle:x} with stream = 0x1" in line_texts(recorder)
    manager.close()
    assert mine in machine.caching
    mine.close()


def test_several_cores_ask_for_the_executor_of_several_threads() -> None:
    _, process = started()
    model = HybridModel(add_model(), environment={"MAX_RUNTIME_CORE_NUMBER": "1"})
    assert create_simple(process, model, RtSession()).executor.state.name == "INIT"


def test_the_values_of_a_larger_model_are_right() -> None:
    graph = GraphBuilder("wide")
    x = graph.data("x", (-1,))
    values = [graph.op("AddExample", x, x, name=f"a{index}") for index in range(4)]
    total = values[0]
    for index, value in enumerate(values[1:]):
        total = graph.op("AddExample", total, value, name=f"s{index}")
    held_ = held(graph.output(total).build())
    array = np.arange(300, dtype=np.float32)
    result, got = held_.run(array)
    assert result == Executed(0)
    np.testing.assert_array_equal(got, array * 8)
