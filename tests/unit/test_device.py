"""The simulated device: address spaces, streams in virtual time, profiles, and what a seed decides."""

from random import Random

import numpy as np
import pytest

from getrace.errors import InternalError, UsageError
from runtime.device.address_space import AddressFaultError, AddressSpace
from runtime.device.device import Device
from runtime.device.profiles import ASSUMED, PROFILES, find_profile
from runtime.device.tasks import Task
from runtime.device.virtual_clock import VirtualClock


def space(capacity: int | None = None) -> AddressSpace:
    return AddressSpace(0x1000, align=0x100, capacity=capacity)


def test_bytes_that_were_written_are_read() -> None:
    memory = space()
    address = memory.malloc(8)
    assert address == 0x1000
    memory.write(address + 2, b"abc")
    assert memory.read(address, 8) == b"\0\0abc\0\0\0"
    memory.view(address, 8).view(np.uint32)[1] = 7
    assert memory.read(address + 4, 4) == b"\7\0\0\0"


@pytest.mark.parametrize(
    ("address", "size"), [(0xFFF, 1), (0x1000, 9), (0x1008, 1), (0x1004, 5), (0x5000, 1), (0x1004, -1)]
)
def test_an_access_outside_a_region_is_refused(address: int, size: int) -> None:
    memory = space()
    memory.malloc(8)
    with pytest.raises(AddressFaultError, match=f"{size} bytes at 0x{address:x} are not inside a region in use"):
        memory.read(address, size)


def test_freed_memory_cannot_be_read_or_freed_again() -> None:
    memory = space()
    address = memory.malloc(8)
    assert address is not None
    memory.free(address)
    with pytest.raises(AddressFaultError):
        memory.read(address, 1)
    with pytest.raises(AddressFaultError, match="0x1000 is not the start of a region in use"):
        memory.free(address)


def test_the_capacity_is_a_limit_on_what_is_in_use() -> None:
    memory = space(capacity=16)
    first = memory.malloc(10)
    assert first is not None
    assert memory.malloc(7) is None
    memory.free(first)
    assert memory.malloc(16) is not None
    assert memory.used == 16


def test_reserved_addresses_have_no_bytes() -> None:
    memory = space()
    pointer = memory.reserve(0x10)
    assert memory.malloc(1) == pointer + 0x100
    with pytest.raises(AddressFaultError):
        memory.read(pointer, 1)


def tiny() -> Device:
    return Device(find_profile("tiny"), seed=0, start_ns=1_000)


def test_tasks_run_in_order_and_only_when_the_device_has_come_to_them() -> None:
    device = tiny()
    stream = device.create_stream()
    ran: list[str] = []
    first, second = Task("first", lambda: ran.append("first"), 500), Task("second", lambda: ran.append("second"), 50)
    assert device.launch(stream, first).task == 0
    assert device.launch(stream, second).task == 1
    launched = device.clock.ns
    device.advance()
    assert ran == ["first"]
    assert device.synchronize(stream.handle) == 0
    assert ran == ["first", "second"]
    assert (first.end_ns - first.start_ns, second.end_ns - second.start_ns) == (500, 50)
    assert first.start_ns < launched < second.start_ns == launched + 2_500
    assert device.clock.ns >= second.end_ns
    assert stream.busy_ns == 550


def test_task_numbers_have_sixteen_bits_and_a_flip() -> None:
    device = tiny()
    stream = device.create_stream()
    for _ in range(65_536):
        stream.number(Task("t"))
    last = device.launch(stream, Task("t"))
    assert (last.rt_stream, last.task, last.flip, last.flip_task) == (stream.rt_id, 0, 1, 65_536)


def test_a_task_that_raises_stops_its_stream_until_the_host_has_heard_of_it() -> None:
    device = tiny()
    stream = device.create_stream()
    ran: list[str] = []

    def die() -> None:
        raise ValueError("boom")

    device.launch(stream, Task("bad", die, 1))
    device.launch(stream, Task("after", lambda: ran.append("after"), 1))
    assert device.synchronize(stream.handle) == 507015
    assert ran == []
    assert [(fault.task.name, str(fault.error)) for fault in device.died_of] == [("bad", "boom")]
    device.launch(stream, Task("again", lambda: ran.append("again"), 1))
    assert device.synchronize(stream.handle) == 0
    assert ran == ["again"]


def test_an_unknown_profile_is_refused_with_a_list() -> None:
    with pytest.raises(UsageError) as caught:
        find_profile("h100")
    assert caught.value.message == "no device profile is called 'h100'"
    assert caught.value.hint == "choose one of: ascend310p, ascend910b, tiny"


def test_every_parameter_says_where_it_comes_from_and_all_profiles_have_the_same() -> None:
    names = {frozenset(profile.parameters) for profile in PROFILES.values()}
    assert len(names) == 1
    sources = {item.source for profile in PROFILES.values() for item in profile.parameters.values()}
    assert ASSUMED in sources
    assert all(sources)


def test_a_seed_decides_pointers_and_stream_numbers() -> None:
    def facts(seed: int) -> tuple[int, int, int]:
        device = Device(find_profile("tiny"), seed=seed, start_ns=0)
        stream = device.create_stream()
        return stream.handle, stream.rt_id, device.pointer(8)

    assert facts(1) == facts(1)
    assert facts(1) != facts(2)


def test_hbm_begins_where_a_real_one_does_and_the_default_stream_is_null() -> None:
    device = Device(find_profile("ascend910b"), seed=0, start_ns=0)
    assert device.malloc(1) == 0x12C041200000
    assert device.stream(0).rt_id == 0


def test_a_destroyed_stream_ends_its_work_and_is_gone_but_its_time_counts() -> None:
    device = Device(find_profile("tiny"), seed=0, start_ns=0)
    stream = device.create_stream()
    ran: list[str] = []
    device.launch(stream, Task("t", lambda: ran.append("t"), 700))
    device.destroy_stream(stream)
    assert (ran, list(device.streams), device.device_time_ns) == (["t"], [0], 700)
    assert device.synchronize(stream.handle) == 107003
    with pytest.raises(InternalError, match=f"0x{stream.handle:x} is no stream of device 0"):
        device.destroy_stream(stream)


def test_the_default_stream_cannot_be_destroyed() -> None:
    device = Device(find_profile("tiny"), seed=0, start_ns=0)
    with pytest.raises(InternalError, match="the default stream cannot be destroyed"):
        device.destroy_stream(device.stream(0))
    assert device.synchronize(0) == 0


def test_a_clock_moves_by_what_things_cost_and_never_back() -> None:
    clock = VirtualClock(100, Random(3), 1_000)
    first = clock.stamp()
    assert 800 <= first <= 1_400
    clock.wait_until(50)
    assert clock.ns == first
    clock.spend(10_000)
    assert first + 7_000 <= clock.ns <= first + 13_000
