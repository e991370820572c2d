"""Rows as programs: what a message must hold step after step, for scanners that read without expressions.

Made from the pieces of the same templates as the table's expressions. A row has programs when reading it from left to
right, each piece as far as it goes, finds what the expression finds: then a scanner that follows a program can only be
fast, not different. An optional part makes two programs, with and without it, in the order in which the expression
tries them. All other rows are left to the table.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from getrace.events import KIND_NUMBER
from getrace.plog.fields import FIELD_KINDS
from getrace.plog.row import GE, MARK, RUNTIME, TRACE, Row
from getrace.plog.rows import ROWS
from getrace.plog.template import Field, Literal, Optional, Piece
from getrace.store.columns import EVENT_COLUMNS

SCOPES = (TRACE, MARK, GE, RUNTIME)
"""Scopes by the numbers that scanners use; -1 is a message that no row can claim."""

HEAD = 5
"""Bytes at the beginning of a message by which its rows are found."""

LITERAL, DECIMAL, SIGNED, HEX, TAGGED, POINTER, STREAMED, RUN, REST, ADDRESSES, SIZES = range(11)
"""What a step reads: a text, a number in one of its spellings, bytes of a set, the rest, or a list of numbers."""

_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_ANY = frozenset(range(256))
_DIGITS = frozenset(b"0123456789")
_HEX_DIGITS = frozenset(b"0123456789abcdefx")

SETS = (_WORD, _ANY - frozenset(b"[]"), _ANY - frozenset(b","))
"""The sets of bytes that a RUN may be of, by number."""


class _Reads(NamedTuple):
    """How a field kind is read, and the bytes that may not stand behind it: there the expression might go back."""

    op: int
    number: int  # of a set, or how many must be there at least
    never_behind: frozenset[int]


_KINDS: dict[str, _Reads] = {
    "u": _Reads(DECIMAL, 0, _DIGITS),
    "i": _Reads(SIGNED, 0, _DIGITS),
    "x": _Reads(HEX, 0, _HEX_DIGITS),
    "h": _Reads(TAGGED, 0, _HEX_DIGITS),
    "p": _Reads(POINTER, 0, _HEX_DIGITS),
    "q": _Reads(STREAMED, 0, _HEX_DIGITS),
    "name": _Reads(RUN, 0, SETS[0]),
    "type": _Reads(RUN, 1, SETS[1]),
    "label": _Reads(RUN, 2, SETS[2]),
    "text": _Reads(REST, 0, _ANY),
    "some": _Reads(REST, 1, _ANY),
    "qs": _Reads(ADDRESSES, 1, _HEX_DIGITS),
    "qs0": _Reads(ADDRESSES, 0, _HEX_DIGITS),
    "us": _Reads(SIZES, 1, _DIGITS),
}
_BY_IDENTITY = {id(FIELD_KINDS[name]): reads for name, reads in _KINDS.items()}


class Step(NamedTuple):
    """One step: what it reads, its text or number, and the store column that its value fills (None: none)."""

    op: int
    text: bytes
    number: int
    column: str | None


@dataclass(frozen=True, slots=True)
class Program:
    """One way to read a row: the text it begins with, and the steps behind that."""

    rule: int
    kind: int
    head: bytes
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of a scope that begin with the same bytes; ``asked`` are the heads of those that have no program."""

    programs: tuple[Program, ...]
    asked: tuple[bytes, ...]


Which = int
"""A scope and whether an allocator speaks, as one number: 2 * index into SCOPES + spoken."""


@cache
def groups() -> dict[tuple[Which, bytes], Group]:
    """Give the groups by scope and first five bytes; rows with a shorter head are in ``short_heads``."""
    programs: dict[tuple[Which, bytes], list[Program]] = {}
    asked: dict[tuple[Which, bytes], list[bytes]] = {}
    for rule, row in enumerate(ROWS, 1):
        which, head = _which(row), row.template.head.encode()
        made = programs_of(rule, row)
        for program in made:
            programs.setdefault((which, program.head[:HEAD]), []).append(program)
        if not made and len(head) >= HEAD:
            asked.setdefault((which, head[:HEAD]), []).append(head)
    return {key: Group(tuple(programs.get(key, ())), tuple(asked.get(key, ()))) for key in sorted({*programs, *asked})}


@cache
def short_heads() -> tuple[tuple[Which, bytes], ...]:
    """Give the rows without programs whose head is too short for a group; traces are asked for anyway."""
    return tuple(
        (_which(row), row.template.head.encode())
        for rule, row in enumerate(ROWS, 1)
        if row.scope in (GE, RUNTIME) and len(row.template.head) < HEAD and not programs_of(rule, row)
    )


def _which(row: Row) -> Which:
    return 2 * SCOPES.index(row.scope) + row.spoken


def programs_of(rule: int, row: Row) -> tuple[Program, ...]:
    """Give the programs of a row; none when the row is for the table."""
    made = []
    for pieces in _variants(row.template.pieces):
        steps = _steps(pieces)
        if steps is None or not steps or steps[0].op != LITERAL or len(steps[0].text) < HEAD:
            return ()
        made.append(Program(rule, KIND_NUMBER[row.event.kind], steps[0].text, tuple(steps[1:])))
    return tuple(made)


def _variants(pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
    """Spell out optional parts: first with, then without."""
    at = next((number for number, piece in enumerate(pieces) if isinstance(piece, Optional)), None)
    if at is None:
        yield pieces
        return
    part = pieces[at]
    assert isinstance(part, Optional)
    for inner in (part.pieces, ()):
        yield from _variants((*pieces[:at], *inner, *pieces[at + 1 :]))


def _steps(pieces: tuple[Piece, ...]) -> list[Step] | None:
    steps: list[Step] = []
    for piece in pieces:
        if isinstance(piece, Literal):
            text = piece.text.encode()
            if steps and steps[-1].op == LITERAL:
                text = steps.pop().text + text
            steps.append(Step(LITERAL, text, 0, None))
        elif isinstance(piece, Field) and id(piece.kind) in _BY_IDENTITY:
            reads = _BY_IDENTITY[id(piece.kind)]
            steps.append(Step(reads.op, b"", reads.number, piece.name if piece.name in EVENT_COLUMNS else None))
        else:
            return None
    return steps if _ends_are_sure(pieces) else None


def _ends_are_sure(pieces: tuple[Piece, ...]) -> bool:
    """Say whether each field ends where its bytes end: at the end of the message, or before a byte that is not its."""
    for piece, behind in zip(pieces, pieces[1:], strict=False):
        if isinstance(piece, Field):
            never = _BY_IDENTITY[id(piece.kind)].never_behind
            if not isinstance(behind, Literal) or behind.text.encode()[0] in never:
                return False
    return True
