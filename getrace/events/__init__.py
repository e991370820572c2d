"""The closed list of event kinds.

``EVENTS`` is the list: its order gives each kind its number in the store, so new kinds go to the end of their family
and the numbers live only as long as a process. Nothing is registered by being imported.
"""

from getrace.events import (
    aicpu,
    allocators,
    device,
    engines,
    failures,
    graphs,
    launch,
    markers,
    memory,
    models,
    pools,
    shapes,
    streams,
    text,
    tiling,
)
from getrace.events.base import Event
from getrace.events.envelope import Level, Origin, Place

FAMILIES = {
    "text": text,
    "markers": markers,
    "memory": memory,
    "allocators": allocators,
    "streams": streams,
    "shapes": shapes,
    "tiling": tiling,
    "launch": launch,
    "aicpu": aicpu,
    "engines": engines,
    "models": models,
    "pools": pools,
    "device": device,
    "failures": failures,
    "graphs": graphs,
}

EVENTS: tuple[type[Event], ...] = tuple(
    member
    for module in FAMILIES.values()
    for member in vars(module).values()
    if isinstance(member, type) and issubclass(member, Event) and member.__module__ == module.__name__
    if "__dataclass_fields__" in vars(member)  # a family's own base is no event
)

KIND_NUMBER: dict[str, int] = {event.kind: number for number, event in enumerate(EVENTS)}

__all__ = ["EVENTS", "FAMILIES", "KIND_NUMBER", "Event", "Level", "Origin", "Place"]
