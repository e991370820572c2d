"""The journal: how the runtime tells the bus what it does.

It holds who speaks (process, thread, stage of the model's life), so that an allocator five calls below a kernel need
not be told. One journal per process; a second one would print a second process. Each thread of the host program has a
number and a stage of its own: two models that run at once would else speak in each other's names.
"""

from dataclasses import replace
from itertools import count
from threading import local

from getrace.bus import Bus
from getrace.events import Event, Level, Origin, Place
from getrace.events.text import LogLine

_MODULE = "GE"
_FIRST_OTHER_THREAD = 100
"""Threads of the caller's are numbered from here on behind the main one; the workers of an executor come before."""


def pointer_text(value: int) -> str:
    """Spell a pointer as ``%p`` does."""
    return f"0x{value:x}" if value else "(nil)"


class Journal:
    """Publishes events of the GE module with their origin, if GE's level admits them at that moment."""

    __slots__ = ("_main", "_others", "_speaker", "bus")

    def __init__(self, bus: Bus, origin: Origin) -> None:
        self.bus = bus
        self._main = origin
        self._others = count(origin.tid + _FIRST_OTHER_THREAD)
        self._speaker = local()
        self._speaker.origin = origin

    @property
    def origin(self) -> Origin:
        """Who speaks in this thread. A thread that never spoke gets the next number, and no stage."""
        try:
            origin: Origin = self._speaker.origin
        except AttributeError:
            origin = self._speaker.origin = replace(self._main, tid=next(self._others))
        return origin

    @origin.setter
    def origin(self, origin: Origin) -> None:
        self._speaker.origin = origin

    def enter(self, stage: str) -> None:
        """Say which part of the model's life begins: ``load``, ``init``, ``main``, ``deinit`` or ""."""
        self.origin = replace(self.origin, stage=stage)

    def say(
        self, event: Event, kernel: str | None = None, level: Level = Level.INFO, *, place: Place | None = None
    ) -> None:
        """Publish one event. ``kernel`` is None outside of KernelTrace and "" for a message with an empty NAME.

        ``place`` is for a text that GE prints in several places and this is not the usual one.
        """
        if self.bus.admits(_MODULE, level):
            origin = self.origin if place is None else replace(self.origin, place=place)
            self.bus.publish(origin, level, kernel, event)

    def hear(self, event: Event, level: Level, place: Place | None = None) -> None:
        """Publish what the RUNTIME module says, if its level admits it. ``place`` as in ``say``."""
        if self.bus.admits(event.speaker, level):
            self.bus.publish(self.origin if place is None else replace(self.origin, place=place), level, None, event)

    def show(self, event: Event) -> None:
        """Publish what is no log line, such as a graph: it reaches the sinks whatever the log level is."""
        self.bus.publish(self.origin, Level.INFO, None, event)

    def error(self, place: tuple[str, int, str], text: str, code: int) -> None:
        """Publish an ``ErrorNo`` record of GE. ``place`` is file, line and function."""
        self.say(LogLine(_MODULE, *place, text, code), level=Level.ERROR)
