"""Mistakes of the host program: which give a status, which raise, and that the executor is sound afterwards."""

import pytest
from simulated_runs import OpenProcess, empty_output, floats, open_process

from getrace.events import Level
from getrace.events.text import LogLine
from runtime.device.address_space import AddressFaultError
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.life_cycle import State
from runtime.kernels.status import Status
from runtime.ops.builtin import builtin_ops
from runtime.ops.context import TilingContext
from runtime.values import StorageShape


def loaded() -> OpenProcess:
    process = open_process()
    assert process.executor.load(process.arg) == 0
    return process


def last_error(process: OpenProcess) -> tuple[str, str]:
    """Function and text of the last error record."""
    records = [item.event for item in process.recorder.heard if item.level == Level.ERROR]
    assert isinstance(records[-1], LogLine)
    return records[-1].func, records[-1].text


def works(process: OpenProcess) -> bool:
    status, value = process.step(floats(1), floats(2))
    return (status, value.tolist() if value is not None else None) == (0, [3.0])


def test_a_stream_that_is_none_is_refused_by_load_and_by_execute() -> None:
    process = open_process()
    nowhere = ModelExecuteArg(0xDEAD)
    assert process.executor.load(nowhere) == Status.PARAM_INVALID
    assert last_error(process) == ("OccupyStreamResource", "Failed to execute, stream 0xdead is not on this device")
    assert process.executor.load(process.arg) == 0
    inputs = process.inputs(floats(1), floats(2))
    assert process.executor.execute(nowhere, inputs, [empty_output()]) == Status.PARAM_INVALID
    assert last_error(process) == ("OccupyStreamResource", "Failed to execute, stream 0xdead is not on this device")
    assert works(process)


def test_a_destroyed_stream_is_none() -> None:
    process = loaded()
    assert works(process)
    process.machine.device.destroy_stream(process.machine.device.stream(process.arg.stream))
    inputs = process.inputs(floats(1), floats(2))
    assert process.executor.execute(process.arg, inputs, [empty_output()]) == Status.PARAM_INVALID


def test_reloading_leaves_no_streams_behind_and_closing_takes_the_last() -> None:
    process = loaded()
    streams = process.machine.device.streams
    assert list(streams) == [0, process.arg.stream]
    for _ in range(3):
        assert process.executor.execute_sync(process.inputs(floats(1), floats(2)), [empty_output()]) == 0
        assert len(streams) == 3
        assert process.executor.unload() == 0
        assert len(streams) == 2
        assert process.executor.load(process.arg) == 0
    assert process.executor.execute_sync(process.inputs(floats(1), floats(2)), [empty_output()]) == 0
    process.executor.close()
    assert list(streams) == [0, process.arg.stream]


def test_a_closed_executor_refuses_every_call() -> None:
    process = loaded()
    executor = process.executor
    executor.close()
    assert executor.state is State.INIT
    inputs = process.inputs(floats(1), floats(2))
    assert executor.execute(process.arg, inputs, [empty_output()]) == Status.PARAM_INVALID
    assert last_error(process) == ("Execute", "Failed to execute model, you may need load model first")
    assert executor.unload() == Status.PARAM_INVALID
    assert executor.load(process.arg) == Status.PARAM_INVALID
    assert last_error(process)[1].startswith("Check model input num failed, input num not match, expect input num(0)")
    executor.close()


def test_what_an_operators_host_code_raises_reaches_the_caller_and_the_stage_ends() -> None:
    ops = builtin_ops()
    tiling, calls = ops.find("AddExample").tiling, iter((True, False))
    assert tiling is not None

    def tiling_that_raises_once(context: TilingContext) -> int:
        if next(calls):
            raise RuntimeError("tiling is broken")
        return tiling(context)

    ops.find("AddExample").tiling = tiling_that_raises_once
    process = open_process(ops=ops)
    assert process.executor.load(process.arg) == 0
    with pytest.raises(RuntimeError, match="tiling is broken"):
        process.step(floats(1), floats(2))
    assert process.machine.journal.origin.stage == ""
    assert process.executor.state is State.LOADED
    assert works(process)


def test_a_host_input_shorter_than_its_shape_is_an_address_fault() -> None:
    process = loaded()
    inputs = process.inputs(floats(1), floats(2))
    inputs[0].shape = StorageShape.same((2000,))
    inputs[1].shape = StorageShape.same((2000,))
    with pytest.raises(AddressFaultError, match=r"8000 bytes at 0x[0-9a-f]+ are not inside a region in use"):
        process.executor.execute(process.arg, inputs, [empty_output()])
    assert process.machine.journal.origin.stage == ""
    assert works(process)
