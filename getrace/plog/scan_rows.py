"""Rows as programs: what a message must hold step after step, for scanners that read without expressions.

Made from the pieces of the same templates as the table's expressions. A row has programs when reading it from left to
right, each piece as far as it goes, finds what the expression finds: then a scanner that follows a program can only be
fast, not different. An optional part makes two programs, with and without it, in the order in which the expression
tries them. All other rows are left to the table.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from getrace.events import KIND_NUMBER
from getrace.plog.fields import FIELD_KINDS, FieldKind
from getrace.plog.row import GE, MARK, RUNTIME, TRACE, Row
from getrace.plog.rows import ROWS
from getrace.plog.template import Field, Literal, Optional, Piece
from getrace.store.columns import EVENT_COLUMNS

SCOPES = (TRACE, MARK, GE, RUNTIME)
"""Scopes by the numbers that scanners use; -1 is a message that no row can claim."""

SHORTEST = 4
"""Bytes that every row of an ordinary message begins with: fewer tell nothing about its row."""

(
    STOP,
    ASK,
    LITERAL,
    DECIMAL,
    SIGNED,
    HEX,
    TAGGED,
    POINTER,
    STREAMED,
    WORD,
    NO_BRACKET,
    NO_COMMA,
    COUNT,
    REST,
    SOME,
    ADDRESSES,
    ADDRESSES_OR_NONE,
    SIZES,
) = range(18)
"""What a step does: it ends the message or gives it to the table; reads a text, a number in one of its spellings, bytes
of a set (at least one), one to ten digits, the rest (SOME: at least a byte), or numbers with a blank behind each."""

_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_ANY = frozenset(range(256))
_DIGITS = frozenset(b"0123456789")
_HEX_DIGITS = frozenset(b"0123456789abcdefx")

SETS = {WORD: _WORD, NO_BRACKET: _ANY - frozenset(b"[]"), NO_COMMA: _ANY - frozenset(b",")}
"""The sets of bytes that runs are made of."""

_Reads = tuple[int, frozenset[int]]
"""How a field kind is read, and the bytes that may not stand behind it: there the expression might go back."""

_KINDS: dict[str, _Reads] = {
    "u": (DECIMAL, _DIGITS),
    "i": (SIGNED, _DIGITS),
    "x": (HEX, _HEX_DIGITS),
    "h": (TAGGED, _HEX_DIGITS),
    "p": (POINTER, _HEX_DIGITS),
    "q": (STREAMED, _HEX_DIGITS),
    "name": (WORD, SETS[WORD]),
    "type": (NO_BRACKET, SETS[NO_BRACKET]),
    "label": (NO_COMMA, SETS[NO_COMMA]),
    "text": (REST, _ANY),
    "some": (SOME, _ANY),
    "qs": (ADDRESSES, _HEX_DIGITS),
    "qs0": (ADDRESSES_OR_NONE, _HEX_DIGITS),
    "us": (SIZES, _DIGITS),
}
_COUNTED = FieldKind(r"\d{1,10}", int, str)
_BY_IDENTITY = {id(FIELD_KINDS[name]): reads for name, reads in _KINDS.items()} | {id(_COUNTED): (COUNT, _DIGITS)}
_ALLOCATORS = tuple((Literal(f"{whose}allocator_"), Field("allocator", _COUNTED)) for whose in ("", "rts_", "ffts_"))
"""The spellings of a field of the kind "allocator": a literal and a number each."""


class Step(NamedTuple):
    """One step: what it does, its text, and the store column that its value fills (None: none)."""

    op: int
    text: bytes
    column: str | None


@dataclass(frozen=True, slots=True)
class Program:
    """One way to read a row. The first step is the text that the message begins with."""

    which: int
    rule: int
    kind: int
    steps: tuple[Step, ...]

    @property
    def head(self) -> bytes:
        """The text that the message begins with."""
        return self.steps[0].text


def which_of(scope: str, *, spoken: bool) -> int:
    """Give a scope and whether an allocator speaks as one number."""
    return 2 * SCOPES.index(scope) + spoken


@cache
def programs() -> tuple[Program, ...]:
    """Give the programs of all rows; a row without one has a program that asks the table.

    Rows of traces that begin with too little have none at all: scanners ask for every trace that no program claims.
    """
    return tuple(program for rule, row in enumerate(ROWS, 1) for program in _programs_of(rule, row))


def _programs_of(rule: int, row: Row) -> list[Program]:
    which, kind = which_of(row.scope, spoken=row.spoken), KIND_NUMBER[row.event.kind]
    made = []
    for pieces in _variants(row.template.pieces):
        steps = _steps(pieces)
        if steps is None or not steps or steps[0].op != LITERAL or len(steps[0].text) < SHORTEST:
            break
        made.append(Program(which, rule, kind, (*steps, Step(STOP, b"", None))))
    else:
        return made
    head = row.template.head.encode()
    assert len(head) >= SHORTEST or row.scope in (TRACE, MARK), row.template.text
    asks = Program(which, rule, kind, (Step(LITERAL, head, None), Step(ASK, b"", None)))
    return [asks] if len(head) >= SHORTEST else []


def _variants(pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
    """Spell out optional parts (first with, then without) and what else has several spellings."""
    for at, piece in enumerate(pieces):
        spellings = _spellings(piece)
        if spellings is not None:
            for inner in spellings:
                yield from _variants((*pieces[:at], *inner, *pieces[at + 1 :]))
            return
    yield pieces


def _spellings(piece: Piece) -> tuple[tuple[Piece, ...], ...] | None:
    if isinstance(piece, Optional):
        return piece.pieces, ()
    if isinstance(piece, Field) and piece.kind is FIELD_KINDS["allocator"]:
        return _ALLOCATORS
    return None


def _steps(pieces: tuple[Piece, ...]) -> list[Step] | None:
    steps: list[Step] = []
    for piece in pieces:
        if isinstance(piece, Literal):
            text = piece.text.encode()
            if steps and steps[-1].op == LITERAL:
                text = steps.pop().text + text
            steps.append(Step(LITERAL, text, None))
        elif isinstance(piece, Field) and id(piece.kind) in _BY_IDENTITY:
            op = _BY_IDENTITY[id(piece.kind)][0]
            steps.append(Step(op, b"", piece.name if piece.name in EVENT_COLUMNS else None))
        else:
            return None
    return steps if _ends_are_sure(pieces) else None


def _ends_are_sure(pieces: tuple[Piece, ...]) -> bool:
    """Say whether each field ends where its bytes end: at the end of the message, or before a byte that is not its."""
    for piece, behind in pairwise(pieces):
        if isinstance(piece, Field):
            never = _BY_IDENTITY[id(piece.kind)][1]
            if not isinstance(behind, Literal) or behind.text.encode()[0] in never:
                return False
    return True
