"""Rows that the user has marked, and the two markers A and B between which time is told."""

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from getrace.store.store import Store
from views.model.spans import Span
from views.model.words import duration_text

NOWHERE = -1


class Places(NamedTuple):
    """``marks`` are rows in order; ``markers`` the rows of A and B, or ``NOWHERE``."""

    marks: tuple[int, ...] = ()
    markers: tuple[int, int] = (NOWHERE, NOWHERE)

    def toggled(self, row: int) -> "Places":
        """Give the places with a row marked, or without its mark."""
        return self._replace(marks=tuple(sorted({*self.marks} ^ {row})))

    def with_marker(self, number: int, row: int) -> "Places":
        """Give the places with marker A (0) or B (1) at a row, or without it when it stands there already."""
        made = list(self.markers)
        made[number] = NOWHERE if made[number] == row else row
        return self._replace(markers=(made[0], made[1]))

    def sign(self, row: int) -> str:
        """Give the sign of a row: ``A``, ``B``, ``m`` for a mark, or nothing."""
        if row in self.markers:
            return "AB"[self.markers.index(row)]
        place = bisect_left(self.marks, row)
        return "m" if place < len(self.marks) and self.marks[place] == row else ""


def next_mark(places: Places, row: int, direction: int) -> int:
    """Give the next (1) or previous (-1) marked row, not ``row`` itself; ``NOWHERE`` when there is none."""
    place = bisect_right(places.marks, row) if direction > 0 else bisect_left(places.marks, row) - 1
    return places.marks[place] if 0 <= place < len(places.marks) else NOWHERE


def between(store: Store, places: Places) -> Span | None:
    """Say how long it is from A to B, or which of the two is missing; None when neither is set.

    Both are times that the log prints, so the difference is measured: of the host's records, not of the device.
    """
    first, second = places.markers
    if first < 0 and second < 0:
        return None
    if first < 0 or second < 0:
        return Span(f"marker {'A' if first >= 0 else 'B'} set: set {'B' if first >= 0 else 'A'} to measure", "note")
    start, end = store.time_or_none(first), store.time_or_none(second)
    if start is None or end is None:
        return Span("A to B: one of them has no time", "note")
    return Span(f"A to B {duration_text(end - start)} (measured), {second - first:+,} records", "note")
