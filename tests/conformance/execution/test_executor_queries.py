"""What an executor tells of itself: spec/execution.md 1.5 (tuning), 1.9 and scenario MX-25 of 8.2."""

from collections.abc import Sequence

import pytest
from session_models import (
    error_texts,
    line_texts,
    machine_for_tests,
)
from simulated_runs import OpenProcess, Recorder, add_model, failing, floats, open_process

from getrace.events import Level
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.builder import build_executor
from runtime.executors.model_v2 import EMPTY_DESC
from runtime.kernels.families import builtin_kernels
from runtime.kernels.status import Status
from runtime.lowering.graph_converter import lower
from runtime.subscribers.phase import GraphType
from runtime.subscribers.profiling_flags import ProfilingSwitch, ProfilingType, enable_flags

PARAM_INVALID = 1343225857


def values(process: OpenProcess, *arrays: Sequence[float]) -> list[float] | int:
    """One step of the model; the values, or the status when it failed."""
    status, value = process.step(*(floats(*each) for each in arrays))
    return status if value is None else value.tolist()


@pytest.mark.parametrize(("flags", "counts"), [((), [1, 1, 1]), ((ProfilingType.TASK_TIME,), [2, 3, 4])])
def test_MX_25_the_iteration_number_moves_only_while_task_time_is_profiled(
    flags: tuple[ProfilingType, ...], counts: list[int]
) -> None:
    switch = ProfilingSwitch()
    recorder = Recorder()
    machine = machine_for_tests(recorder, Level.ERROR)
    executor = build_executor(lower(add_model()), machine, builtin_kernels(), profiling=switch)
    arg = ModelExecuteArg(machine.device.create_stream().handle)
    process = OpenProcess(machine, executor, recorder, arg)
    switch.set_enable_flags(enable_flags(*flags))
    executor.load(arg)
    seen: list[int] = []
    for _ in range(3):
        process.step(floats(1), floats(2))
        seen.append(executor.get_iteration_num())
    assert seen == counts
    executor.model.iterations = None
    assert executor.get_iteration_num() == 0


def test_a_failed_run_is_no_iteration() -> None:
    switch = ProfilingSwitch()
    switch.set_enable_flags(enable_flags(ProfilingType.ALL))
    machine = machine_for_tests()
    kernels = failing("LaunchKernelWithHandle", Status.FAILED)
    executor = build_executor(lower(add_model()), machine, kernels, profiling=switch)
    arg = ModelExecuteArg(machine.device.create_stream().handle)
    process = OpenProcess(machine, executor, Recorder(), arg)
    executor.load(arg)
    process.step(floats(1), floats(2))
    assert executor.get_iteration_num() == 1
    process.step(floats(1), floats(2))
    assert executor.get_iteration_num() == 2


def test_a_model_without_a_description_has_an_empty_one_and_says_so() -> None:
    process = open_process()
    process.executor.set_model_desc(None)
    assert process.executor.get_model_desc() is EMPTY_DESC
    assert error_texts(process.recorder) == ["[Get][ModelDesc] failed, model_desc is null."]


def test_the_queries_of_an_executor() -> None:
    executor = open_process().executor
    assert executor.get_exe_graph_executor(GraphType.MAIN) is executor.model.graphs[GraphType.MAIN]
    assert executor.get_exe_graph_executor(GraphType.ALL) is None
    assert executor.get_subscribers() is executor.model.subscribers
    assert executor.get_file_constant_weight_dir() == ""
    executor.set_file_constant_weight_dir("weights")
    assert executor.get_file_constant_weight_dir() == "weights"
    assert [io.name for io in executor.get_model_desc().inputs] == ["x1", "x2"]


def test_the_pairs_of_outputs_and_inputs_are_read_from_the_model() -> None:
    recorder = Recorder()
    root = lower(add_model())
    root.attrs["ge.exec.outputReuseInputMemIndexes"] = "0,0|-1,0"
    executor = build_executor(root, machine_for_tests(recorder), builtin_kernels())
    assert executor.model.reuse_pairs == [(0, 0)]
    assert line_texts(recorder)[-2:] == [
        (
            "[Parse][Option] Invalid negative index in ge.exec.outputReuseInputMemIndexes: '0,0|-1,0'. Indexes must be "
            "non-negative."
        ),
        "Read output reuse input mem indexes from model add, pairs count: 1",
    ]


def test_a_step_is_measured_while_a_tuning_mode_is_set() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    kernels = failing("LaunchKernelWithHandle", Status.FAILED, calls=(1,))
    executor = build_executor(lower(add_model()), machine, kernels, tuning_mode="profile")
    arg = ModelExecuteArg(machine.device.create_stream().handle)
    assert executor.load(arg) == 0
    process = OpenProcess(machine, executor, recorder, arg)
    assert values(process, [1], [2]) == [3.0]
    assert values(process, [1], [2]) == Status.FAILED
    said = [text for text in line_texts(recorder) if text.startswith("[GE_MS_TUNE][STEP]")]
    first, second = (dict(part.split("=") for part in text.split()[1:]) for text in said)
    assert [first[key] for key in ("api", "mode", "model_id", "step", "ret", "sync_ret")] == [
        *("ModelV2Executor", "profile", "1", "1", "0", "0")
    ]
    assert int(first["cost_us"]) == int(first["end_us"]) - int(first["start_us"])
    assert int(first["sync_us"]) > 0
    assert (second["step"], second["ret"], second["sync_us"]) == ("2", "4294967295", "0")
