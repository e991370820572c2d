"""A scene: what is in a picture before anybody says how it is written or laid out.

The writer of DOT text, the budget and the count of edges all work on these records. If the writer walked the snapshot
itself, collapsing would need a second writer.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """One node of the picture: its DOT name, lines of plain text, DOT-ready tooltip, family, operator ("" for none)."""

    key: str
    lines: tuple[str, ...]
    tooltip: str
    family: str
    operator: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """One graph, drawn as a frame: its items, the graphs that its items own, the items that another frame feeds."""

    key: str
    title: str
    items: tuple[Item, ...]
    inner: tuple["Area", ...] = ()
    doorstep: frozenset[str] = frozenset()

    def walk(self) -> Iterator["Area"]:
        """Yield this area and then those inside it, in drawing order."""
        yield self
        for area in self.inner:
            yield from area.walk()


@dataclass(frozen=True, slots=True)
class Link:
    """One arrow between two items, by key. ``kind`` is a key of ``style.STROKES``; ``count`` edges lie in it."""

    source: str
    target: str
    kind: str
    tooltip: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Scene:
    """Areas from top to bottom and every arrow.

    ``columns`` are pairs (upper item, lower item) that are to stand one below the other.
    """

    title: str
    areas: tuple[Area, ...]
    links: tuple[Link, ...]
    columns: tuple[tuple[str, str], ...] = ()

    def all_areas(self) -> Iterator[Area]:
        """Yield every area, the nested ones too."""
        for area in self.areas:
            yield from area.walk()

    def items(self) -> Iterator[Item]:
        """Yield every item in drawing order."""
        for area in self.all_areas():
            yield from area.items

    def edges(self, *kinds: str) -> int:
        """Count the edges of some kinds; an arrow counts as the edges that lie in it."""
        return sum(link.count for link in self.links if link.kind in kinds)
