"""``OccupyStreamResource``: the streams, events and notifies that one call of an executor runs with.

Load and every Execute occupy anew, from the caller's three allocators or from the executor's own, never from a mixture
(spec/execution.md 1.6). A second place that chose would mix them.
"""

from typing import NamedTuple

from runtime.executors.arguments import ModelExecuteArg, ResourceAllocator, check_allocators
from runtime.executors.refusals import SHORTAGE, Refusal
from runtime.executors.resources import Resources
from runtime.lowering.model_desc import ModelDesc


class Occupied(NamedTuple):
    """Vectors by logical number; the first stream is the caller's. They may be longer than the model asked for."""

    streams: list[int]
    events: list[int]
    notifies: list[int]


def occupy(arg: ModelExecuteArg, desc: ModelDesc, own: Resources) -> Occupied | Refusal:
    """Acquire what a model needs, streams first. The first shortage ends it; what was acquired before stays."""
    if refusal := check_allocators(arg):
        return refusal
    streams_num = desc.reusable_stream_num + desc.attached_stream_num
    streams = _acquire(arg.external_stream_allocator or own.streams, streams_num, "streams")
    if isinstance(streams, Refusal):
        return streams
    if not streams:
        return SHORTAGE["streams"].about(what="streams", count=streams_num)
    streams[0] = arg.stream
    events = _acquire(arg.external_event_allocator or own.events, desc.reusable_event_num, "events")
    if isinstance(events, Refusal):
        return events
    notifies = _acquire(arg.external_notify_allocator or own.notifies, desc.reusable_notify_num, "notifies")
    return notifies if isinstance(notifies, Refusal) else Occupied(streams, events, notifies)


def _acquire(allocator: ResourceAllocator, count: int, what: str) -> list[int] | Refusal:
    given = allocator.acquire(count)
    return SHORTAGE[what].about(what=what, count=count) if given is None else given
