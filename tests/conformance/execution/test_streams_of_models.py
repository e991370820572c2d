"""Models of several streams and where the streams come from: spec/execution.md 1.6, 1.10, 3.1, 3.7, 6.1 and MX-14."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from session_models import error_texts
from simulated_runs import OpenProcess, Recorder, add_model, empty_output, floats, open_process

from getrace.bus import Bus
from runtime.api.ge_process import GeProcess, start_process
from runtime.api.host_tensors import free_output, to_array, to_tensor
from runtime.api.hybrid.executor import HybridModelRtV2Executor
from runtime.api.hybrid.model import HybridModel
from runtime.api.models import load_model
from runtime.api.stream_executor import StreamExecutor
from runtime.device.errors import NO_STREAM, ApiError
from runtime.device.stream import Stream
from runtime.device.tasks import Task, TaskId
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.builder import build_executor
from runtime.executors.life_cycle import State
from runtime.executors.resources import Resources
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.families import builtin_kernels
from runtime.lowering.pipeline import lower_model
from runtime.ops.builtin import builtin_ops

SAMPLES = Path(__file__).parents[3] / "samples"
X = floats(1, -2).reshape(1, 2)


def two_streams() -> ComputeGraph:
    """y = relu(x) + neg(x) on two streams."""
    return load_model("two_streams", SAMPLES).graph


def run(process: GeProcess, hybrid: HybridModelRtV2Executor) -> list[list[float]]:
    output = empty_output()
    assert hybrid.execute([to_tensor(process.device, X)], [output]).status == 0
    values: list[list[float]] = to_array(process.device, output).tolist()
    free_output(output)
    return values


def test_two_models_of_a_session_use_the_same_second_stream() -> None:
    process, session = start_process(Bus(now=int)), RtSession(4)
    before = len(process.device.streams)
    models = [HybridModelRtV2Executor(process, HybridModel(two_streams()), session=session) for _ in range(2)]
    for hybrid in models:
        assert hybrid.init() == 0
        assert hybrid.load() == 0
    assert len(process.device.streams) == before + len(models) + 1
    for _ in range(2):
        for hybrid in models:
            assert run(process, hybrid) == [[0.0, 2.0]]
    for hybrid in models:
        assert hybrid.unload() == 0
        hybrid.close()
    assert len(process.device.streams) == before + 1
    session.destroy_resources(process.machine)
    assert len(process.device.streams) == before
    assert process.close() == 0


def open_two_streams() -> OpenProcess:
    root = lower_model(two_streams(), LoweringOptions(library=library_of(builtin_ops()))).root
    return open_process(lowered=root)


def test_MX_14_a_device_without_a_stream_left() -> None:
    process = open_two_streams()
    device = process.machine.device
    create = device.create_stream

    def refused() -> Stream:
        raise ApiError(NO_STREAM, "there is no stream left")

    device.create_stream = refused  # type: ignore[method-assign]
    assert process.executor.load(process.arg) == 1343225857
    assert error_texts(process.recorder) == [
        "Failed to prepare reusable streams, num 2. Maybe streams not enough on device"
    ]
    assert process.executor.state is State.INIT
    device.create_stream = create  # type: ignore[method-assign]
    assert process.executor.load(process.arg) == 0
    status, values = process.outputs([X], 1)
    assert status == 0
    np.testing.assert_array_equal(values[0], [[0.0, 2.0]])


@pytest.mark.parametrize(("what", "create"), [("events", "create_event"), ("notifies", "create_notify")])
def test_a_device_without_an_event_or_notify_left(what: str, create: str) -> None:
    process = open_two_streams()
    executor, device = process.executor, process.machine.device
    executor.set_model_desc(replace(executor.get_model_desc(), reusable_event_num=2, reusable_notify_num=2))

    def refused() -> int:
        raise ApiError(NO_STREAM, "there is none left")

    setattr(device, create, refused)
    executor._own = Resources(device)
    assert executor.load(process.arg) == 1343225857
    assert error_texts(process.recorder) == [
        f"Failed to prepare reusable {what}, num 2. Maybe {what} not enough on device"
    ]


def test_each_stream_of_a_stream_executor_has_second_streams_of_its_own() -> None:
    process = open_two_streams()
    machine = process.machine
    root = lower_model(two_streams(), LoweringOptions(library=library_of(machine.ops))).root
    streams = StreamExecutor(lambda: build_executor(root, machine, builtin_kernels()), machine.journal)
    before = len(machine.device.streams)
    for _ in range(2):
        arg = ModelExecuteArg(machine.device.create_stream().handle)
        executor = streams.get_or_create_loaded(arg.stream, arg)
        assert executor is not None
        status, values = OpenProcess(machine, executor, Recorder(), arg).outputs([X], 1)
        assert (status, values[0].tolist()) == (0, [[0.0, 2.0]])
    assert len(machine.device.streams) == before + 4
    streams.close()
    assert len(machine.device.streams) == before + 2


@pytest.mark.parametrize(("batch", "names"), [("0", ["MEMCPY_ASYNC"] * 2), ("1", ["MEMCPY_BATCH_ASYNC"])])
def test_inputs_are_copied_one_by_one_or_in_one_task(batch: str, names: list[str]) -> None:
    process = start_process(Bus(now=int))
    model = HybridModel(add_model(), environment={"INPUT_BATCH_CPY": batch})
    hybrid = HybridModelRtV2Executor(process, model)
    assert hybrid.init() == 0
    assert hybrid.load() == 0
    launched: list[str] = []
    launch = process.device.launch

    def noted(stream: Stream, task: Task) -> TaskId:
        launched.append(task.name)
        return launch(stream, task)

    process.device.launch = noted  # type: ignore[method-assign]
    output = empty_output()
    inputs = [to_tensor(process.device, floats(1, 2)), to_tensor(process.device, floats(3, 4))]
    assert hybrid.execute(inputs, [output]).status == 0
    assert [name for name in launched if name.startswith("MEMCPY")] == names
    assert to_array(process.device, output).tolist() == [4.0, 6.0]
