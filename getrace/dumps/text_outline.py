"""The outline of a large text dump: the few lines that tell operators and edges, found by their indentation.

GE's printer writes one field a line and two blanks for each open message, and a quoted text holds no raw line end: so
the place of a line is known from its blanks, and numpy finds the lines that matter among millions without making a
Python object of the others. A text with another layout is ``IrregularText``: its own reader takes it, slowly
(spec/formats.md 3.4).
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.dumps.text_proto import LONG_LINE, MAX_DEPTH, Field, Syntax
from getrace.dumps.text_source import BOM, MAX_LINE, TextSource

BLOCK = 1 << 20
"""Bytes that are looked at together; the lists of one block of hostile lines take fifty times as much."""

TOO_LONG = f"the line is longer than {MAX_LINE >> 20} MiB"

_NEWLINE, _BLANK, _OPEN, _CLOSE = b"\n {}"
_PAD = bytes(8)
_PLAIN = re.compile(rb'[a-z_]+: "([^"\\]*)"\Z')
_VALUE = 2 * MAX_DEPTH + 64

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class IrregularText(Exception):  # noqa: N818 - no error: another reader is asked
    """The text is not laid out as GE does it; ``line`` is the first line that tells, ``said`` what is wrong there."""

    def __init__(self, line: int, said: str = "the line is not indented as GE does it") -> None:
        super().__init__(line)
        self.line = line
        self.said = said


class Mark(NamedTuple):
    """Lines to be found: how deep they stand, the first bytes of their text (up to 8), and a name for them.

    ``rest`` are the next bytes (up to 16); such a line is given as the line below it, which holds its value.
    """

    depth: int
    start: bytes
    name: int
    rest: bytes = b""


Token = tuple[int, int, bytes, int]
"""A line that was found: the name of its mark, where its text starts in the file, the text, and its number."""


def field_of(syntax: Syntax, text: bytes, line: int) -> Field:
    """Give a line as the field that it is. Raises InputError for a name or number of a megabyte."""
    if len(text) > LONG_LINE:
        raise syntax.error(f"a name or a number has more than {LONG_LINE >> 20} MiB", line)
    name, _, value = text.decode("utf-8", "surrogateescape").partition(":")
    return Field(name, value.strip(), line)


def text_of(syntax: Syntax, text: bytes, line: int) -> str:
    """Decode the quoted text of a line; most have no escapes. Raises InputError when it is not one."""
    found = _PLAIN.match(text) if len(text) <= LONG_LINE else None
    return found[1].decode("utf-8", "surrogateescape") if found else syntax.text_of(field_of(syntax, text, line))


def int_of(syntax: Syntax, text: bytes, line: int) -> int:
    """Decode the whole number of a line. Raises InputError when it is not one."""
    try:
        return int(text[text.find(b":") + 1 :])
    except ValueError:
        return syntax.int_of(field_of(syntax, text, line))


class _Lines(NamedTuple):
    """The lines of a block: where the text of each starts and ends in the block, and how deep it stands."""

    start: Numbers
    end: Numbers
    depth: Numbers


def outline(source: TextSource, marks: Sequence[Mark]) -> Iterator[Token]:
    """Give the lines that have a mark, in order. Raises IrregularText, and InputError as the source."""
    place, line, depth = 0, 1, 0
    for block in _blocks(source):
        if line == 1 and block.startswith(BOM):
            raise IrregularText(1, "the text begins with a mark of its encoding")
        data = np.frombuffer(block, np.uint8)
        lines, depth = _lines(data, depth, line)
        yield from _marked(source, block, lines, marks, (place, line))
        place += len(block) - len(_PAD)
        line += len(lines.start)
    if depth:
        raise IrregularText(line)


def _blocks(source: TextSource) -> Iterator[bytes]:
    """Give whole lines of about ``BLOCK`` bytes, padded so that eight bytes can be looked at from any place."""
    kept: list[bytes] = []
    lines, length = 1, 0
    with source.open() as file:
        while piece := file.read(BLOCK):
            cut = piece.rfind(b"\n") + 1
            if cut:
                block = b"".join((*kept, piece[:cut], _PAD))
                lines += block.count(b"\n")
                kept, length = [], 0
                yield block
                del block
            kept.append(piece[cut:])
            length += len(kept[-1])
            if length > MAX_LINE:
                raise IrregularText(lines, TOO_LONG)
    tail = b"".join(kept).rstrip()
    if tail not in (b"", b"}"):
        raise IrregularText(lines, "the text ends inside a line")
    if tail:
        yield tail + b"\n" + _PAD


def _lines(data: npt.NDArray[np.uint8], depth: int, line: int) -> tuple[_Lines, int]:
    """Find the lines of a block that begins at a depth, and the depth at its end."""
    end = np.flatnonzero(data == _NEWLINE)
    start = np.empty_like(end)
    start[0], start[1:] = 0, end[:-1] + 1
    last = data[np.maximum(end - 1, 0)]
    opens, closes = last == _OPEN, last == _CLOSE
    after = np.cumsum(opens.astype(np.int64) - closes) + depth
    depths = after - opens
    text = np.clip(start + 2 * depths, 0, len(data) - 1)
    regular = (depths >= 0) & (depths <= MAX_DEPTH) & (text < end)
    regular &= (data[text] != _BLANK) & (~closes | (text == end - 1))
    regular &= ~opens | (data[np.maximum(end - 2, 0)] == _BLANK)
    inner = depths > 0
    for at in (start, start + 1, text - 1, text - 2):
        regular &= ~inner | (data[np.maximum(at, 0)] == _BLANK)
    if not regular.all():
        raise IrregularText(line + int(np.argmin(regular)))
    return _Lines(text, end, depths), int(after[-1])


def _marked(
    source: TextSource, block: bytes, lines: _Lines, marks: Sequence[Mark], base: tuple[int, int]
) -> Iterator[Token]:
    data = np.frombuffer(block, np.uint8)
    names, rows = _rows(data, lines, marks)
    place, line = base
    # The line below the last one of a block is the first of the next block.
    after = len(data) - len(_PAD)
    first, last = np.append(lines.start, after)[rows].tolist(), np.append(lines.end, after)[rows].tolist()
    texts = [
        block[begin:stop] if stop > begin else _line_at(source, place + begin)
        for begin, stop in zip(first, last, strict=True)
    ]
    offsets = (np.append(lines.start, after)[rows] + place).tolist()
    return zip(names.tolist(), offsets, texts, (rows + line).tolist(), strict=True)


def _rows(data: npt.NDArray[np.uint8], lines: _Lines, marks: Sequence[Mark]) -> tuple[Numbers, Numbers]:
    """Give the marks that lines of a block have, and the rows of the lines to show for them."""
    wanted = np.flatnonzero(np.isin(lines.depth, np.array(sorted({mark.depth for mark in marks}))))
    start, depth = lines.start[wanted], lines.depth[wanted]
    words = _eight_bytes(data, start)
    named = np.full(len(wanted), -1, np.int64)
    shown = wanted.copy()
    for mark in marks:
        found = (depth == mark.depth) & ((words & _mask(mark.start)) == _word(mark.start))
        if mark.rest:
            found[found] = _goes_on(data, start[found] + len(mark.start), mark.rest)
            shown[found] += 1
        named[found] = mark.name
    kept = np.flatnonzero(named >= 0)
    return named[kept], shown[kept]


def _line_at(source: TextSource, offset: int) -> bytes:
    """Give the text of a line by its place, as far as a number may go."""
    return source.read(offset, offset + _VALUE).partition(b"\n")[0].strip()


def _goes_on(data: npt.NDArray[np.uint8], start: Numbers, rest: bytes) -> Flags:
    """Say of places whether the bytes there are these."""
    parts = [rest[at : at + 8] for at in range(0, len(rest), 8)]
    places = np.minimum(start, len(data) - 8)
    found = np.ones(len(start), bool)
    for number, part in enumerate(parts):
        words = _eight_bytes(data, np.minimum(places + 8 * number, len(data) - 8))
        found &= (words & _mask(part)) == _word(part)
    return found


def _eight_bytes(data: npt.NDArray[np.uint8], start: Numbers) -> npt.NDArray[np.uint64]:
    """Give the eight bytes at each place as one number."""
    return np.lib.stride_tricks.sliding_window_view(data, 8)[start].copy().view("<u8").reshape(-1)


def _word(text: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(text, "little"))


def _mask(text: bytes) -> np.uint64:
    return np.uint64((1 << 8 * len(text)) - 1)
