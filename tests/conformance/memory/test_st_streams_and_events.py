"""Scenarios ST of spec/execution.md 8.5 that concern one kernel or one allocator."""

import pytest
from kernel_runs import Workbench
from two_allocators import two_streams

from getrace.events.memory import BirthRecycle, BorrowRecycle, LocalRecycle
from getrace.events.streams import (
    EventSent,
    EventWaited,
    MigrationSent,
    MigrationWaited,
    NotifyGot,
    RecycleSent,
    RecycleWaited,
)
from runtime.device.device import Device
from runtime.device.errors import DeviceError
from runtime.device.fault_plan import FaultPlan
from runtime.device.fault_spec import parse_fault
from runtime.device.profiles import find_profile
from runtime.device.tasks import Task
from runtime.executors.resources import EventAllocator, NotifyAllocator, StreamAllocator
from runtime.kernels.payloads import EventInfo

PARAM_INVALID, FAILED, END_OF_SEQUENCE = 1343225857, 4294967295, 1343225863


def device(*faults: str) -> Device:
    return Device(find_profile("tiny"), seed=0, start_ns=0, faults=FaultPlan([parse_fault(text) for text in faults]))


def test_ST_01_the_first_stream_of_a_new_allocator_is_nobodys() -> None:
    on = device()
    assert StreamAllocator(on).acquire(1) == [0]
    assert list(on.streams) == [0]


def test_ST_03_what_was_created_before_a_failure_stays_and_is_destroyed_in_the_end() -> None:
    on = device("stream#3")
    streams = StreamAllocator(on)
    assert streams.acquire(4) is None
    assert len(on.streams) == 3
    kept = list(on.streams)[1:]
    assert streams.acquire(3) == [0, *kept]
    streams.close()
    assert list(on.streams) == [0]


@pytest.mark.parametrize("count", [2024, 2025])
def test_ST_04_2024_streams_are_too_many(count: int) -> None:
    on = device()
    assert StreamAllocator(on).acquire(count) is None
    assert list(on.streams) == [0]


def test_ST_04_1024_notifies_are_too_many_and_one_less_is_not() -> None:
    notifies = NotifyAllocator(device())
    assert notifies.acquire(1024) is None
    given = notifies.acquire(1023)
    assert given is not None
    assert len(set(given)) == 1023


def test_ST_05_events_start_with_none_and_only_grow() -> None:
    on = device()
    events = EventAllocator(on)
    assert events.acquire(0) == []
    first = list(events.acquire(3) or ())
    assert len(set(first)) == 3
    grown = list(events.acquire(5) or ())
    assert (grown[:3], len(set(grown))) == (first, 5)
    assert events.acquire(2) == grown
    assert events.acquire(4097) is None
    events.close()
    assert events.acquire(0) == []


@pytest.mark.parametrize("count", [0, -1, 3])
def test_ST_06_a_number_of_streams_that_the_vector_does_not_have(count: int) -> None:
    bench = Workbench()
    context = bench.context("SplitRtStreams", [bench.stream, 0], count, outputs=3)
    assert bench.run(context) == PARAM_INVALID
    assert bench.said() == [f"Failed to get rts stream from stream_num {count}, rts stream num is not enough(2)"]


@pytest.mark.parametrize("kernel", ["SplitRtStreams", "CreateNotifies"])
def test_ST_07_a_vector_that_is_null(kernel: str) -> None:
    bench = Workbench()
    assert bench.run(bench.context(kernel, None, 1)) == FAILED
    assert len(bench.said()) == 1


@pytest.mark.parametrize("count", [0, 3])
def test_ST_07_a_number_of_notifies_that_the_vector_does_not_have(count: int) -> None:
    bench = Workbench()
    assert bench.run(bench.context("CreateNotifies", [0x10, 0x20], count, outputs=3)) == PARAM_INVALID
    assert bench.said() == [f"Failed to get rts notify from notify_num {count}, rts notify num is not enough(2)"]


def test_ST_07_each_logical_notify_gets_its_rt_notify() -> None:
    bench = Workbench()
    context = bench.context("CreateNotifies", [0x10, 0x20], 2, outputs=2)
    assert bench.run(context) == 0
    assert [context.output(0), context.output(1)] == [0x10, 0x20]
    assert bench.recorder.events() == [NotifyGot(0x10, 0), NotifyGot(0x20, 1)]


def test_ST_08_the_end_of_a_sequence_passes_through_a_synchronise() -> None:
    bench = Workbench()
    on = bench.machine.device

    def ends() -> None:
        raise DeviceError(507005, "no more data")

    on.launch(on.stream(bench.stream), Task("GetNext", ends))
    assert bench.run(bench.context("SyncStream", bench.stream, outputs=0)) == END_OF_SEQUENCE
    assert not [text for text in bench.said() if "Assert" in text]


def test_ST_09_three_infos_give_events_zero_to_two() -> None:
    bench = Workbench()
    infos = (EventInfo(0, 1), EventInfo(1, 2), EventInfo(2, 0))
    context = bench.context("CreateGertEvents", infos)
    assert bench.run(context) == 0
    found = [(event.logic_id, event.info.source_stream, event.info.target_stream) for event in context.output(0)]
    assert found == [(0, 0, 1), (1, 1, 2), (2, 2, 0)]


def test_ST_11_a_wait_comes_first_then_recycling_then_the_way_home() -> None:
    at = two_streams()
    shared, lent = at.block(0), at.block(0, 70_000)
    for block in (shared, lent):
        assert block.wander(0, 1)
        block.free(0)
    assert at.call("SendEvents", 0, [0]) == 0
    assert at.call("WaitEvents", 1, [0]) == 0
    lent.free(1)
    at.said()
    assert at.call("SendEvents", 1, [1]) == 0
    shared.free(1)
    assert at.said()[-1] == BorrowRecycle(1, shared.addr, 0)
    address = lent.addr
    assert at.events[1].homing == [lent]
    assert at.call("WaitEvents", 0, [1]) == 0
    assert at.said() == [EventWaited(1, at.rt_events[1], 0), MigrationWaited(0, 1, address), BirthRecycle(0, address)]
    assert (at.events[1].homing, at.events[1].freed, at.events[0].freed) == ([], [], [])


def test_ST_11_a_sender_collects_before_it_records() -> None:
    at = two_streams()
    block = at.block(0)
    assert block.wander(0, 1)
    block.free(0)
    at.said()
    assert at.call("SendEvents", 0, [0]) == 0
    assert at.said() == [RecycleSent(0, 0, block.addr), EventSent(0, at.rt_events[0], 0)]
    assert at.call("WaitEvents", 1, [0]) == 0
    assert at.said() == [EventWaited(0, at.rt_events[0], 1), RecycleWaited(1, 0, block.addr)]
    block.free(1)
    assert at.said() == [BorrowRecycle(1, block.addr, 0)]
    assert at.call("SendEvents", 1, [1]) == 0
    assert at.said() == [MigrationSent(1, 1, block.addr), EventSent(1, at.rt_events[1], 1)]


def test_ST_12_a_life_that_is_over_is_skipped() -> None:
    at = two_streams()
    block = at.block(0)
    assert block.wander(0, 1)
    block.free(0)
    assert at.call("SendEvents", 0, [0]) == 0
    # The borrower hears of it on another way and is done with the block before the event is waited for.
    life = at.events[0].freed[0]
    life.reach(1)
    block.free(1)
    at.said()
    assert life.is_stale
    assert at.call("WaitEvents", 1, [0]) == 0
    waited, ignored = at.said()
    assert waited == EventWaited(0, at.rt_events[0], 1)
    assert getattr(ignored, "text", "") == (f"Ignore block 0x{block.handle:x} in waited event space from stream 0to 1")


@pytest.mark.parametrize("kernel", ["SendEvents", "WaitEvents", "LastSendEvents", "LastWaitEvents"])
@pytest.mark.parametrize("number", [2, -1])
def test_ST_13_an_event_that_there_is_not(kernel: str, number: int) -> None:
    at = two_streams()
    assert at.call(kernel, 0, [number]) == FAILED
    assert at.bench.said() == [f"Failed to send events, invalid logic event id {number}"]


@pytest.mark.parametrize("kernel", ["SendEvents", "WaitEvents"])
def test_ST_13_fewer_rt_events_than_events(kernel: str) -> None:
    at = two_streams()
    del at.rt_events[1:]
    assert at.call(kernel, 0, [0]) == FAILED
    assert at.bench.said() == ["Failed to send events, rt events(1) num not enough, at least 2"]


@pytest.mark.parametrize("place", range(5))
def test_ST_13_an_input_that_is_null(place: int) -> None:
    at = two_streams()
    context = at.context("SendEvents", 0, [0])
    context.inputs[place].value = None
    assert at.bench.run(context) == FAILED
    assert len(at.bench.said()) == 1


def test_the_last_wait_takes_everything_home_and_gives_the_pages_back() -> None:
    at = two_streams()
    block = at.block(0)
    address = block.addr
    assert block.wander(0, 1)
    block.free(0)
    assert at.call("LastSendEvents", 1, [1]) == 0
    at.said()
    assert at.call("LastWaitEvents", 0, [1], home=at.allocators) == 0
    assert at.said()[:1] == [EventWaited(1, at.rt_events[1], 0)]
    block.free(1)
    assert at.said() == [LocalRecycle(1, address, 0)]
    assert at.call("LastWaitEvents", 0, [], home=at.allocators) == 0
    assert [event for event in at.said() if isinstance(event, BirthRecycle)] == [BirthRecycle(0, address)]
