"""Load, Execute and UnLoad against spec/execution.md 1.2 to 1.9 and scenarios MX-01 to MX-25 of 8.2."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from session_models import (
    error_texts,
    line_texts,
    machine_for_tests,
)
from simulated_runs import OpenProcess, Recorder, add_model, empty_output, failing, floats, open_process

from getrace.errors import InternalError
from getrace.events import Level
from runtime.executors.arguments import ExecuteArgIndex, ModelExecuteArg, calc_arg_index
from runtime.executors.builder import create
from runtime.executors.life_cycle import State
from runtime.executors.rt_session import RtSession
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.families import builtin_kernels
from runtime.kernels.status import Status
from runtime.lowering.graph_converter import lower
from runtime.subscribers.phase import GraphType
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


def test_a_second_thread_inside_an_executor_is_noticed() -> None:
    process = loaded()
    inputs = process.inputs(floats(1), floats(2))
    executor = process.executor
    executor._door._inside, executor._door._times = -1, 1
    with pytest.raises(InternalError, match="enters the executor of model add while thread -1 is inside"):
        executor.execute(process.arg, inputs, [empty_output()])
    executor._door._times = 0
    assert executor.execute(process.arg, inputs, [empty_output()]) == 0


def without_description(root: ExecuteGraph) -> None:
    del root.attrs["ModelDesc"]


def without_main(root: ExecuteGraph) -> None:
    root.nodes[:] = [node for node in root.nodes if node.type != "Main"]


def without_graph(root: ExecuteGraph) -> None:
    for node in root.nodes:
        if node.type == "DeInit":
            node.subgraph_names = ()


@pytest.mark.parametrize(
    ("break_it", "text"),
    [
        (without_description, "Failed to get buffer ModelDesc from root graph"),
        (without_main, "Failed to find node Main from root graph, execute graph type 1"),
        (without_graph, "Failed to get sub graph from node DeInit"),
    ],
)
def test_a_root_graph_that_lacks_a_part_gives_no_executor(break_it: Callable[[ExecuteGraph], None], text: str) -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    root = lower(add_model())
    break_it(root)
    assert create(root, machine, builtin_kernels()) is None
    assert error_texts(recorder)[-1].startswith(text)


def test_the_check_of_reused_addresses_says_what_it_looks_at() -> None:
    process = open_process(level=Level.DEBUG)
    process.executor.load(process.arg)
    assert values(process, [1], [2]) == [3.0]
    assert (
        line_texts(process.recorder).count(
            "Start to check io reuse addr pairs, io_same_addr_pairs count: 0, input num: 2, output num: 1"
        )
        == 1
    )


def test_the_end_of_a_sequence_at_the_last_wait_is_an_assertion_of_execute_sync() -> None:
    process = loaded()
    device = process.machine.device
    device.synchronize = lambda handle: 507005 * bool(handle)  # type: ignore[method-assign]
    inputs = process.inputs(floats(1), floats(2))
    assert process.executor.execute_sync(inputs, [empty_output()]) == PARAM_INVALID
    assert last_error(process) == "Assert ((DoRtStreamSyncWithTimeout(default_stream_)) == ge::SUCCESS) failed"
