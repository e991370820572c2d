"""HybridModelRtV2Executor and the simple executor: spec/execution.md 3.7, 3.8, scenarios MX-44 and MX-45 of 8.2."""

from collections.abc import Sequence

import numpy as np
import pytest
from hybrid_runs import held, started
from session_models import error_texts, line_texts
from simulated_runs import add_model, empty_output, failing, floats, on_device

from getrace.errors import ModelError
from getrace.events import Level
from getrace.events.markers import ExecutorSelected
from runtime.api.host_tensors import to_array
from runtime.api.hybrid.allocator_manager import ScalableAllocatorManager
from runtime.api.hybrid.executor import Executed, HybridModelRtV2Executor
from runtime.api.hybrid.model import HybridModel, is_need_hybrid_load
from runtime.api.hybrid.simple import RtV2SimpleExecutor, create_simple
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.rt_session import RtSession
from runtime.graph.builder import GraphBuilder
from runtime.kernels.status import Status
from runtime.memory.caching import CachingMemAllocator
from runtime.values import Placement

PARAM_INVALID, FAILED = 1343225857, 4294967295


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


@pytest.mark.parametrize(("cores", "main"), [("1", "sequential-executor"), ("3", "multi-thread-topo-executor")])
def test_several_cores_ask_for_the_executor_of_several_threads(cores: str, main: str) -> None:
    held_ = held(HybridModel(add_model(), environment={"MAX_RUNTIME_CORE_NUMBER": cores}))
    selected = [item.event.executor for item in held_.recorder.heard if isinstance(item.event, ExecutorSelected)]
    assert selected == ["sequential-executor", main, "sequential-executor"]
    assert held_.run(floats(1, 2), floats(3, 4)) == (Executed(0), [4.0, 6.0])
    assert held_.hybrid.unload() == 0
    held_.hybrid.close()


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
