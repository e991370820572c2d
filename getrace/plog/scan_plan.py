"""The programs of all rows as arrays, and the table that finds those of a message by its first bytes.

Two scanners follow the same arrays, one with numpy and one in C, so they hold everything that either needs to know
about rows.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from getrace.plog.scan_rows import LITERAL, SHORTEST, Program, programs
from getrace.plog.words import Places, Words, low_bytes, word_of
from getrace.store.columns import EVENT_COLUMNS

LITERAL_WORDS = 4
_LITERAL_BYTES = 8 * LITERAL_WORDS
_SLOT_BITS = 12

HEADS = (16, 8, SHORTEST)
"""How many first bytes a message and a row have in common, by class of rows: as many as the row's head has."""

# Odd numbers that spread the two words of a head and the scope over 64 bits.
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7))

EVENT_NAMES = tuple(EVENT_COLUMNS)
"""The columns that steps fill, by number."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Programs by number, each a row of steps.

    ``literals`` are numbers into ``texts`` (bytes padded to 32), ``sizes`` their lengths; ``columns`` are numbers
    into EVENT_NAMES, -1 for none.
    Programs of one head stand one behind the other: ``last`` says where the last of them stands. ``slot_keys`` and
    ``slot_first`` find the first one by the key of a head, ``slot_keys`` zero where there is none.
    """

    ops: npt.NDArray[np.int8]
    literals: npt.NDArray[np.int16]
    columns: npt.NDArray[np.int8]
    rules: Places
    kinds: Places
    last: npt.NDArray[np.int16]
    texts: Words
    keeps: Words
    sizes: Places
    slot_keys: Words
    slot_first: npt.NDArray[np.int16]


def keys_of(first: Words, second: Words, which: Places, size: int) -> Words:
    """Give the keys of messages for a class of heads, from the first two words of each message."""
    keys = (first & low_bytes(min(size, 8))) * _MIX[0]
    if size > 8:
        keys ^= (second & low_bytes(size - 8)) * _MIX[1]
    keys ^= (which.astype(np.uint64) + np.uint64(size)) * _MIX[2]
    keys ^= keys >> np.uint64(32)
    return keys * _MIX[0]


def slots_of(keys: Words) -> Places:
    """Give the place in the table at which the search for a key begins."""
    return (keys >> np.uint64(64 - _SLOT_BITS)).astype(np.int64)


def _key(program: Program) -> int:
    size = next(size for size in HEADS if size <= len(program.head))
    first, second = (np.array([word_of(program.head[skip : skip + 8])]) for skip in (0, 8))
    return int(keys_of(first, second, np.array([program.which]), size)[0])


@cache
def plan() -> Plan:
    """Give the plan of all rows, made when first asked for."""
    by_key: dict[int, list[Program]] = {}
    for program in programs():
        by_key.setdefault(_key(program), []).append(program)
    ordered = [program for found in by_key.values() for program in found]
    lasts = np.cumsum([len(found) for found in by_key.values()]) - 1
    texts = _texts(ordered)
    steps = [_split(program) for program in ordered]
    shape = (len(ordered), max(map(len, steps)))
    ops, literals, columns = np.zeros(shape, np.int8), np.zeros(shape, np.int16), np.full(shape, -1, np.int8)
    for number, found in enumerate(steps):
        for at, (op, text, column) in enumerate(found):
            ops[number, at], literals[number, at] = op, texts[text]
            columns[number, at] = -1 if column is None else EVENT_NAMES.index(column)
    words = np.array([[word_of(text[skip : skip + 8]) for skip in range(0, _LITERAL_BYTES, 8)] for text in texts])
    keeps = np.array(
        [[low_bytes(min(max(len(text) - skip, 0), 8)) for skip in range(0, _LITERAL_BYTES, 8)] for text in texts]
    )
    keys, first = _table(by_key, lasts)
    return Plan(
        ops,
        literals,
        columns,
        np.array([program.rule for program in ordered]),
        np.array([program.kind for program in ordered]),
        np.repeat(lasts, [len(found) for found in by_key.values()]).astype(np.int16),
        words,
        keeps,
        np.array([len(text) for text in texts]),
        keys,
        first,
    )


@cache
def plan_texts() -> tuple[bytes, ...]:
    """Give the texts of the literals by number."""
    table = plan()
    return tuple(words.tobytes()[:size] for words, size in zip(table.texts, table.sizes.tolist(), strict=True))


def _split(program: Program) -> list[tuple[int, bytes, str | None]]:
    """Cut texts that are longer than a literal may be."""
    steps: list[tuple[int, bytes, str | None]] = []
    for op, text, column in program.steps:
        if op == LITERAL:
            parts = (text[skip : skip + _LITERAL_BYTES] for skip in range(0, len(text), _LITERAL_BYTES))
            steps.extend((LITERAL, part, None) for part in parts)
        else:
            steps.append((op, text, column))
    return steps


def _texts(ordered: list[Program]) -> dict[bytes, int]:
    texts: dict[bytes, int] = {b"": 0}
    for program in ordered:
        for _, text, _ in _split(program):
            texts.setdefault(text, len(texts))
    return texts


def _table(by_key: dict[int, list[Program]], lasts: Places) -> tuple[Words, npt.NDArray[np.int16]]:
    """Make the table of heads: a key that finds its place taken stands in the next one that is free."""
    keys, first = np.zeros(1 << _SLOT_BITS, np.uint64), np.zeros(1 << _SLOT_BITS, np.int16)
    for (key, found), last in zip(by_key.items(), lasts.tolist(), strict=True):
        slot = int(slots_of(np.array([key], np.uint64))[0])
        while keys[slot]:
            slot = (slot + 1) % len(keys)
        keys[slot], first[slot] = key, last + 1 - len(found)
    return keys, first
