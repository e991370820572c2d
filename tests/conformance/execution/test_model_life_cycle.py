"""Load, Execute and UnLoad against spec/execution.md 1.2 to 1.9 and scenarios MX-01 to MX-25 of 8.2."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from session_models import error_texts, executor_on, machine_for_tests, variable_reader, variable_writer
from simulated_runs import OpenProcess, Recorder, add_model, empty_output, failing, floats, open_process

from getrace.errors import InternalError, ModelError
from getrace.events import Level
from runtime.executors.arguments import ExecuteArgIndex, ModelExecuteArg, ModelLoadArg, calc_arg_index
from runtime.executors.builder import build_executor, create
from runtime.executors.life_cycle import State
from runtime.executors.model_v2 import EMPTY_DESC
from runtime.executors.rt_session import RtSession
from runtime.kernels.families import builtin_kernels
from runtime.kernels.status import Status
from runtime.lowering.graph_converter import lower
from runtime.lowering.pipeline import lower_model
from runtime.subscribers.phase import GraphType
from runtime.subscribers.profiling_flags import ProfilingSwitch, ProfilingType, enable_flags
from runtime.values import Tensor

PARAM_INVALID = 1343225857


def loaded() -> OpenProcess:
    process = open_process()
    assert process.executor.load(process.arg) == 0
    return process


def values(process: OpenProcess, *arrays: Sequence[float]) -> list[float] | int:
    """One step of the model; the values, or the status when it failed."""
    status, value = process.step(*(floats(*each) for each in arrays))
    return status if value is None else value.tolist()


def last_error(process: OpenProcess) -> str:
    return error_texts(process.recorder)[-1]


def test_MX_01_no_graph_gives_no_executor_and_no_line() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    assert create(None, machine, builtin_kernels()) is None
    assert create(None, machine, builtin_kernels(), session=RtSession(3)) is None
    assert recorder.heard == []
    assert create(lower(add_model()), machine, builtin_kernels()) is not None


def test_MX_02_execute_before_load() -> None:
    process = open_process()
    assert values(process, [1], [2]) == PARAM_INVALID
    assert error_texts(process.recorder) == ["Failed to execute model, you may need load model first"]


def test_MX_03_load_twice() -> None:
    process = loaded()
    assert process.executor.load(process.arg) == PARAM_INVALID
    assert last_error(process) == "Cannot load now, the model has been loaded(1)"
    assert values(process, [1], [2]) == [3.0]


def test_MX_04_unload_before_load() -> None:
    process = open_process()
    assert process.executor.unload() == PARAM_INVALID
    assert last_error(process) == "Cannot unload now, the model state is not loaded(0)"


def test_a_default_load_is_a_load_on_the_default_stream() -> None:
    process = open_process()
    assert process.executor.load() == 0
    assert process.executor.unload() == 0
    assert process.executor.load(None, None) == 0


def test_MX_06_a_wrong_number_of_tensors_is_refused_and_the_right_call_works_afterwards() -> None:
    process = loaded()
    inputs = process.inputs(floats(1), floats(2))
    assert process.executor.execute(process.arg, inputs[:1], [empty_output()]) == PARAM_INVALID
    assert last_error(process) == (
        "Check model input num failed, input num not match, expect input num(6), current total inputs num(5) = "
        "input tensor num(1) + append input num(4)"
    )
    for outputs in ([], [empty_output(), empty_output()]):
        assert process.executor.execute(process.arg, inputs, outputs) == PARAM_INVALID
        assert last_error(process) == f"Failed to execute, outputs num {len(outputs)}, expect num 1"
    assert process.executor.state is State.LOADED
    assert values(process, [1], [2]) == [3.0]


@pytest.mark.parametrize(
    ("inputs", "outputs", "text"),
    [
        ("none", "good", "Failed to execute, inputs is nullptr"),
        ("hole", "good", "Failed to execute, inputs[1] is nullptr"),
        ("good", "none", "Failed to execute, outputs is nullptr"),
        ("good", "hole", "Failed to execute, outputs[0] is nullptr"),
    ],
)
def test_MX_07_null_arrays_and_null_tensors(inputs: str, outputs: str, text: str) -> None:
    process = loaded()
    feeds = process.inputs(floats(1), floats(2))
    given: dict[str, Sequence[Tensor | None] | None] = {"none": None, "hole": [feeds[0], None], "good": feeds}
    wanted: dict[str, Sequence[Tensor | None] | None] = {"none": None, "hole": [None], "good": [empty_output()]}
    assert process.executor.execute(process.arg, given[inputs], wanted[outputs]) == PARAM_INVALID
    assert error_texts(process.recorder) == [text]


def test_MX_08_null_arrays_of_no_tensors_are_accepted() -> None:
    graph = lower(add_model())
    process = open_process(lowered=graph)
    process.executor.load(process.arg)
    main = process.executor.model.graphs[GraphType.MAIN]
    data = replace(main.data, inputs=main.data.inputs[2:], outputs=(), nodes=(), topology=None)
    process.executor.model.graphs[GraphType.MAIN] = type(main)(data)
    assert process.executor.execute(process.arg, None, None) == 0
    assert process.executor.execute(process.arg, [], []) == 0


def test_MX_10_execute_sync_makes_its_stream_once_and_unload_destroys_it() -> None:
    process = loaded()
    streams = process.machine.device.streams
    before = set(streams)
    for _ in range(2):
        assert process.executor.execute_sync(process.inputs(floats(1), floats(2)), [empty_output()]) == 0
    assert len(set(streams) - before) == 1
    assert process.executor.unload() == 0
    assert set(streams) == before


def test_MX_11_the_places_of_the_appended_inputs() -> None:
    order = ExecuteArgIndex.STREAM, ExecuteArgIndex.EXTERNAL_ALLOCATOR, ExecuteArgIndex.RT_EVENTS
    assert [calc_arg_index(6, which) for which in (*order, ExecuteArgIndex.NOTIFIES)] == [2, 3, 4, 5]


class Giver:
    """An external allocator with enough of everything."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def acquire(self, count: int) -> list[int] | None:
        self.asked.append(count)
        return [0] * max(count, 1)


@pytest.mark.parametrize(
    "which", ["external_stream_allocator", "external_event_allocator", "external_notify_allocator"]
)
def test_MX_12_a_mixture_of_own_and_external_allocators(which: str) -> None:
    text = "external_stream_allocator and external_event_allocator not allow only set one."
    process = open_process()
    mixed = replace(process.arg)
    setattr(mixed, which, Giver())
    assert process.executor.load(mixed) == PARAM_INVALID
    assert process.executor.load(process.arg) == 0
    inputs = process.inputs(floats(1), floats(2))
    assert process.executor.execute(mixed, inputs, [empty_output()]) == PARAM_INVALID
    assert error_texts(process.recorder) == [text, text]
    assert values(process, [1], [2]) == [3.0]


def test_all_three_external_allocators_are_used_in_place_of_the_executors_own() -> None:
    process = open_process()
    streams, events, notifies = Giver(), Giver(), Giver()
    arg = ModelExecuteArg(process.arg.stream, None, streams, events, notifies)
    assert process.executor.load(arg) == 0
    assert process.executor.execute(arg, process.inputs(floats(1), floats(2)), [empty_output()]) == 0
    assert [streams.asked, events.asked, notifies.asked] == [[1, 1], [0, 0], [0, 0]]


class FailingStreams:
    """An allocator on a device that has no stream left."""

    def acquire(self, _count: int) -> list[int] | None:
        return None


def test_MX_14_a_stream_that_cannot_be_made() -> None:
    process = open_process()
    process.executor.set_model_desc(replace(process.executor.get_model_desc(), reusable_stream_num=2))
    short = ModelExecuteArg(process.arg.stream, None, FailingStreams(), Giver(), Giver())
    assert process.executor.load(short) == PARAM_INVALID
    assert error_texts(process.recorder) == [
        "Failed to prepare reusable streams, num 2. Maybe streams not enough on device"
    ]
    assert process.executor.state is State.INIT


def test_more_streams_than_the_allocator_holds_are_refused() -> None:
    process = open_process()
    process.executor.set_model_desc(replace(process.executor.get_model_desc(), reusable_stream_num=2024))
    assert process.executor.load(process.arg) == PARAM_INVALID
    assert last_error(process) == ("Failed to prepare reusable streams, num 2024. Maybe streams not enough on device")


def test_streams_are_occupied_before_the_outputs_are_counted() -> None:
    process = loaded()
    process.executor.set_model_desc(replace(process.executor.get_model_desc(), reusable_stream_num=3))
    before = len(process.machine.device.streams)
    assert process.executor.execute(process.arg, process.inputs(floats(1), floats(2)), []) == PARAM_INVALID
    assert len(process.machine.device.streams) == before + 2


def test_MX_16_the_session_that_init_sees() -> None:
    machine = machine_for_tests()
    executor = executor_on(machine, add_model())
    seen: list[object] = []
    init = executor.model.graphs[GraphType.INIT].data
    for session in (RtSession(100), None, None):
        assert executor.load(ModelExecuteArg(), ModelLoadArg(session)) == 0
        given = init.inputs[0].value
        assert isinstance(given, RtSession)
        seen.append(given.session_id)
        assert executor.unload() == 0
    assert seen == [100, 0, 0]


def test_MX_17_a_model_with_variables_runs_only_in_the_session_it_was_made_for() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    executor = executor_on(machine, variable_reader(), RtSession(7))
    assert executor.load(ModelExecuteArg(), ModelLoadArg(RtSession(8))) == PARAM_INVALID
    assert error_texts(recorder)[0] == (
        "Session id [8] from load arg mismatch with created value [7], this scene is not supported."
    )
    assert executor.state is State.INIT
    assert executor.load(ModelExecuteArg(), ModelLoadArg(RtSession(7))) == 0


def test_variables_without_a_session_stop_the_build() -> None:
    root = lower_model(variable_reader()).root
    with pytest.raises(ModelError, match=r"the model has variables \(v\) and no session to keep them"):
        build_executor(root, machine_for_tests(), builtin_kernels())


def test_a_variable_lives_in_the_session_and_not_in_the_model() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    session, arg = RtSession(7), ModelExecuteArg(machine.device.create_stream().handle)
    for model, inputs, output in (
        (variable_writer(), [floats(1, 2, 3, 4), floats(1, 1, 1, 1)], [2.0, 3.0, 4.0, 5.0]),
        (variable_reader(), [floats(0, 0, 0, 10)], [2.0, 3.0, 4.0, 15.0]),
    ):
        executor = executor_on(machine, model, session)
        assert executor.load(arg, ModelLoadArg(session)) == 0
        status, value = OpenProcess(machine, executor, recorder, arg).step(*inputs)
        assert (status, value.tolist() if value is not None else None) == (0, output)
        executor.unload()
        executor.close()
    session.destroy_resources(machine)
    assert machine.memory.finalize()
    assert machine.device.hbm.used == 0


def test_another_session_has_variables_of_its_own() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    arg = ModelExecuteArg(machine.device.create_stream().handle)
    for number, model, inputs in (
        (1, variable_writer(), [floats(1, 2, 3, 4), floats(1, 1, 1, 1)]),
        (2, variable_reader(), [floats(0, 0, 0, 10)]),
    ):
        session = RtSession(number)
        executor = executor_on(machine, model, session)
        executor.load(arg, ModelLoadArg(session))
        status, value = OpenProcess(machine, executor, recorder, arg).step(*inputs)
        assert status == 0
    assert value is not None
    assert value.tolist() == [0.0, 0.0, 0.0, 10.0]


def test_a_dropped_session_leaves_no_variables_to_a_model_that_is_still_there() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    session = RtSession(7)
    executor = executor_on(machine, variable_reader(), session)
    session.destroy_resources(machine)
    assert executor.load(ModelExecuteArg(), ModelLoadArg(session)) == PARAM_INVALID
    texts = error_texts(recorder)
    assert texts[0] == "Variable [v] is not found."
    assert texts[-1] == "Failed to execute init graph"


@pytest.mark.parametrize("status", [Status.FAILED, 1343225860, Status.END_OF_SEQUENCE])
def test_MX_19_a_kernel_of_init_that_fails(status: int) -> None:
    process = open_process(kernels=failing("SplitRtStreams", status))
    assert process.executor.load(process.arg) == PARAM_INVALID
    assert last_error(process) == "Failed to execute init graph"
    assert process.executor.state is State.INIT
    assert process.executor.load(process.arg) == 0
    assert values(process, [1], [2]) == [3.0]


def test_MX_21_an_output_that_must_lie_on_its_input() -> None:
    process = loaded()
    device = process.machine.device
    here, there = device.malloc(64), device.malloc(64)
    assert here is not None
    assert there is not None
    inputs = process.inputs(floats(1), floats(2))
    assert inputs[0].data is not None
    where = inputs[0].data.addr

    def run(pairs: list[tuple[int, int]], address: int) -> int:
        process.executor.model.reuse_pairs = pairs
        output = empty_output()
        output.data = replace(inputs[0].data, addr=address, size=64) if inputs[0].data is not None else None
        return process.executor.execute(process.arg, inputs, [output])

    assert run([(0, 0)], where) == 0
    assert run([(0, 0)], there) == PARAM_INVALID
    assert last_error(process) == (
        f"[Check][Param] Output[0] address(0x{there:x}) must be same as Input[0] address(0x{where:x}) because the "
        "option 'ge.exec.outputReuseInputMemIndexes' is set with value containing '0,0', addr reuse check not pass"
    )
    assert run([(5, 0)], where) == PARAM_INVALID
    assert last_error(process) == (
        "[Check][Param] Input index 5 out of range, input_num is 2, addr reuse check not pass"
    )
    assert run([(0, 4)], where) == PARAM_INVALID
    assert last_error(process) == (
        "[Check][Param] Output index 4 out of range, output_num is 1, addr reuse check not pass"
    )


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


def test_a_second_thread_inside_an_executor_is_noticed() -> None:
    process = loaded()
    inputs = process.inputs(floats(1), floats(2))
    executor = process.executor
    executor._door._inside, executor._door._times = -1, 1
    with pytest.raises(InternalError, match="enters the executor of model add while thread -1 is inside"):
        executor.execute(process.arg, inputs, [empty_output()])
    executor._door._times = 0
    assert executor.execute(process.arg, inputs, [empty_output()]) == 0
