"""Streams, events and notifies (spec/kerneltrace.md 3.3).

Three kinds of stream number never mix: ``stream`` is logical, ``rt_stream`` the runtime's id, ``handle`` a pointer.
"""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class StreamSplit(Event):
    """A logical stream got its RT stream. ``rt_stream`` -1: the query failed."""

    handle: int
    stream: int
    rt_stream: int


@dataclass(frozen=True, slots=True, repr=False)
class StreamCollected(Event):
    """The same fact as newer releases print it outside a kernel (``Collect rt2 stream``)."""

    handle: int
    stream: int
    rt_stream: int


@dataclass(frozen=True, slots=True, repr=False)
class NotifyGot(Event):
    """A logical notify got its RT notify."""

    handle: int
    notify: int


@dataclass(frozen=True, slots=True, repr=False)
class EventSent(Event):
    """Event ``event_id`` was recorded on ``stream``."""

    event_id: int
    handle: int
    stream: int


@dataclass(frozen=True, slots=True, repr=False)
class EventWaited(Event):
    """``stream`` waits for event ``event_id``."""

    event_id: int
    handle: int
    stream: int


@dataclass(frozen=True, slots=True, repr=False)
class RecycleSent(Event):
    """The fact that ``stream`` is done with an address travels with an event."""

    stream: int
    event_id: int
    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class RecycleWaited(Event):
    """``stream`` learned that another stream is done with an address."""

    stream: int
    event_id: int
    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class MigrationSent(Event):
    """A borrowed block goes home with an event."""

    stream: int
    event_id: int
    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class MigrationWaited(Event):
    """A borrowed block came home to ``stream``."""

    stream: int
    event_id: int
    addr: int
