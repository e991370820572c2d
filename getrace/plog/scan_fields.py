"""The steps of row programs, for many messages at once: numbers, runs and lists.

A reader gives values, the places behind them, which messages had what it reads, and which are beyond its limits (a
number too long for 63 bits, a run longer than a window): those are for the table.
"""

from collections.abc import Callable

import numpy as np

from getrace.plog import scan_rows as step
from getrace.plog.words import WIDTH, Mask, Padded, Places, Words, count_trailing, members, starts_with

_DECIMAL_LIMIT = 18  # decimal digits that surely fit into 63 bits
_HEX_LIMIT = 15
_LIST_LIMIT = 64

Found = tuple[Places, Places, Mask, Mask]
Read = Callable[[Padded, Places, Places, bool], Found]
"""From places, message ends, and whether values are wanted (else any will do): values, places behind them, which were
of this kind, which are for the table."""

_U = np.uint64
_ZEROS, _HIGH = _U(0x3030303030303030), _U(0x8080808080808080)
_SEVEN = ~_HIGH


def _not_below(values: Words, limit: int) -> Words:
    """Give the high bit of each byte that is ``limit`` or more; limits up to 128."""
    return (((values & _SEVEN) + _U((128 - limit) * 0x0101010101010101)) | values) & _HIGH


def _left(values: Words, length: Places) -> Words:
    """Move the first ``length`` bytes of each word to its upper end."""
    return np.where(length == 0, _U(0), values << (_U(64) - (length.astype(np.uint64) << _U(3))))


def _eight_decimals(block: Padded, at: Places, wanted: bool) -> tuple[Words, Places]:
    """Read up to eight decimal digits: their value and number."""
    digits = block.words[at] ^ _ZEROS
    length = count_trailing(_not_below(digits, 10)) >> 3
    if not wanted:
        return digits, length
    digits = _left(digits, length)
    pairs = digits * _U(10) + (digits >> _U(8))
    low = (pairs & _U(0x000000FF000000FF)) * _U(0x000F424000000064)
    high = ((pairs >> _U(16)) & _U(0x000000FF000000FF)) * _U(0x0000271000000001)
    return (low + high) >> _U(32), length


def _eight_hex(block: Padded, at: Places, wanted: bool) -> tuple[Words, Places]:
    """Read up to eight lower-case hex digits: their value and number."""
    raw = block.words[at]
    letters = raw ^ _U(0x6060606060606060)
    is_letter = ~_not_below(letters, 7) & _not_below(letters, 1)
    length = count_trailing(_not_below(raw ^ _ZEROS, 10) & ~is_letter) >> 3
    if not wanted:
        return raw, length
    values = _left((raw & _U(0x0F0F0F0F0F0F0F0F)) + (is_letter >> _U(7)) * _U(9), length)
    values = ((values << _U(4)) | (values >> _U(8))) & _U(0x00FF00FF00FF00FF)
    values = ((values << _U(8)) | (values >> _U(16))) & _U(0x0000FFFF0000FFFF)
    return ((values << _U(16)) | (values >> _U(32))) & _U(0xFFFFFFFF), length


def _number(eight: Callable[[Padded, Places, bool], tuple[Words, Places]], base: int, limit: int) -> Read:
    """Make a reader of numbers without leading zeros and of at most ``limit`` digits."""
    powers = np.array([base**digits for digits in range(9)], np.uint64)

    def read(block: Padded, at: Places, ends: Places, wanted: bool) -> Found:
        value, length = eight(block, at, wanted)
        going = np.flatnonzero(length == 8)
        while len(going):
            more, digits = eight(block, at[going] + length[going], wanted)
            if wanted:
                value[going] = value[going] * powers[digits] + more
            length[going] += digits
            going = going[(digits == 8) & (length[going] <= limit)]
        whole = ((length == 1) | (block.bytes[at] != ord("0"))) & (length > 0) & (at + length <= ends)
        return value.view(np.int64), at + length, whole & (length <= limit), length > limit

    return read


_decimal = _number(_eight_decimals, 10, _DECIMAL_LIMIT)
_hex = _number(_eight_hex, 16, _HEX_LIMIT)


def _signed(block: Padded, at: Places, ends: Places, wanted: bool) -> Found:
    minus = block.bytes[at] == ord("-")
    value, behind, fits, unsure = _decimal(block, at + minus, ends, wanted)
    zero = block.bytes[at + 1] == ord("0")  # no number begins with a zero but zero itself
    return np.where(minus, -value, value), behind, fits & ~(minus & zero), unsure


def _tagged(block: Padded, at: Places, ends: Places, wanted: bool) -> Found:
    tag = starts_with(block, at, b"0x")
    value, behind, fits, unsure = _hex(block, at + 2, ends, wanted)
    return value, behind, fits & tag, unsure & tag


def _pointer(null: bytes) -> Read:
    def read(block: Padded, at: Places, ends: Places, wanted: bool) -> Found:
        value, behind, fits, unsure = _tagged(block, at, ends, wanted)
        fits &= block.bytes[at + 2] != ord("0")
        nil = starts_with(block, at, null) & (at + len(null) <= ends) & ~fits
        return np.where(nil, 0, value), np.where(nil, at + len(null), behind), fits | nil, unsure

    return read


_streamed = _pointer(b"0")


def _count(block: Padded, at: Places, ends: Places, _wanted: bool) -> Found:
    """Read one to ten digits, with leading zeros or not; eight at most are read here."""
    _, length = _eight_decimals(block, at, False)
    unsure = length == 8
    return length, at + length, (length > 0) & ~unsure & (at + length <= ends), unsure


def _run(op: int) -> Read:
    """Make a reader of one byte or more out of a set."""
    table = np.array([byte in step.SETS[op] for byte in range(256)])

    def read(block: Padded, at: Places, ends: Places, _wanted: bool) -> Found:
        length = count_trailing(~members(block.halves(at), table))
        long = np.flatnonzero(length == WIDTH // 2)
        if len(long):
            length[long] = count_trailing(~members(block.windows(at[long]), table))
        length = np.minimum(length, ends - at)
        unsure = length == WIDTH
        return length, at + length, (length > 0) & ~unsure, unsure

    return read


def _rest(least: int) -> Read:
    def read(_block: Padded, at: Places, ends: Places, _wanted: bool) -> Found:
        return ends, ends, ends - at >= least, np.zeros(len(at), np.bool_)

    return read


def _list(one: Read, least: int) -> Read:
    """Make a reader of numbers with a blank behind each."""

    def read(block: Padded, at: Places, ends: Places, _wanted: bool) -> Found:
        behind, count = at.copy(), np.zeros(len(at), np.int64)
        unsure = np.zeros(len(at), np.bool_)
        going = np.arange(len(at))
        for _ in range(_LIST_LIMIT):
            _, after, fits, doubt = one(block, behind[going], ends[going], False)
            unsure[going] |= doubt
            fits &= (block.bytes[after] == ord(" ")) & (after < ends[going])
            going = going[fits]
            behind[going] = after[fits] + 1
            count[going] += 1
            if not len(going):
                break
        unsure[going] = True
        return count, behind, (count >= least) & ~unsure, unsure

    return read


READERS: dict[int, Read] = {
    step.DECIMAL: _decimal,
    step.SIGNED: _signed,
    step.HEX: _hex,
    step.TAGGED: _tagged,
    step.POINTER: _pointer(b"(nil)"),
    step.STREAMED: _streamed,
    step.WORD: _run(step.WORD),
    step.NO_BRACKET: _run(step.NO_BRACKET),
    step.NO_COMMA: _run(step.NO_COMMA),
    step.COUNT: _count,
    step.REST: _rest(0),
    step.SOME: _rest(1),
    step.ADDRESSES: _list(_streamed, 1),
    step.ADDRESSES_OR_NONE: _list(_streamed, 0),
    step.SIZES: _list(_decimal, 1),
}
"""The readers of all steps that read a field."""
