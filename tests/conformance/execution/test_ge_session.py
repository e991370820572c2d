"""GeSession: scenarios MX-42 and MX-43 of spec/execution.md 8.2 and the paragraphs of 3.6."""

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from api_calls import Calls, add_of, calls, ones
from simulated_runs import Array, empty_output, failing

from runtime.api.session.ge_session import GeSession, ge_finalize_v2, ge_initialize_v2, public_status
from runtime.api.session.loaded_graph import on_device
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.status import Status

FAILED = 4294967295
UNSUPPORTED = 100
SESS_ALREADY_RUNNING = 1343238145
GRAPH_ALREADY_RUNNING = 1343242241
SYNC_MODEL_FAILED = 1343242272
NODE_NULL = 1343242276


def session() -> tuple[Calls, GeSession]:
    there = calls()
    ge_initialize_v2(there.process)
    made = GeSession(there.process)
    for graph_id, columns in enumerate((-1, 3)):
        assert made.add_graph(graph_id, add_of(columns, f"graph{graph_id}")) == 0
    return there, made


def run_async(made: GeSession, graph_id: int, *arrays: Array) -> tuple[int, int, list[Array]]:
    """Queue a run and wait for its callback; gives both statuses and the outputs."""
    done, told = threading.Event(), []

    def callback(status: int, outputs: list[Array]) -> None:
        told.append((status, outputs, threading.current_thread().name))
        done.set()

    status = made.run_graph_async(graph_id, arrays, callback)
    assert done.wait(30)
    [(later, outputs, thread)] = told
    assert thread.startswith("ge_rt2_mdlrun")
    return status, later, outputs


@pytest.mark.parametrize("graph_id", [0, 1])
def test_the_first_run_loads_and_later_ones_only_run(graph_id: int) -> None:
    there, made = session()
    for factor in (1, 2, 3):
        outputs, status = made.run_graph(graph_id, [ones(2, 3), factor * ones(2, 3)])
        assert (status, [output.tolist() for output in outputs]) == (0, [[[1.0 + factor] * 3] * 2])
    built = [item for item in there.recorder.heard if type(item.event).__name__ == "ExecutorSelected"]
    assert len(built) == (3 if graph_id == 0 else 0)
    made.close()
    assert there.process.close() == 0


@pytest.mark.parametrize("graph_id", [0, 1])
def test_a_queued_run_tells_its_callback(graph_id: int) -> None:
    _, made = session()
    for _ in range(2):
        status, later, outputs = run_async(made, graph_id, ones(2, 3), ones(2, 3))
        assert (status, later, outputs[0].tolist()) == (0, 0, [[2.0] * 3] * 2)
    made.close()


@pytest.mark.parametrize("graph_id", [0, 1])
def test_a_run_on_the_callers_stream_is_waited_for_by_the_caller(graph_id: int) -> None:
    there, made = session()
    device = there.process.device
    stream = device.create_stream().handle
    with (
        on_device(device, [ones(2, 3), ones(2, 3)]) as inputs,
        on_device(device, [np.zeros((2, 32), "<f4")]) as outputs,
    ):
        assert made.run_graph_with_stream_async(graph_id, stream, inputs, outputs) == 0
        assert device.synchronize(stream) == 0
        assert outputs[0].data is not None
        assert np.frombuffer(device.hbm.read(outputs[0].data.addr, 24), "<f4").tolist() == [2.0] * 6
    made.close()


def test_a_stream_that_is_none_is_refused() -> None:
    there, made = session()
    with on_device(there.process.device, [ones(2, 3), ones(2, 3)]) as inputs:
        assert made.run_graph_with_stream_async(0, 0xBAD, inputs, [empty_output()]) == FAILED
    session_id = 1 << 63
    last = f"[Run][GraphWithStreamAsync]failed,session id = {session_id}, graph id = 0, stream = 0xbad."
    assert there.texts()[-1] == last
    made.close()


def _sync(made: GeSession) -> int:
    return made.run_graph(0, [ones(2, 3), ones(2, 3)])[1]


def _async(made: GeSession) -> int:
    return made.run_graph_async(0, [ones(2, 3), ones(2, 3)], lambda _status, _outputs: None)


def _with_stream(made: GeSession) -> int:
    return made.run_graph_with_stream_async(0, 0, [], [])


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (_sync, _async, ("RunGraphAsync", "RunGraph")),
        (_sync, _with_stream, ("RunGraphWithStreamAsync", "RunGraph")),
        (_async, _sync, ("RunGraph", "RunGraphAsync")),
        (_with_stream, _sync, ("RunGraph", "RunGraphWithStreamAsync")),
    ],
)
def test_MX_42_a_graph_is_run_in_one_way_only(
    first: Callable[[GeSession], int], second: Callable[[GeSession], int], names: tuple[str, str]
) -> None:
    there, made = session()
    first(made)
    there.errors()
    assert second(made) == UNSUPPORTED
    wanted, bound = names
    text = (
        f"Failed to execute {wanted} for graph[0] because {bound} was already called. "
        "These execution methods are mutually exclusive and cannot be mixed."
    )
    assert there.errors()[0][2:] == (text, UNSUPPORTED)
    made.close()


def slow_session(reached: threading.Event, let_go: threading.Event) -> tuple[Calls, GeSession]:
    """A session whose dynamic graph waits in its first launch until it is let go."""
    there, made = session()

    def wait() -> bool:
        reached.set()
        return let_go.wait(30)

    kernels = there.process.kernels
    launch = kernels.find("LaunchKernelWithHandle", "")
    kernels._kernels[launch.type] = replace(launch, run=lambda context: launch.run(context) if wait() else FAILED)
    return there, made


def test_MX_43_a_second_run_of_a_session_is_refused_while_one_runs() -> None:
    reached, let_go = threading.Event(), threading.Event()
    there, made = slow_session(reached, let_go)
    inner = made.inner
    assert inner is not None
    arrays, statuses = [ones(2, 3), ones(2, 3)], []
    thread = threading.Thread(target=lambda: statuses.append(inner.run(0, arrays)[1]))
    thread.start()
    assert reached.wait(30)
    assert inner.run(1, arrays) == ([], SESS_ALREADY_RUNNING)
    assert made.run_graph(1, arrays) == ([], FAILED)
    let_go.set()
    thread.join(30)
    assert statuses == [0]
    text = f"[Run][Graph]failed, InnerSession:{inner.session_id}, graph_id=1."
    assert there.errors() == [("inner_session.cc", 403, text, SESS_ALREADY_RUNNING)] * 2
    assert inner.run(1, arrays)[1] == 0
    made.close()


def test_a_graph_that_runs_already_is_refused() -> None:
    there, made = session()
    inner = made.inner
    assert inner is not None
    with inner.graphs[0].running:
        assert inner.run(0, [ones(2, 3), ones(2, 3)]) == ([], GRAPH_ALREADY_RUNNING)
    assert there.errors()[0][3] == GRAPH_ALREADY_RUNNING
    assert inner.run(0, [ones(2, 3), ones(2, 3)])[1] == 0
    made.close()


def test_sessions_do_not_wait_for_each_other() -> None:
    reached, let_go = threading.Event(), threading.Event()
    there, made = slow_session(reached, let_go)
    other = GeSession(there.process)
    other.add_graph(0, add_of(3))
    arrays = [ones(2, 3), ones(2, 3)]
    thread = threading.Thread(target=lambda: made.run_graph(0, arrays))
    thread.start()
    assert reached.wait(30)
    assert other.run_graph(0, arrays)[1] == 0
    let_go.set()
    thread.join(30)
    made.close()
    other.close()


def test_four_sessions_from_four_threads_lose_no_output() -> None:
    there = calls()
    ge_initialize_v2(there.process)
    wrong: list[tuple[int, int]] = []

    def work(number: int) -> None:
        own = GeSession(there.process)
        own.add_graph(0, add_of(-1 if number % 2 else 3, f"graph{number}"))
        for step in range(20):
            x = np.full((2, 3), 100 * number + step, np.float32)
            outputs, status = own.run_graph(0, [x, x])
            if status or not np.array_equal(outputs[0], 2 * x):
                wrong.append((number, step))
        own.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (wrong, there.errors(), there.process.close()) == ([], [], 0)


def test_a_session_before_ge_is_initialized_does_nothing() -> None:
    there = calls()
    made = GeSession(there.process)
    text = "[Construct][GeSession]Failed because GEInitializeV2 was not called before."
    assert there.errors() == [("ge_api_v2.cc", 0, text, FAILED)]
    assert there.process.reports == [("E10062", text)]
    assert (made.add_graph(0, add_of(3)), made.load_graph(0), made.remove_graph(0)) == (FAILED,) * 3
    assert made.run_graph(0, []) == ([], FAILED)
    assert made.run_graph_async(0, [], lambda _status, _outputs: None) == FAILED
    assert made.run_graph_with_stream_async(0, 0, [], []) == FAILED


def test_ge_can_be_ended() -> None:
    there = calls()
    ge_initialize_v2(there.process, {"ge.deterministic": "1"})
    assert there.process.options == {"ge.deterministic": "1"}
    ge_finalize_v2(there.process)
    assert GeSession(there.process).inner is None


def test_a_run_that_fails_says_so_and_the_next_one_works() -> None:
    there, made = session()
    there.process.kernels = failing("LaunchKernelWithHandle", FAILED)
    inner = made.inner
    assert inner is not None
    assert inner.run(0, [ones(2, 3), ones(2, 3)]) == ([], SYNC_MODEL_FAILED)
    assert there.texts()[-1] == "[SyncExecute][Model] Error! graph id:0"
    assert made.run_graph(0, [ones(2, 3), ones(2, 3)])[1] == 0
    made.close()


def test_a_queued_run_that_fails_tells_its_callback_and_the_log() -> None:
    there, made = session()
    there.process.kernels = failing("LaunchKernelWithHandle", FAILED)
    assert run_async(made, 0, ones(2, 3), ones(2, 3)) == (0, 1343225860, [])
    assert there.texts()[-1] == "[Check][Param:Status] failed to execute graph. model_id = 0"
    made.close()


def test_an_input_that_is_too_small_is_refused_by_v1() -> None:
    there, made = session()
    assert made.run_graph(1, [ones(2, 3), ones(2, 2)]) == ([], FAILED)
    assert there.texts()[0] == "[Check][Size]Input 1 has 16 bytes, the model requires 24"
    assert made.run_graph(1, [ones(2, 3)])[1] == FAILED
    made.close()


def test_graphs_that_are_not_there() -> None:
    there, made = session()
    inner = made.inner
    assert inner is not None
    assert (inner.run(9, [])[1], inner.load(9), inner.remove_graph(9)) == (NODE_NULL,) * 3
    assert made.add_graph(0, add_of(3)) == FAILED
    there.errors()
    assert (made.remove_graph(0), made.run_graph(0, [])[1]) == (0, FAILED)
    made.close()


def broken() -> ComputeGraph:
    graph = add_of(-1, "broken")
    graph.node("add").op.engine = "NoSuchEngine"
    return graph


def test_a_graph_that_cannot_be_loaded_says_why_each_time() -> None:
    there, made = session()
    made.add_graph(5, broken())
    for _ in range(2):
        assert made.run_graph(5, []) == ([], FAILED)
        assert there.texts()[1:] == [
            "Failed to find the converter for node add type AddExample",
            "[Load][Graph] Failed, graph_id:5.",
        ]
    made.close()


def test_a_static_graph_that_must_run_on_the_host_goes_to_the_hybrid_executor() -> None:
    there, made = session()
    there.process.options["ge.exec.placement"] = "HOST"
    assert made.run_graph(1, [ones(2, 3), ones(2, 3)])[1] == 0
    assert any(type(item.event).__name__ == "ExecutorSelected" for item in there.recorder.heard)
    made.close()


def test_the_environment_chooses_the_multi_thread_executor() -> None:
    there = calls({"MAX_RUNTIME_CORE_NUMBER": "2"})
    ge_initialize_v2(there.process)
    made = GeSession(there.process)
    made.add_graph(0, add_of(-1))
    outputs, status = made.run_graph(0, [ones(2, 3), ones(2, 3)])
    assert (status, outputs[0].tolist()) == (0, [[2.0] * 3] * 2)
    made.close()


def test_statuses_from_inside_do_not_leave() -> None:
    given = [0, 100, 145003, 207013, SESS_ALREADY_RUNNING, FAILED]
    assert [public_status(status) for status in given] == [0, 100, 145003, 545601, FAILED, FAILED]
    assert public_status(Status.PARAM_INVALID) == FAILED
