"""Several streams of one device: events, notifies, who sees whose bytes, what is stuck and how it is given up."""

from collections.abc import Callable
from threading import Thread

import pytest

from getrace.errors import InternalError
from runtime.device.device import Device
from runtime.device.fault_plan import FaultPlan
from runtime.device.fault_spec import parse_fault
from runtime.device.profiles import find_profile
from runtime.device.stream import Stream
from runtime.device.tasks import Task
from runtime.device.units import COSTS


class Bench:
    """A device with two streams and eight bytes of memory."""

    def __init__(self, *faults: str) -> None:
        plan = FaultPlan([parse_fault(text) for text in faults])
        self.device = Device(find_profile("tiny"), seed=0, start_ns=0, faults=plan)
        self.streams = [self.device.create_stream() for _ in range(2)]
        address = self.device.malloc(8)
        assert address is not None
        self.address = address
        self.seen: list[bytes] = []

    def write(self, stream: int, content: bytes, cost_ns: int) -> Task:
        """A task that writes at its end."""

        def run() -> None:
            self.device.hbm.write(self.address, content)

        def begin() -> Callable[[], None]:
            return run

        return self.put(stream, Task("write", run, cost_ns, begin=begin))

    def look(self, stream: int, cost_ns: int = 1) -> Task:
        """A task that reads at its begin."""
        return self.put(stream, Task("look", lambda: self.seen.append(self.device.hbm.read(self.address, 3)), cost_ns))

    def put(self, stream: int, task: Task) -> Task:
        """Launch a task."""
        self.device.launch(self.streams[stream], task)
        return task

    def wait(self, stream: int) -> int:
        """Synchronise a stream."""
        return self.device.synchronize(self.streams[stream].handle)


def test_a_stream_that_does_not_wait_reads_what_was_there_before() -> None:
    bench = Bench()
    bench.write(0, b"new", 1_000_000)
    bench.look(1)
    assert (bench.wait(0), bench.wait(1)) == (0, 0)
    assert bench.seen == [b"\0\0\0"]


def test_a_stream_that_waits_for_the_event_reads_what_was_written() -> None:
    bench = Bench()
    event = bench.device.create_event()
    written = bench.write(0, b"new", 1_000_000)
    bench.device.record_event(bench.streams[0], event)
    bench.device.wait_event(bench.streams[1], event)
    read = bench.look(1)
    assert bench.wait(1) == 0
    assert bench.seen == [b"new"]
    assert read.start_ns == written.end_ns


def test_a_wait_is_for_the_last_record_that_the_host_asked_for() -> None:
    bench = Bench()
    event = bench.device.create_event()
    bench.write(0, b"one", 1_000)
    bench.device.record_event(bench.streams[0], event)
    bench.device.wait_event(bench.streams[1], event)
    bench.look(1)
    bench.write(0, b"two", 900_000)
    bench.device.record_event(bench.streams[0], event)
    bench.device.wait_event(bench.streams[1], event)
    bench.look(1)
    assert bench.wait(1) == 0
    assert bench.seen == [b"one", b"two"]


def test_a_chain_of_streams_that_wait_is_set_going_by_the_first_record() -> None:
    bench = Bench()
    first, second = bench.device.create_event(), bench.device.create_event()
    bench.device.wait_event(bench.streams[1], first)
    bench.look(1)
    bench.device.record_event(bench.streams[1], second)
    bench.device.wait_event(bench.streams[0], second)
    third = bench.device.create_stream()
    assert bench.streams[0].is_stuck
    assert bench.streams[1].is_stuck
    bench.device.record_event(third, first)
    assert (bench.wait(0), bench.seen) == (0, [b"\0\0\0"])


def test_a_notify_is_taken_by_the_wait() -> None:
    bench = Bench()
    notify = bench.device.create_notify()
    bench.device.record_notify(bench.streams[0], notify)
    bench.device.record_notify(bench.streams[0], notify)
    bench.device.wait_notify(bench.streams[1], notify)
    assert bench.wait(1) == 0
    bench.device.wait_notify(bench.streams[1], notify)
    assert bench.wait(1) == 107020
    bench.device.record_notify(bench.streams[0], notify)
    assert bench.wait(1) == 0


def test_a_lost_record_is_found_by_the_time_out_and_given_up() -> None:
    bench = Bench("lost-event")
    event = bench.device.create_event()
    bench.device.record_event(bench.streams[0], event)
    bench.device.wait_event(bench.streams[1], event)
    bench.look(1)
    before = bench.device.clock.ns
    assert bench.wait(1) == 107020
    assert bench.device.clock.ns - before >= 10_000_000_000
    assert bench.wait(0) == 0
    bench.device.abort()
    assert bench.wait(1) == 0
    assert bench.seen == []
    bench.device.record_event(bench.streams[0], event)
    bench.device.wait_event(bench.streams[1], event)
    bench.look(1)
    assert (bench.wait(1), bench.seen) == (0, [b"\0\0\0"])


def test_a_stream_that_is_stuck_can_be_destroyed() -> None:
    bench = Bench()
    bench.device.wait_event(bench.streams[1], bench.device.create_event())
    bench.look(1)
    bench.device.destroy_stream(bench.streams[1])
    assert bench.wait(1) == 107003
    assert bench.seen == []


def test_who_waits_for_a_dead_stream_hears_of_its_death() -> None:
    bench = Bench("aicore#1")
    event = bench.device.create_event()
    bench.put(0, Task("dies", lambda: None))
    bench.device.record_event(bench.streams[0], event)
    bench.device.wait_event(bench.streams[1], event)
    bench.look(1)
    assert bench.wait(1) == 507015
    assert bench.seen == []
    bench.look(0)
    bench.look(1)
    assert (bench.wait(0), bench.wait(1)) == (0, 0)
    assert bench.seen == [b"\0\0\0"] * 2


def test_an_event_that_there_is_not_is_refused() -> None:
    bench = Bench()
    with pytest.raises(InternalError, match="0x7 is no event of this device"):
        bench.device.record_event(bench.streams[0], 7)
    event = bench.device.create_event()
    bench.device.destroy_event(event)
    with pytest.raises(InternalError, match="is no event of this device"):
        bench.device.wait_event(bench.streams[0], event)
    with pytest.raises(InternalError, match="0x9 is no notify of this device"):
        bench.device.destroy_notify(9)


def test_a_host_that_never_waits_does_not_pile_up_tasks() -> None:
    bench = Bench()
    ran: list[int] = []
    for number in range(10_000):
        bench.put(0, Task("t", lambda number=number: ran.append(number)))  # type: ignore[misc]
    assert len(ran) > 4_000
    assert ran == list(range(len(ran)))


def test_two_threads_launch_without_losing_a_task() -> None:
    bench = Bench()
    ran: list[Stream] = []

    def launch(stream: Stream) -> None:
        for _ in range(3_000):
            bench.device.launch(stream, Task("t", lambda: ran.append(stream), 10))

    threads = [Thread(target=launch, args=(stream,)) for stream in bench.streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (bench.wait(0), bench.wait(1)) == (0, 0)
    assert [ran.count(stream) for stream in bench.streams] == [3_000, 3_000]
    assert [stream.last_task.flip_task for stream in bench.streams if stream.last_task] == [2_999, 2_999]


@pytest.mark.parametrize(
    ("unit", "size", "cost"),
    [
        ("aicore", 10_000, 2_500),
        ("vector", 0, 1_500),
        ("copy", 20_000, 3_500),
        ("host_copy", 2_000, 2_500),
        ("aicpu", 20_000, 2_500),
        ("dvpp", 8_000, 31_000),
        ("hccl", 28_000, 21_000),
        ("peer_copy", 28_000, 2_500),
        ("scheduler", 1 << 30, 0),
    ],
)
def test_each_unit_takes_a_fixed_time_and_time_for_its_bytes(unit: str, size: int, cost: int) -> None:
    assert Bench().device.cost_ns(unit, size) == cost
    assert unit in COSTS
