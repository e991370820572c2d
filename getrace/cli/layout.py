"""Text for people: aligned columns, sizes, durations, and colour and width when a terminal shows it.

What goes into a pipe or a file is never cut: a program may read it, and an editor scrolls.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from getrace.clock import iso_time
from getrace.printable import cell_width, printable

if TYPE_CHECKING:
    from getrace.analysis.failure.model import Failure

_STYLES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "dim": "2"}
_STYLE = re.compile(rf"(\x1b\[(?:0|{'|'.join(_STYLES.values())})m)")
_LINE_LIMIT = 1 << 20
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_TOKEN = re.compile(r"\x1b\[[0-9;]*m|.", re.DOTALL)
_LABEL = re.compile(r" *(?:-> |\S(?: ?\S){0,22}  +)?")
_NARROWEST = 12
_SIZES = ("B", "KiB", "MiB", "GiB", "TiB")
_DURATIONS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"))


@dataclass(frozen=True, slots=True)
class Paint:
    """Puts styles around text, or nothing when ``on`` is False. ``width`` is that of the terminal, 0 without one."""

    on: bool
    width: int = 0

    def __call__(self, style: str, text: str) -> str:
        """Style a text with ``bold``, ``red``, ``green``, ``yellow`` or ``dim``."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.on else text

    def safe(self, line: str) -> str:
        """Give a line that is safe for a terminal: of the escapes only the styles that this class makes are left."""
        if line.isascii() and line.isprintable():
            return line
        if not self.on:
            return printable(line, _LINE_LIMIT)
        parts = _STYLE.split(line)
        return "".join(part if number % 2 else printable(part, _LINE_LIMIT) for number, part in enumerate(parts))


def columns(
    rows: Iterable[Sequence[str]],
    right: frozenset[int] = frozenset(),
    indent: str = "  ",
    *,
    width: int = 0,
    squeeze: int | None = None,
) -> list[str]:
    """Align rows of cells; columns in ``right`` are flush right, and no line ends in blanks.

    When the lines are wider than ``width`` (0: no limit) the column ``squeeze`` gives way, down to 12 cells.
    """
    table = [[_STYLED.safe(cell) for cell in row] for row in rows]
    widths = [max(map(_cells, column)) for column in zip(*table, strict=True)] if table else []
    over = len(indent) + sum(widths) + 2 * (len(widths) - 1) - width
    if width and squeeze is not None and widths and over > 0:
        widths[squeeze] = min(widths[squeeze], max(widths[squeeze] - over, _NARROWEST))
        for row in table:
            row[squeeze] = squeezed(row[squeeze], widths[squeeze])
    if widths and len(widths) - 1 not in right:
        widths[-1] = 0  # nothing follows: one long cell would otherwise lengthen every line
    lines = []
    for row in table:
        cells = [
            _padded(cell, width, right=index in right)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


_STYLED = Paint(on=True)


def _padded(cell: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - _cells(cell))
    return blanks + cell if right else cell + blanks


def _cells(text: str) -> int:
    """Give the terminal cells of a text: styles take none, a Chinese character takes two."""
    return cell_width(_ESCAPE.sub("", text))


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
        # What three digits round up to a thousand is one of the next unit: ``.3g`` would spell it 1e+03.
        if 2000 * ns >= 1999 * scale:
            return f"{ns / scale:.3g} {unit}" if 2 * ns < 1999 * scale else f"{ns / scale:.0f} {unit}"
    return f"{ns} ns"


def moment_text(time_ns: int | None) -> str:
    """Spell a time, or ``-`` for a record without one."""
    return "-" if time_ns is None else iso_time(time_ns)


def counted(count: int, noun: str) -> str:
    """Spell a number of things: ``1 step``, ``2 steps``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def failed_at(failure: "Failure") -> str:
    """Spell a failure in one sentence."""
    return f"{failure.kernel or failure.op or 'no kernel is named:'} failed at {failure.phase}"


def shortened(text: str, width: int) -> str:
    """Cut a text to a width, with a sign that it was cut."""
    return text if len(text) <= width else text[: width - 1] + "…"


def squeezed(text: str, width: int) -> str:
    """Cut a name to a width in its middle: kernels of one operator differ in their ends."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return text[: width - 1 - tail] + "…" + text[len(text) - tail :]


def quoted(text: str, indent: int, paint: Paint) -> str:
    """Give a line of a log: whole without a terminal, else as much as three lines below each other hold."""
    return shortened(text, 3 * max(paint.width - indent, 20)) if paint.width else text


def wrapped(line: str, width: int) -> list[str]:
    """Break a line at blanks into lines of at most ``width`` cells; what follows hangs below the text of the first.

    The text begins behind a label, which is an arrow or what stands before the first two blanks.
    """
    bare = _ESCAPE.sub("", line)
    if _cells(bare) <= width:
        return [line]
    label = _LABEL.match(bare)
    hang = min(len(label[0]) if label else 0, width // 2)
    pieces: list[str] = []
    rest, room, least = line, width, hang
    while rest:
        end = _end(rest, room, least)
        pieces.append((" " * hang if pieces else "") + rest[:end].rstrip(" "))
        rest, room, least = rest[end:].lstrip(" "), width - hang, 0
    return pieces


def _end(text: str, room: int, least: int) -> int:
    """Give the place to break: the last blank behind ``least`` within ``room`` cells, else where the room ends."""
    used, blank = 0, 0
    for token in _TOKEN.finditer(text):
        used += 0 if token[0].startswith("\x1b") else _cells(token[0])
        if token[0] == " " and token.start() > least:
            blank = token.start()
        elif used > room:
            return blank or max(token.start(), 1)
    return len(text)
