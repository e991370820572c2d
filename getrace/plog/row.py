"""A row of the grammar: one message, its event, where GE prints it, and the dialects that have it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from getrace.events import Event, Place
from getrace.plog.codes import FAILED
from getrace.plog.template import Template

GUIDE = "guide"
RT2_2023 = "rt2-2023"
RT2_2026 = "rt2-2026"

TRACE = "trace"
"""Scope of what stands behind ``[KernelTrace][NAME]``."""
MARK = "mark"
"""Scope of what stands behind ``[KernelTrace]`` without a NAME."""
GE = "GE"
"""Scope of ordinary messages of the GE module."""
RUNTIME = "RUNTIME"
"""Scope of ordinary messages of the RUNTIME module."""


TRACER = Place("executor_tracer.cc", 74, "OnExecuteEvent")
"""Where the messages of all trace printers are printed."""


@dataclass(frozen=True, slots=True)
class Row:
    """One message. ``fixed`` are field values that the wording itself says; ``samples`` are its tests.

    ``place`` is where GE 9.2.0 prints it, ``code`` its ``ErrorNo`` when it is an error. The writer uses both; reading
    never depends on them.

    A ``spoken`` row is printed with an allocator's id between thread and function; the id is the event's
    ``allocator``.
    """

    event: type[Event]
    template: Template
    samples: tuple[str, ...]
    dialects: frozenset[str] = frozenset({RT2_2026})
    scope: str = TRACE
    place: Place = field(default=TRACER)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    spoken: bool = False
    code: int = FAILED

    def read(self, text: str, allocator: str | None = None) -> Event | None:
        """Read a message text; None when it is another message."""
        if self.spoken != (allocator is not None):
            return None
        values = self.template.match(text)
        if values is None:
            return None
        if allocator is not None:
            values["allocator"] = allocator
        return self.event(**values, **self.fixed)

    def writes(self, event: Event) -> bool:
        """Say whether this row's wording can say what an event of its kind says."""
        named = "allocator" in self.template.names
        if not named and self.spoken != (getattr(event, "allocator", None) is not None):
            return False
        return all(getattr(event, name) == value for name, value in self.fixed.items()) and all(
            getattr(event, name) is not None for name in self.template.required
        )

    def spell(self, event: Event) -> str:
        """Write an event as this message."""
        return self.template.spell({name: getattr(event, name) for name in self.template.names})


def row(
    event: type[Event],
    template: str,
    *samples: str,
    dialects: str = RT2_2026,
    scope: str = TRACE,
    place: tuple[str, int, str] = TRACER,
    fixed: Mapping[str, Any] | None = None,
    spoken: bool = False,
    code: int = FAILED,
) -> Row:
    """Write a row in short; ``dialects`` are separated by blanks."""
    return Row(
        event,
        Template(template),
        samples,
        frozenset(dialects.split()),
        scope,
        Place(*place),
        fixed or {},
        spoken,
        code,
    )
