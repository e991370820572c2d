"""A hybrid model in a thread of its own: spec/execution.md 3.7 (Async, parallel mode)."""

import pytest
from session_models import error_texts, line_texts
from simulated_runs import Recorder, add_model, failing, floats

from getrace.bus import Bus
from runtime.api.ge_process import GeProcess, start_process
from runtime.api.host_tensors import to_tensor
from runtime.api.hybrid.executor import HybridModelRtV2Executor
from runtime.api.hybrid.model import HybridModel
from runtime.api.hybrid.run_async import ComputeDone, HybridModelAsyncExecutor, check_parallel_mode
from runtime.kernels.registry import KernelRegistry
from runtime.kernels.status import Status
from runtime.values import Tensor

PARAM_INVALID, INTERNAL_ERROR, END_OF_SEQUENCE = 1343225857, 1343225860, 1343225863


class Started:
    """A loaded model, an executor in a thread, and what its listener heard."""

    def __init__(self, kernels: KernelRegistry | None = None, capacity: int = 8) -> None:
        self.recorder = Recorder()
        bus = Bus(now=int)
        bus.subscribe(self.recorder)
        self.process: GeProcess = start_process(bus)
        if kernels is not None:
            self.process.kernels = kernels
        self.hybrid = HybridModelRtV2Executor(self.process, HybridModel(add_model(), 5))
        assert self.hybrid.init() == 0
        assert self.hybrid.load() == 0
        self.executor = HybridModelAsyncExecutor(self.process, self.hybrid, 1, capacity)
        self.heard: list[ComputeDone] = []

    def inputs(self, value: float) -> list[Tensor]:
        return [to_tensor(self.process.device, floats(value)) for _ in range(2)]

    def told(self) -> list[tuple[int, int, list[list[float]]]]:
        return [(each.data_index, each.status, [array.tolist() for array in each.outputs]) for each in self.heard]


def test_results_come_in_the_order_of_the_inputs_and_their_memory_is_given_back() -> None:
    started = Started()
    assert started.executor.start(started.heard.append) == 0
    for index in range(5):
        assert started.executor.enqueue(index, started.inputs(index)) == 0
    assert started.executor.stop() == 0
    assert started.told() == [(index, 0, [[2.0 * index]]) for index in range(5)]
    assert "Executed graph successfully, model id = 5, data_index = 4." in line_texts(started.recorder)
    assert started.hybrid.unload() == 0
    started.hybrid.close()
    assert started.process.close() == 0


def test_a_failure_and_the_end_of_a_data_set_come_without_outputs() -> None:
    calls = iter([1343225859, Status.END_OF_SEQUENCE])
    kernels = failing("LaunchKernelWithHandle", next(calls), calls=(0,))
    started = Started(kernels)
    started.executor.start(started.heard.append)
    for index in range(2):
        started.executor.enqueue(index, started.inputs(1))
    started.executor.stop()
    assert started.told() == [(0, INTERNAL_ERROR, []), (1, 0, [[2.0]])]
    assert error_texts(started.recorder)[-1] == "[Check][Param:Status] failed to execute graph. model_id = 5"
    started = Started(failing("LaunchKernelWithHandle", next(calls), calls=(0,)))
    started.executor.start(started.heard.append)
    started.executor.enqueue(0, started.inputs(1))
    started.executor.stop()
    assert started.told() == [(0, END_OF_SEQUENCE, [])]
    assert "End of sequence, model id = 5." in line_texts(started.recorder)
    assert error_texts(started.recorder) == []


def test_it_is_started_once_and_a_full_queue_is_said() -> None:
    started = Started(capacity=2)
    for index in range(2):
        assert started.executor.enqueue(index, started.inputs(1)) == 0
    assert started.executor.enqueue(2, started.inputs(1)) == 50462722
    assert error_texts(started.recorder) == ["[Push][Data] Data queue is full, please call again later, model_id 5 "]
    assert started.executor.start(started.heard.append) == 0
    assert started.executor.start(started.heard.append) == INTERNAL_ERROR
    assert error_texts(started.recorder)[-1] == "[Check][RunState] Model already started, model_id:5."
    started.executor.stop()
    assert [each.data_index for each in started.heard] == [0, 1]


@pytest.mark.parametrize(("mode", "status"), [("", 0), ("0", 0), ("1", 0), ("2", 0), ("3", PARAM_INVALID)])
def test_the_parallel_mode_of_dynamic_graphs(mode: str, status: int) -> None:
    recorder = Recorder()
    bus = Bus(now=int)
    bus.subscribe(recorder)
    process = start_process(bus)
    process.options["ge.experiment.dynamicGraphParallelMode"] = mode
    assert check_parallel_mode(process) == status
    expected = ["Option ge.experiment.dynamicGraphParallelMode is invalid, value = [3]"] if status else []
    assert error_texts(recorder) == expected
