"""The journal: how the runtime tells the bus what it does.

It holds who speaks (process, thread, stage of the model's life), so that an allocator five calls below a kernel need
not be told. One journal per process; a second one would print a second process.
"""

from dataclasses import replace

from getrace.bus import Bus
from getrace.events import Event, Level, Origin, Place
from getrace.events.text import LogLine

_MODULE = "GE"


def pointer_text(value: int) -> str:
    """Spell a pointer as ``%p`` does."""
    return f"0x{value:x}" if value else "(nil)"


class Journal:
    """Publishes events of the GE module with their origin, if GE's level admits them at that moment."""

    __slots__ = ("bus", "origin")

    def __init__(self, bus: Bus, origin: Origin) -> None:
        self.bus = bus
        self.origin = origin

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
