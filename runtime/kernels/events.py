"""Events between the streams of a model, and what they carry of its memory (spec/execution.md 6.3, lowering.md 11.B).

Two orders are the whole matter. A sender collects what it knows of blocks before it records the event, and a receiver
waits before it believes what it is told; the other way round the books of the host would run ahead of the device.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from getrace.events import Level
from getrace.events.streams import (
    EventSent,
    EventWaited,
    MigrationSent,
    MigrationWaited,
    RecycleSent,
    RecycleWaited,
)
from getrace.events.text import LogLine
from runtime.kernels.context import KernelContext
from runtime.kernels.payloads import EventInfo
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.memory.device_order import Moments
from runtime.memory.journal import pointer_text
from runtime.memory.l2_multi import MultiStreamL2Allocator, reclaim
from runtime.memory.local_recycle import VersionBlock
from runtime.memory.multi_block import MultiStreamMemBlock

_FILE: Final = "event.cc"
_TOO_FEW: Final = (_FILE, 69, "GetEvents")
_INVALID: Final = (_FILE, 78, "GetEvents")
_IGNORED: Final = (_FILE, 148, "WaitEvent")
_BIRTH: Final = (_FILE, 162, "WaitEvent")
_NULL: Final = (_FILE, 0, "GetEvents")


@dataclass(slots=True)
class GertEvent:
    """``GertEvent``: which streams it joins, and the space that travels with it.

    ``freed`` are lives of blocks that the sender is done with, ``homing`` borrowed blocks on their way back,
    ``moments`` what lies before the event on the device (None: it was never sent).
    """

    logic_id: int
    info: EventInfo
    freed: list[VersionBlock] = field(default_factory=list)
    homing: list[MultiStreamMemBlock] = field(default_factory=list)
    moments: Moments | None = None


@dataclass(slots=True)
class _Call:
    """The inputs of an event kernel. ``home`` is what it has as allocator: one, or the vector of all."""

    stream: int
    events: list[GertEvent]
    handles: Sequence[int]
    home: MultiStreamL2Allocator
    peers: Sequence[MultiStreamL2Allocator]


Handle = Callable[[KernelContext, _Call, GertEvent], int]


def create_gert_events(context: KernelContext) -> int:
    """Make the events of a model; an event's number is its place."""
    infos: Sequence[EventInfo] | None = context.input(0)
    if infos is None:
        return context.assert_failed((_FILE, 0, "CreateGertEvents"), "Assert ((event_infos) != nullptr) failed")
    context.set(0, [GertEvent(number, info) for number, info in enumerate(infos)])
    return Status.SUCCESS


def _call(context: KernelContext) -> "_Call | Status":
    """Check the inputs in GE's order: none is null, there are as many RT events as events, every number is one."""
    values = [cell.value for cell in context.inputs]
    if any(value is None for value in values):
        return context.error(_NULL, "Assert (input != nullptr) failed")
    stream, ids, events, handles, allocator = values
    if len(events) > len(handles):
        text = f"Failed to send events, rt events({len(handles)}) num not enough, at least {len(events)}"
        return context.error(_TOO_FEW, text, code=Status.PARAM_INVALID)
    for number in ids:
        if not 0 <= number < len(events):
            text = f"Failed to send events, invalid logic event id {number}"
            return context.error(_INVALID, text, code=Status.PARAM_INVALID)
    peers = allocator if isinstance(allocator, list) else [allocator]
    return _Call(stream, [events[number] for number in ids], handles, peers[0], peers)


def _for_each(context: KernelContext, handle: Handle) -> int:
    call = _call(context)
    if isinstance(call, Status):
        return call
    for event in call.events:
        if status := handle(context, call, event):
            return status
    return Status.SUCCESS


def send_events(context: KernelContext) -> int:
    """Per event: what freed blocks the receiver has not heard of, the blocks that go home with it, then the record."""
    return _for_each(context, _send)


def last_send_events(context: KernelContext) -> int:
    """Record only: behind the run everything is reclaimed at once."""
    return _for_each(context, _record)


def wait_events(context: KernelContext) -> int:
    """Per event: the wait, then what it carries is taken in."""
    return _for_each(context, _wait)


def last_wait_events(context: KernelContext) -> int:
    """Wait for all streams, then take every block home and give every page back to level 1."""
    call = _call(context)
    if isinstance(call, Status):
        return call
    for event in call.events:
        _stop(context, call, event)
    reclaim(call.peers)
    return Status.SUCCESS


def _send(context: KernelContext, call: _Call, event: GertEvent) -> int:
    home, target = call.home, event.info.target_stream
    for life in home.told(target):
        context.trace(RecycleSent(home.stream, event.logic_id, life.block.addr))
        event.freed.append(life)
    for block in home.take_borrowed(target):
        context.trace(MigrationSent(home.stream, event.logic_id, block.addr))
        event.homing.append(block)
    return _record(context, call, event)


def _record(context: KernelContext, call: _Call, event: GertEvent) -> int:
    device, handle = context.machine.device, call.handles[event.logic_id]
    device.record_event(device.stream(call.stream), handle)
    event.moments = call.home.order.sent()
    context.trace(EventSent(event.logic_id, handle, event.info.source_stream))
    return Status.SUCCESS


def _stop(context: KernelContext, call: _Call, event: GertEvent) -> None:
    device, handle = context.machine.device, call.handles[event.logic_id]
    device.wait_event(device.stream(call.stream), handle)
    context.trace(EventWaited(event.logic_id, handle, event.info.target_stream))


def _wait(context: KernelContext, call: _Call, event: GertEvent) -> int:
    _stop(context, call, event)
    home = call.home
    if event.moments is not None:
        home.order.waited(event.moments)
    for life in event.freed:
        if life.is_stale:
            streams = f"{event.info.source_stream}to {event.info.target_stream}"
            text = f"Ignore block {pointer_text(life.block.handle)} in waited event space from stream {streams}"
            context.journal.say(LogLine("GE", *_IGNORED, text), level=Level.DEBUG)
            continue
        context.trace(RecycleWaited(home.stream, event.logic_id, life.block.addr))
        life.reach(home.stream)
    event.freed.clear()
    for block in event.homing:
        context.trace(MigrationWaited(home.stream, event.logic_id, block.addr))
        if not home.birth_recycle(block):
            text = (
                f"Failed to birth recycle memory {pointer_text(block.addr)} at stream {home.stream}, "
                f"block {pointer_text(block.handle)}, birth stream {block.birth}"
            )
            return context.assert_failed(_BIRTH, text)
    event.homing.clear()
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("CreateGertEvents", create_gert_events),
    Kernel("SendEvents", send_events, critical_section=MEMORY),
    Kernel("WaitEvents", wait_events, critical_section=MEMORY),
    Kernel("LastSendEvents", last_send_events, critical_section=MEMORY),
    Kernel("LastWaitEvents", last_wait_events, critical_section=MEMORY),
)
