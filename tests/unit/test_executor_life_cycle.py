"""Load, Execute and UnLoad: every refusal with its status and its text (spec/execution.md 1.4 to 1.8)."""

from collections.abc import Callable

import pytest
from simulated_runs import OpenProcess, add_model, careless_ops, empty_output, failing, floats, open_process

from getrace.events import Level
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.text import LogLine
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.life_cycle import State
from runtime.executors.rt_session import RtSession
from runtime.kernels.status import Status
from runtime.subscribers.phase import GraphType

PARAM_INVALID = 1343225857


FAILED = 4294967295


def refusals(process: OpenProcess) -> list[tuple[int, str, int | None, str]]:
    """Line, function, code and text of the executor's own error records."""
    return [
        (item.event.line, item.event.func, item.event.code, item.event.text)
        for item in process.recorder.heard
        if item.level == Level.ERROR and isinstance(item.event, LogLine)
    ]


def loaded() -> OpenProcess:
    process = open_process()
    assert process.executor.load(process.arg) == 0
    return process


def test_a_model_is_loaded_executed_and_unloaded_as_often_as_one_likes() -> None:
    process = open_process()
    for _ in range(2):
        assert process.executor.load(process.arg) == 0
        assert process.executor.state.name == "LOADED"
        for _ in range(2):
            status, value = process.step(floats(1, 2), floats(3, 4))
            assert (status, value.tolist() if value is not None else None) == (0, [4.0, 6.0])
        assert process.executor.unload() == 0
        assert process.executor.state.name == "INIT"
    markers = [type(event) for event in process.recorder.events() if isinstance(event, ModelStart | ModelEnd)]
    assert markers == [ModelStart, ModelEnd] * 8


def test_loading_again_gives_the_memory_of_the_first_load_back() -> None:
    process = open_process()
    for _ in range(2):
        process.executor.load(process.arg)
        process.step(floats(1), floats(2))
        process.executor.unload()
    assert len(process.machine.caching) == 1
    process.executor.close()
    assert process.machine.caching == []
    assert process.machine.memory.finalize()
    assert process.machine.device.hbm.used == 0


# (call, whether the model is loaded before, line, function, code, text)
CALLS: list[tuple[Callable[[OpenProcess], int], bool, int, str, int, str]] = [
    (
        lambda process: process.executor.load(process.arg),
        True,
        171,
        "Load",
        PARAM_INVALID,
        "Cannot load now, the model has been loaded(1)",
    ),
    (
        lambda process: process.executor.execute(process.arg, [], []),
        False,
        231,
        "Execute",
        PARAM_INVALID,
        "Failed to execute model, you may need load model first",
    ),
    (
        lambda process: process.executor.unload(),
        False,
        203,
        "UnLoad",
        PARAM_INVALID,
        "Cannot unload now, the model state is not loaded(0)",
    ),
    (
        lambda process: process.executor.execute(process.arg, process.inputs(floats(1)), [empty_output()]),
        True,
        70,
        "CheckModelInputsNum",
        FAILED,
        (
            "Check model input num failed, input num not match, expect input num(6), current total inputs num(5) = "
            "input tensor num(1) + append input num(4)"
        ),
    ),
    (
        lambda process: process.executor.execute(process.arg, None, [empty_output()]),
        True,
        42,
        "CheckTensors",
        PARAM_INVALID,
        "Failed to execute, inputs is nullptr",
    ),
    (
        lambda process: process.executor.execute(process.arg, [*process.inputs(floats(1)), None], [empty_output()]),
        True,
        47,
        "CheckTensors",
        PARAM_INVALID,
        "Failed to execute, inputs[1] is nullptr",
    ),
    (
        lambda process: process.executor.execute(process.arg, process.inputs(floats(1), floats(1)), []),
        True,
        58,
        "CheckModelOutputsNum",
        PARAM_INVALID,
        "Failed to execute, outputs num 0, expect num 1",
    ),
    (
        lambda process: process.executor.execute(process.arg, process.inputs(floats(1), floats(1)), None),
        True,
        42,
        "CheckTensors",
        PARAM_INVALID,
        "Failed to execute, outputs is nullptr",
    ),
    (
        lambda process: process.executor.execute(process.arg, process.inputs(floats(1), floats(1)), [None]),
        True,
        47,
        "CheckTensors",
        PARAM_INVALID,
        "Failed to execute, outputs[0] is nullptr",
    ),
]


@pytest.mark.parametrize(("call", "load_first", "line", "func", "code", "text"), CALLS)
def test_a_wrong_call_is_refused_with_its_record(
    call: Callable[[OpenProcess], int], load_first: bool, line: int, func: str, code: int, text: str
) -> None:
    process = loaded() if load_first else open_process()
    before = process.executor.state
    assert call(process) == PARAM_INVALID
    assert refusals(process) == [(line, func, code, text)]
    assert process.executor.state is before


class Hoarder:
    """An external allocator that has nothing."""

    def acquire(self, _count: int) -> list[int] | None:
        return None


class Giver:
    """An external allocator that gives null handles."""

    def acquire(self, count: int) -> list[int] | None:
        return [0] * max(count, 1)


def test_external_allocators_come_all_together_or_not_at_all() -> None:
    process = open_process()
    arg = ModelExecuteArg(process.arg.stream, external_stream_allocator=Giver())
    assert process.executor.load(arg) == PARAM_INVALID
    text = "external_stream_allocator and external_event_allocator not allow only set one."
    assert refusals(process) == [(115, "OccupyStreamResource", PARAM_INVALID, text)]


@pytest.mark.parametrize(
    ("short", "line", "text"),
    [
        (0, 121, "Failed to prepare reusable streams, num 1. Maybe streams not enough on device"),
        (1, 127, "Failed to prepare reusable events, num 0. Maybe events not enough on device"),
        (2, 132, "Failed to prepare reusable notifies, num 0. Maybe notifies not enough on device"),
    ],
)
def test_a_shortage_of_handles_is_named(short: int, line: int, text: str) -> None:
    process = open_process()
    given = [Hoarder() if index == short else Giver() for index in range(3)]
    arg = ModelExecuteArg(process.arg.stream, None, *given)
    assert process.executor.load(arg) == PARAM_INVALID
    assert refusals(process) == [(line, "OccupyStreamResource", FAILED, text)]


def test_a_session_other_than_that_of_the_variables_is_refused() -> None:
    process = open_process()
    process.executor.model.load_session_id = 7
    assert process.executor.load(process.arg, ModelLoadArg(RtSession(8))) == PARAM_INVALID
    text = "Session id [8] from load arg mismatch with created value [7], this scene is not supported."
    assert refusals(process) == [
        (157, "InitRtVarManager", FAILED, text),
        (180, "Load", FAILED, "Assert ((InitRtVarManager(load_arg)) == ge::SUCCESS) failed"),
    ]
    assert process.executor.load(process.arg, ModelLoadArg(RtSession(7))) == 0


def test_load_hides_the_status_of_the_kernel_that_failed() -> None:
    process = open_process(kernels=failing("SelectL1Allocator", 1343225860))
    assert process.executor.load(process.arg) == PARAM_INVALID
    assert process.executor.state is State.INIT
    assert refusals(process) == [(192, "Load", FAILED, "Failed to execute init graph")]
    assert process.executor.load(process.arg) == 0


def test_unload_hides_the_status_of_the_kernel_that_failed() -> None:
    process = open_process()
    process.executor.load(process.arg)
    process.executor.model.graphs[GraphType.DEINIT] = process.executor.model.graphs[GraphType.MAIN]
    process.step(floats(1, 2), floats(1))
    process.recorder.heard.clear()
    assert process.executor.unload() == PARAM_INVALID
    assert refusals(process)[-1] == (219, "UnLoad", FAILED, "Failed to execute de-init graph")
    assert process.executor.state is State.LOADED


@pytest.mark.parametrize("status", [Status.FAILED, Status.END_OF_SEQUENCE, 1343225859])
def test_execute_gives_the_raw_status_and_the_next_execute_works(status: int) -> None:
    process = open_process(kernels=failing("LaunchKernelWithHandle", status))
    assert process.executor.load(process.arg) == 0
    assert process.step(floats(1), floats(2)) == (status, None)
    assert process.executor.state is State.LOADED
    again, value = process.step(floats(1), floats(2))
    assert (again, value.tolist() if value is not None else None) == (0, [3.0])
    assert process.executor.unload() == 0
    tally = process.machine.caching[0].pool.tally
    process.executor.close()
    assert tally.theory == 0


def test_a_failing_kernel_ends_the_trace_with_an_error_and_without_an_end() -> None:
    process = open_process(kernels=failing("FreeBatchHbm", Status.FAILED))
    process.executor.load(process.arg)
    process.step(floats(1), floats(2))
    last = process.recorder.heard[-1]
    assert (last.level, last.kernel, last.event) == (Level.ERROR, "FreeBatchHbm_add_225", KernelEnd())
    assert ModelEnd() not in process.recorder.events("main")
    process.step(floats(1), floats(2))
    main = process.recorder.events("main")
    assert (main.count(ModelStart()), main.count(ModelEnd())) == (2, 1)


def test_end_of_sequence_is_no_error_but_ends_the_run() -> None:
    process = open_process(kernels=failing("FreeBatchHbm", Status.END_OF_SEQUENCE))
    process.executor.load(process.arg)
    process.step(floats(1), floats(2))
    last = process.recorder.heard[-1]
    assert (last.level, last.event) == (Level.INFO, KernelEnd())
    assert ModelEnd() not in process.recorder.events("main")


def test_execute_sync_runs_on_a_stream_of_its_own_and_waits() -> None:
    process = loaded()
    output = empty_output()
    assert process.executor.execute_sync(process.inputs(floats(1), floats(2)), [output]) == 0
    assert output.data is not None
    assert process.machine.device.hbm.read(output.data.addr, 4) == floats(3).tobytes()
    assert process.executor.unload() == 0


def test_execute_sync_turns_a_fault_of_the_device_into_an_assertion() -> None:
    process = open_process(ops=careless_ops())
    assert process.executor.load(process.arg) == 0
    inputs = process.inputs(floats(1, 2), floats(1))
    assert process.executor.execute_sync(inputs, [empty_output()]) == PARAM_INVALID
    text = "Assert ((DoRtStreamSyncWithTimeout(default_stream_)) == ge::SUCCESS) failed"
    assert refusals(process) == [
        (50, "DoRtStreamSyncWithTimeout", FAILED, "Assert ((rt_ret) == 0) failed"),
        (268, "ExecuteSync", FAILED, text),
    ]


def test_an_output_must_lie_on_its_input_when_the_model_says_so() -> None:
    process = open_process()
    process.executor.model.reuse_pairs = [(0, 0)]
    process.executor.load(process.arg)
    inputs = process.inputs(floats(1), floats(2))
    assert inputs[0].data is not None
    assert process.executor.execute(process.arg, inputs, [empty_output()]) == PARAM_INVALID
    assert refusals(process)[0][3] == (
        f"[Check][Param] Output[0] address((nil)) must be same as Input[0] address(0x{inputs[0].data.addr:x}) because "
        "the option 'ge.exec.outputReuseInputMemIndexes' is set with value containing '0,0', "
        "addr reuse check not pass"
    )


def test_the_model_of_the_tests_has_two_inputs_and_one_output() -> None:
    process = open_process(add_model())
    desc = process.executor.model.desc
    assert desc is not None
    assert ([io.name for io in desc.inputs], len(desc.outputs)) == (["x1", "x2"], 1)
