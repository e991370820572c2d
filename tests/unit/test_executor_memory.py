"""Device memory over the life of an executor: what stays over UnLoad, and that nothing stays for ever."""

from simulated_runs import OpenProcess, const_model, empty_output, floats, open_process

from getrace.events import Level
from getrace.events.memory import BirthRecycle, MemFree
from getrace.events.pools import AllocatorMade, MemoryPressure
from runtime.api.host_tensors import free_output, to_array
from runtime.values import Tensor


def warnings(process: OpenProcess) -> list[str]:
    """Leaks that allocators named."""
    return [
        f"{item.event.allocator} {item.event.text}"
        for item in process.recorder.heard
        if item.level == Level.WARNING and isinstance(item.event, MemoryPressure)
    ]


def kept_step(process: OpenProcess) -> Tensor:
    """One step whose output the caller keeps."""
    output = empty_output()
    assert process.executor.execute(process.arg, process.inputs(floats(1, 2), floats(3, 4)), [output]) == 0
    assert process.machine.device.synchronize(process.arg.stream) == 0
    return output


def test_a_model_with_weights_is_loaded_three_times_and_leaves_nothing() -> None:
    process = open_process(const_model())
    for _ in range(3):
        assert process.executor.load(process.arg) == 0
        status, value = process.step(floats(1, 2, 3, 4))
        assert (status, value.tolist() if value is not None else None) == (0, [1.0, 3.0, 5.0, 7.0])
        assert process.executor.unload() == 0
    process.executor.close()
    assert warnings(process) == []
    assert process.machine.memory.finalize()
    assert (process.machine.device.hbm.used, process.machine.device.host.used) == (0, 0)


def test_weights_stay_over_unload_and_go_when_the_next_load_begins() -> None:
    process = open_process(const_model())
    process.executor.load(process.arg)
    process.executor.unload()
    assert [event for event in process.recorder.events() if isinstance(event, BirthRecycle)] == []
    before = len(process.recorder.heard)
    process.executor.load(process.arg)
    said = [item for item in process.recorder.heard[before:] if isinstance(item.event, BirthRecycle | AllocatorMade)]
    assert [item.stage for item in said] == ["load", "init", "init"]
    assert [item.event.what for item in said if isinstance(item.event, AllocatorMade)] == [
        "Get RtsCachingMemAllocator device id:",
        "create caching memory allocator, ",
    ]


def test_an_output_may_be_kept_over_a_reload_and_over_close() -> None:
    process = open_process()
    process.executor.load(process.arg)
    outputs = [kept_step(process)]
    process.executor.unload()
    process.executor.load(process.arg)
    outputs.append(kept_step(process))
    process.executor.unload()
    process.executor.close()
    device = process.machine.device
    assert [to_array(device, output).tolist() for output in outputs] == [[4.0, 6.0], [4.0, 6.0]]
    assert not process.machine.memory.finalize()
    for output in outputs:
        free_output(output)
    assert process.machine.memory.finalize()
    assert device.hbm.used == 0


def test_an_output_fed_back_may_be_freed_while_the_device_still_needs_it() -> None:
    process = open_process()
    process.executor.load(process.arg)
    device, (allocator,) = process.machine.device, process.machine.caching
    fed, output = kept_step(process), empty_output()
    assert fed.data is not None
    address = fed.data.addr
    assert process.executor.execute(process.arg, [fed, fed], [output]) == 0
    free_output(fed)
    assert address in [span.addr for span in allocator.pool.tally.occupied]
    assert device.synchronize(process.arg.stream) == 0
    assert to_array(device, output).tolist() == [8.0, 12.0]
    free_output(output)
    assert process.step(floats(1), floats(2))[0] == 0
    assert address not in [span.addr for span in allocator.pool.tally.occupied]


def test_a_managed_input_is_freed_on_its_stream_and_recycled_when_the_next_one_comes() -> None:
    process = open_process()
    process.executor.load(process.arg)
    fed, output = kept_step(process), empty_output()
    assert fed.data is not None
    address, before = fed.data.addr, len(process.recorder.heard)
    process.executor.execute(process.arg, [fed, fed], [output])
    process.step(floats(1), floats(2))
    said = [item.event for item in process.recorder.heard[before:]]
    about_fed = [event for event in said if isinstance(event, MemFree | BirthRecycle) and event.addr == address]
    free, recycle = MemFree(address, 0), BirthRecycle(0, address)
    assert about_fed == [free, free, recycle, recycle]


def test_the_last_managed_input_is_recycled_when_the_executor_goes() -> None:
    process = open_process()
    process.executor.load(process.arg)
    fed, output = kept_step(process), empty_output()
    process.executor.execute(process.arg, [fed, fed], [output])
    process.machine.device.synchronize(process.arg.stream)
    free_output(fed)
    free_output(output)
    process.executor.unload()
    before = len(process.recorder.heard)
    process.executor.close()
    assert len([item for item in process.recorder.heard[before:] if isinstance(item.event, BirthRecycle)]) == 2
    assert process.machine.memory.finalize()
    assert process.machine.device.hbm.used == 0
