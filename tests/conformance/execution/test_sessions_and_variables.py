"""Sessions and variables: spec/execution.md 1.3, 1.10 and scenarios MX-16 and MX-17 of 8.2."""

import pytest
from session_models import (
    error_texts,
    executor_on,
    line_texts,
    machine_for_tests,
    variable_reader,
    variable_writer,
)
from simulated_runs import OpenProcess, Recorder, add_model, empty_output, floats, run

from getrace.bus import Bus
from getrace.errors import ModelError
from runtime.api.ge_process import start_process
from runtime.api.host_tensors import to_array, to_tensor
from runtime.api.hybrid.executor import HybridModelRtV2Executor
from runtime.api.hybrid.model import HybridModel
from runtime.api.simulate import RunOptions
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.builder import build_executor
from runtime.executors.life_cycle import State
from runtime.executors.rt_session import RtSession
from runtime.executors.variable_setup import device_variables
from runtime.kernels.families import builtin_kernels
from runtime.lowering.pipeline import lower_model
from runtime.subscribers.phase import GraphType

PARAM_INVALID = 1343225857


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


def test_a_build_that_fails_leaves_no_memory_behind() -> None:
    machine = machine_for_tests()
    graph = variable_reader()
    root = lower_model(graph).root
    with pytest.raises(ModelError):
        build_executor(root, machine, builtin_kernels())
    assert machine.device.host.used == 0


def test_the_second_model_of_a_session_finds_its_variable_manager() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    session = RtSession(7)
    for _ in range(2):
        executor_on(machine, variable_reader(), session)
    assert line_texts(recorder).count("var manager exist, no need to restore, session_id: 7") == 1
    session.destroy_resources(machine)
    assert line_texts(recorder)[-1] == "destroy rt session resources, session id 7, device id 0"


def test_variables_may_lie_in_memory_that_the_caller_brings() -> None:
    machine = machine_for_tests()
    address = machine.device.malloc(4096)
    assert address is not None
    session = RtSession(7, external_var=(address, 4096))
    executor_on(machine, variable_reader(), session)
    assert session.var_manager is not None
    found = session.var_manager.find("v")
    assert found is not None
    assert (found.data.addr, found.shape.origin) == (address, (4,))
    session.destroy_resources(machine)
    machine.device.free(address)
    assert machine.device.hbm.used == 0


def test_a_constant_of_the_session_brings_its_bytes_and_a_variable_of_the_host_none() -> None:
    recorder = Recorder()
    machine = machine_for_tests(recorder)
    session = RtSession(1)
    graph = variable_reader()
    graph.node("v").op.type = "Constant"
    graph.node("v").op.attrs["value"] = floats(1, 2, 3, 4).tobytes()
    executor = executor_on(machine, graph, session)
    arg = ModelExecuteArg(machine.device.create_stream().handle)
    assert executor.load(arg, ModelLoadArg(session)) == 0
    status, value = OpenProcess(machine, executor, recorder, arg).step(floats(1, 1, 1, 1))
    assert (status, value.tolist() if value is not None else None) == (0, [2.0, 3.0, 4.0, 5.0])
    on_host = variable_reader()
    on_host.node("v").op.attrs["_variable_placement"] = "host"
    assert device_variables(on_host) == []


def test_a_variable_on_the_host_is_read_by_a_session_s_model_and_by_no_other() -> None:
    graph = variable_reader()
    graph.node("v").op.attrs["_variable_placement"] = "host"
    graph.node("v").op.attrs["value"] = floats(1, 2, 3, 4).tobytes()
    recorder, bus = Recorder(), Bus(now=int)
    bus.subscribe(recorder)
    process = start_process(bus)
    hybrid = HybridModelRtV2Executor(process, HybridModel(graph), session=RtSession(2))
    assert hybrid.init() == 0
    assert hybrid.load() == 0
    output = empty_output()
    assert hybrid.execute([to_tensor(process.device, floats(1, 1, 1, 1))], [output]).status == 0
    assert to_array(process.device, output).tolist() == [2.0, 3.0, 4.0, 5.0]
    assert "Collect host Variable v" in line_texts(recorder)
    offline = build_executor(lower_model(graph).root, machine_for_tests(), builtin_kernels(), session=RtSession(2))
    assert offline.load() == PARAM_INVALID


def test_a_whole_run_keeps_its_variables_in_a_session_of_its_own() -> None:
    result, _ = run(variable_reader(), options=RunOptions(steps=2))
    assert (result.status, result.steps, result.leaked_bytes) == (0, 2, 0)
    (x,), (y,) = result.inputs.values(), result.outputs.values()
    assert y.tolist() == x.tolist()
