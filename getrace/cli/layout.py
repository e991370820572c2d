"""Text for people: aligned columns, sizes, durations, and colour when a terminal shows it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from getrace.clock import iso_time

if TYPE_CHECKING:
    from getrace.analysis.failure.model import Failure

_STYLES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "dim": "2"}
_SIZES = ("B", "KiB", "MiB", "GiB", "TiB")
_DURATIONS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"))


@dataclass(frozen=True, slots=True)
class Paint:
    """Puts styles around text, or nothing when ``on`` is False."""

    on: bool

    def __call__(self, style: str, text: str) -> str:
        """Style a text with ``bold``, ``red``, ``green``, ``yellow`` or ``dim``."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.on else text


def columns(rows: Iterable[Sequence[str]], right: frozenset[int] = frozenset(), indent: str = "  ") -> list[str]:
    """Align rows of cells; columns in ``right`` are flush right, and no line ends in blanks."""
    table = [list(row) for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)] if table else []
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def size_text(size: int | None) -> str:
    """Spell bytes: exact below a KiB and for whole powers, rounded to one digit else; ``?`` when unknown."""
    if size is None:
        return "?"
    value, unit = float(abs(size)), 0
    while value >= 1024 and unit < len(_SIZES) - 1:
        value, unit = value / 1024, unit + 1
    number = f"{value:.0f}" if value == int(value) else f"{value:.1f}"
    return f"{'-' if size < 0 else ''}{number} {_SIZES[unit]}"


def duration_text(ns: int | None) -> str:
    """Spell a duration with three digits; ``-`` when nobody knows."""
    if ns is None:
        return "-"
    for scale, unit in _DURATIONS:
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}" if ns < 1000 * scale else f"{ns / scale:.0f} {unit}"
    return f"{ns} ns"


def moment_text(time_ns: int) -> str:
    """Spell a time, or ``-`` for a record without one."""
    return iso_time(time_ns) if time_ns >= 0 else "-"


def where(file: str, line: int) -> str:
    """Spell a place as editors understand it; a live event has no line."""
    return f"{file}:{line}" if line else file


def counted(count: int, noun: str) -> str:
    """Spell a number of things: ``1 step``, ``2 steps``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def failed_at(failure: "Failure") -> str:
    """Spell a failure in one sentence."""
    return f"{failure.kernel or failure.op or 'no kernel is named:'} failed at {failure.phase}"


def shortened(text: str, width: int) -> str:
    """Cut a text to a width, with a sign that it was cut."""
    return text if len(text) <= width else text[: width - 1] + "…"
