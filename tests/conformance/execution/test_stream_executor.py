"""StreamExecutor: spec/execution.md 3.1, scenarios MX-33 to MX-36 of 8.2, and two streams from two threads."""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from threading import Barrier, Thread

import numpy as np
import pytest
from session_models import (
    error_texts,
    executor_on,
    line_texts,
    machine_for_tests,
    variable_reader,
    variable_writer,
)
from simulated_runs import OpenProcess, Recorder, add_model, failing, floats

from getrace.errors import ModelError
from getrace.events import Event, Level, Origin
from getrace.events.markers import ModelEnd, ModelStart
from runtime.api.stream_executor import StreamExecutor
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.machine import Machine
from runtime.kernels.status import Status

ROUNDS = 500


def adder(machine: Machine) -> StreamExecutor:
    return StreamExecutor(lambda: executor_on(machine, add_model()), machine.journal)


def new_arg(machine: Machine) -> ModelExecuteArg:
    return ModelExecuteArg(machine.device.create_stream().handle)


def get(streams: StreamExecutor, arg: ModelExecuteArg) -> ModelV2Executor:
    executor = streams.get_or_create_loaded(arg.stream, arg)
    assert executor is not None
    return executor


def test_MX_33_one_stream_has_one_executor() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder, Level.DEBUG)
    streams, arg = adder(machine), new_arg(machine)
    first = get(streams, arg)
    assert get(streams, arg) is first
    assert line_texts(recorder).count(f"Create a new executor for stream 0x{arg.stream:x}") == 1


def test_the_argument_of_a_stream_that_has_its_executor_is_ignored() -> None:
    machine = machine_for_tests()
    streams, arg = adder(machine), new_arg(machine)
    first = get(streams, arg)
    assert streams.get_or_create_loaded(arg.stream, ModelExecuteArg(0xDEAD)) is first


def test_MX_34_two_streams_run_independently() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    streams = adder(machine)
    args = [new_arg(machine), new_arg(machine)]
    executors = [get(streams, arg) for arg in args]
    assert executors[0] is not executors[1]
    first, second = (OpenProcess(machine, each, recorder, arg) for each, arg in zip(executors, args, strict=True))
    assert first.step(floats(1), floats(2))[0] == 0
    assert executors[0].unload() == 0
    status, value = second.step(floats(5, 6), floats(1, 1))
    assert (status, value.tolist() if value is not None else None) == (0, [6.0, 7.0])


def test_erasing_unloads_and_erasing_again_is_fine() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder, Level.DEBUG)
    streams, arg = adder(machine), new_arg(machine)
    first = get(streams, arg)
    assert streams.erase(arg.stream) == 0
    assert first.state.name == "INIT"
    assert streams.erase(arg.stream) == 0
    assert line_texts(recorder).count(f"Unload executor on stream 0x{arg.stream:x}") == 1
    assert get(streams, arg) is not first
    streams.close()
    assert machine.memory.finalize()
    assert machine.device.hbm.used == 0


def test_MX_36_an_executor_that_cannot_be_loaded_is_not_kept() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    kernels = failing("SplitRtStreams", Status.FAILED)
    streams = StreamExecutor(lambda: executor_on(machine, add_model(), kernels=kernels), machine.journal)
    arg = new_arg(machine)
    assert streams.get_or_create_loaded(arg.stream, arg) is None
    assert error_texts(recorder)[-1] == "Failed to execute init graph"
    assert streams.get_or_create_loaded(arg.stream, arg) is not None


def test_an_executor_that_cannot_be_built_is_none_and_may_be_tried_again() -> None:
    machine = machine_for_tests()
    tries = iter([None, add_model()])

    def build() -> ModelV2Executor:
        model = next(tries)
        if model is None:
            raise ModelError("it cannot be built")
        return executor_on(machine, model)

    streams, arg = StreamExecutor(build, machine.journal), new_arg(machine)
    assert streams.get_or_create_loaded(arg.stream, arg) is None
    assert streams.get_or_create_loaded(arg.stream, arg) is not None


@pytest.fixture
def nervous() -> Iterator[None]:
    """Threads change places as often as they can, so that whoever needs a lock is found out."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*works: Callable[[], None]) -> None:
    """Run each work in a thread of its own; what one raises is raised here."""
    start, errors = Barrier(len(works)), []

    def guarded(work: Callable[[], None]) -> None:
        start.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - handed on to the test's own thread
            errors.append(error)

    threads = [Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.usefixtures("nervous")
@pytest.mark.parametrize("level", [Level.ERROR, Level.INFO])
def test_two_streams_from_two_threads_lose_no_output(level: Level) -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder, level)
    streams = adder(machine)
    rounds = ROUNDS if level is Level.ERROR else ROUNDS // 5
    results: dict[int, list[float]] = {0: [], 1: []}

    def worker(number: int) -> Callable[[], None]:
        arg = new_arg(machine)

        def work() -> None:
            process = OpenProcess(machine, get(streams, arg), Recorder(), arg)
            for turn in range(rounds):
                status, value = process.step(floats(turn), floats(1000 * number))
                assert status == 0
                assert value is not None
                results[number].append(float(value[0]))

        return work

    together(worker(0), worker(1))
    assert results[0] == [float(turn) for turn in range(rounds)]
    assert results[1] == [float(turn + 1000) for turn in range(rounds)]
    streams.close()
    assert machine.memory.finalize()


class Threads:
    """A sink that keeps stage and kind of what each thread of the host program said."""

    def __init__(self) -> None:
        self.said: dict[int, list[tuple[str, type[Event]]]] = {}

    def __call__(self, _time: int, origin: Origin, _level: Level, _kernel: str | None, event: Event, /) -> None:
        self.said.setdefault(origin.tid, []).append((origin.stage, type(event)))


@pytest.mark.usefixtures("nervous")
def test_each_thread_speaks_in_its_own_name() -> None:
    machine = machine_for_tests(level=Level.INFO)
    threads = Threads()
    machine.journal.bus.subscribe(threads)
    streams = adder(machine)

    def work() -> None:
        arg = new_arg(machine)
        process = OpenProcess(machine, get(streams, arg), Recorder(), arg)
        for turn in range(20):
            assert process.step(floats(turn), floats(1))[0] == 0

    together(work, work)
    main = [said for tid, said in threads.said.items() if tid != 1]
    assert len(main) == 2
    for said in main:
        stages = [stage for stage, kind in said if kind in (ModelStart, ModelEnd)]
        assert stages == ["init"] * 2 + ["main"] * 40
        inside = False
        for stage, kind in said:
            inside = kind is ModelStart or (inside and kind is not ModelEnd)
            assert stage in {"init", "main"} or not inside


def test_a_variable_written_on_one_stream_is_read_on_another_of_the_session() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    session = RtSession(9)
    models = {"writer": variable_writer(), "reader": variable_reader()}
    processes = {}
    for name, model in models.items():
        streams = StreamExecutor(partial(executor_on, machine, model, session), machine.journal)
        arg = new_arg(machine)
        executor = streams.get_or_create_loaded(arg.stream, arg, ModelLoadArg(session))
        assert executor is not None
        processes[name] = OpenProcess(machine, executor, recorder, arg)
    for turn in range(3):
        assert processes["writer"].step(floats(1, 2, 3, 4), floats(*[turn] * 4))[0] == 0
        status, value = processes["reader"].step(floats(0, 0, 0, 0))
        assert status == 0
        assert value is not None
        np.testing.assert_array_equal(value, [1 + turn, 2 + turn, 3 + turn, 4 + turn])


@pytest.mark.usefixtures("nervous")
def test_a_variable_that_one_thread_writes_grows_for_the_thread_that_reads_it() -> None:
    machine = machine_for_tests(level=Level.ERROR)
    session = RtSession(9)
    seen: list[float] = []

    def opened(model: ComputeGraph) -> OpenProcess:
        streams = StreamExecutor(partial(executor_on, machine, model, session), machine.journal)
        arg = new_arg(machine)
        executor = streams.get_or_create_loaded(arg.stream, arg, ModelLoadArg(session))
        assert executor is not None
        return OpenProcess(machine, executor, Recorder(), arg)

    writer, reader = opened(variable_writer()), opened(variable_reader())

    def write() -> None:
        for turn in range(100):
            assert writer.step(floats(*[turn] * 4), floats(0, 0, 0, 0))[0] == 0

    def read() -> None:
        for _ in range(100):
            status, value = reader.step(floats(0, 0, 0, 0))
            assert status == 0
            assert value is not None
            assert len(set(value.tolist())) == 1
            seen.append(float(value[0]))

    together(write, read)
    assert seen == sorted(seen)
    assert reader.step(floats(0, 0, 0, 0))[1] == pytest.approx([99, 99, 99, 99])
