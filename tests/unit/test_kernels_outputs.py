"""Where results go: shared, copied to the host or on the device, left in place, or refused."""

import numpy as np
import pytest
from simulated_runs import OpenProcess, floats, open_process

from getrace.events import Level
from getrace.events.memory import MemFree
from getrace.events.text import LogLine
from runtime.kernels.sizes import aligned_size, unaligned_size
from runtime.kernels.status import Status
from runtime.values import DType, Placement, Shape, StorageShape, Tensor, TensorData


def loaded() -> OpenProcess:
    process = open_process()
    assert process.executor.load(process.arg) == 0
    return process


def buffer(process: OpenProcess, placement: Placement, size: int) -> Tensor:
    device = process.machine.device
    space = device.host if placement.on_host else device.hbm
    address = space.malloc(size)
    assert address is not None
    return Tensor(StorageShape.same((1,)), data=TensorData(address, size, placement))


def errors(process: OpenProcess) -> list[str]:
    return [
        item.event.text
        for item in process.recorder.heard
        if item.level == Level.ERROR and isinstance(item.event, LogLine)
    ]


@pytest.mark.parametrize("placement", [Placement.HOST, Placement.FOLLOWING, Placement.DEVICE_HBM])
def test_a_result_is_copied_to_where_the_caller_wants_it(placement: Placement) -> None:
    process = loaded()
    output = buffer(process, placement, 64)
    inputs = process.inputs(floats(1, 2), floats(3, 4))
    assert process.executor.execute(process.arg, inputs, [output]) == 0
    assert process.machine.device.synchronize(process.arg.stream) == 0
    space = process.machine.device.host if placement.on_host else process.machine.device.hbm
    assert output.data is not None
    assert np.frombuffer(space.read(output.data.addr, 8), np.float32).tolist() == [4.0, 6.0]
    assert (output.shape.origin, output.dtype) == (Shape((2,)), DType.FLOAT)


def test_a_buffer_that_is_too_small_is_refused() -> None:
    process = loaded()
    output = buffer(process, Placement.HOST, 4)
    inputs = process.inputs(floats(1, 2), floats(3, 4))
    assert process.executor.execute(process.arg, inputs, [output]) == Status.FAILED
    assert errors(process) == [
        ("Failed to copy output tensor data to the given buffer, given buffer size 4 is less than output tensor size 8")
    ]


def test_a_placement_that_is_none_is_refused() -> None:
    process = loaded()
    output = buffer(process, Placement.HOST, 64)
    assert output.data is not None
    output.data.placement = Placement.END
    inputs = process.inputs(floats(1, 2), floats(3, 4))
    assert process.executor.execute(process.arg, inputs, [output]) == Status.FAILED
    assert errors(process)[0].endswith("do not support the copy direction, from DeviceHbm(0) to Unknown(4)")


def test_an_input_on_the_device_is_shared_and_its_free_says_stream_minus_one() -> None:
    process = loaded()
    device = process.machine.device
    inputs = process.inputs(floats(1, 2), floats(3, 4))
    on_device = buffer(process, Placement.DEVICE_HBM, 64)
    assert on_device.data is not None
    device.hbm.write(on_device.data.addr, floats(5, 6).tobytes())
    on_device.shape = StorageShape.same((2,))
    output = buffer(process, Placement.HOST, 64)
    assert process.executor.execute(process.arg, [on_device, inputs[1]], [output]) == 0
    assert device.synchronize(process.arg.stream) == 0
    assert output.data is not None
    assert np.frombuffer(device.host.read(output.data.addr, 8), np.float32).tolist() == [8.0, 10.0]
    frees = [event for event in process.recorder.events("main") if isinstance(event, MemFree)]
    assert frees[0] == MemFree(on_device.data.addr, -1)


def test_a_host_input_may_be_changed_as_soon_as_execute_is_back() -> None:
    process = loaded()
    device = process.machine.device
    inputs = process.inputs(floats(1, 2), floats(3, 4))
    output = buffer(process, Placement.HOST, 64)
    assert process.executor.execute(process.arg, inputs, [output]) == 0
    assert inputs[0].data is not None
    device.host.write(inputs[0].data.addr, bytes(8))
    assert device.synchronize(process.arg.stream) == 0
    assert output.data is not None
    assert np.frombuffer(device.host.read(output.data.addr, 8), np.float32).tolist() == [4.0, 6.0]


def test_a_full_device_fails_the_allocation_and_the_next_small_step_works() -> None:
    process = open_process(profile="tiny")
    assert process.executor.load(process.arg) == 0
    large = np.zeros(3 << 20, np.float32)
    status, _ = process.step(large, large)
    assert status == Status.FAILED
    assert "malloc failed, tensor size=12583040" in errors(process)[-1]
    again, value = process.step(floats(1), floats(2))
    assert (again, value.tolist() if value is not None else None) == (0, [3.0])


@pytest.mark.parametrize(
    ("dtype", "dims", "exact", "padded"),
    [
        (DType.FLOAT, (2, 1024), 8192, 8224),
        (DType.FLOAT, (1, 3, 224, 224), 602112, 602144),
        (DType.FLOAT, (1,), 4, 64),
        (DType.FLOAT, (), 4, 64),
        (DType.FLOAT, (0,), 0, 32),
        (DType.INT4, (3,), 2, 64),
        (DType.DOUBLE, (8,), 64, 96),
    ],
)
def test_the_size_of_a_tensor(dtype: DType, dims: tuple[int, ...], exact: int, padded: int) -> None:
    assert (unaligned_size(dtype, Shape(dims)), aligned_size(dtype, Shape(dims))) == (exact, padded)
