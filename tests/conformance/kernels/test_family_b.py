"""Family B, streams, events and notifies: each type is run (spec/lowering.md 11.B)."""

from kernel_runs import Workbench
from two_allocators import two_streams

from getrace.events.memory import LocalRecycle
from getrace.events.streams import EventSent, EventWaited, NotifyGot, RecycleSent, RecycleWaited, StreamSplit
from runtime.device.tasks import Task
from runtime.kernels.payloads import EventInfo


def test_each_logical_stream_gets_its_rt_stream() -> None:
    bench = Workbench()
    context = bench.context("SplitRtStreams", [bench.stream, 0], 2, outputs=2)
    assert bench.run(context) == 0
    assert [context.output(0), context.output(1)] == [bench.stream, 0]
    own = bench.machine.device.stream(bench.stream).rt_id
    assert bench.recorder.events() == [StreamSplit(bench.stream, 0, own), StreamSplit(0, 1, 0)]


def test_a_synchronised_stream_has_done_its_work() -> None:
    bench = Workbench()
    done: list[int] = []
    device = bench.machine.device
    device.launch(device.stream(bench.stream), Task("later", lambda: done.append(1), 1000))
    assert done == []
    assert bench.run(bench.context("SyncStream", bench.stream, outputs=0)) == 0
    assert done == [1]


def test_a_wait_in_vain_fails_in_the_words_of_ge() -> None:
    bench = Workbench()
    device = bench.machine.device
    device.wait_event(device.stream(bench.stream), device.create_event())
    assert bench.run(bench.context("SyncStream", bench.stream, outputs=0)) == 4294967295
    what = "[Invoke][aclrtSynchronizeStreamWithTimeout] failed, stream synchronize timeout"
    assert bench.said() == [f"{what}:10000, ret:107020."]


def test_each_logical_notify_gets_its_rt_notify() -> None:
    bench = Workbench()
    context = bench.context("CreateNotifies", [0x10, 0x20, 0x30], 2, outputs=2)
    assert bench.run(context) == 0
    assert [context.output(0), context.output(1)] == [0x10, 0x20]
    assert bench.recorder.events() == [NotifyGot(0x10, 0), NotifyGot(0x20, 1)]


def test_events_are_numbered_by_their_place() -> None:
    bench = Workbench()
    context = bench.context("CreateGertEvents", (EventInfo(0, 1), EventInfo(1, 0)))
    assert bench.run(context) == 0
    assert [(event.logic_id, event.info) for event in context.output(0)] == [(0, EventInfo(0, 1)), (1, EventInfo(1, 0))]


def test_an_event_carries_what_the_sender_is_done_with() -> None:
    at = two_streams()
    block = at.block(0)
    assert block.wander(0, 1)
    block.free(0)
    assert at.said()[-1] == LocalRecycle(0, block.addr, 0)
    assert at.call("SendEvents", 0, [0]) == 0
    assert at.call("WaitEvents", 1, [0]) == 0
    handle = at.rt_events[0]
    sent = [RecycleSent(0, 0, block.addr), EventSent(0, handle, 0)]
    assert at.said() == [*sent, EventWaited(0, handle, 1), RecycleWaited(1, 0, block.addr)]


def test_behind_a_run_streams_are_joined_without_a_word_on_memory() -> None:
    at = two_streams()
    block = at.block(1)
    assert block.wander(1, 0)
    block.free(1)
    at.said()
    assert at.call("LastSendEvents", 1, [1]) == 0
    assert at.said() == [EventSent(1, at.rt_events[1], 1)]
    assert at.call("LastWaitEvents", 0, [1], home=at.allocators) == 0
    assert at.said() == [EventWaited(1, at.rt_events[1], 0)]


def test_the_device_does_what_the_events_say() -> None:
    at = two_streams()
    device = at.bench.machine.device
    done: list[str] = []
    device.launch(device.stream(at.handles[0]), Task("first", lambda: done.append("first"), 1_000_000))
    assert at.call("SendEvents", 0, [0]) == 0
    assert at.call("WaitEvents", 1, [0]) == 0
    device.launch(device.stream(at.handles[1]), Task("second", lambda: done.append("second"), 1))
    assert device.synchronize(at.handles[1]) == 0
    assert done == ["first", "second"]
