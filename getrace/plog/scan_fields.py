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
Read = Callable[[Padded, Places, Places], Found]
"""From places and message ends: values, places behind them, which were of this kind, which are for the table."""

_U = np.uint64
_ZEROS, _HIGH = _U(0x3030303030303030), _U(0x8080808080808080)
_SEVEN = ~_HIGH
_TABLES = np.array([[byte in chosen for byte in range(256)] for chosen in step.SETS])


def _not_below(values: Words, limit: int) -> Words:
    """Give the high bit of each byte that is ``limit`` or more; limits up to 128."""
    return (((values & _SEVEN) + _U((128 - limit) * 0x0101010101010101)) | values) & _HIGH


def _left(values: Words, length: Places) -> Words:
    """Move the first ``length`` bytes of each word to its upper end."""
    return np.where(length == 0, _U(0), values << (_U(64) - (length.astype(np.uint64) << _U(3))))


def _eight_decimals(block: Padded, at: Places) -> tuple[Words, Places]:
    """Read up to eight decimal digits: their value and number."""
    digits = block.words[at] ^ _ZEROS
    length = count_trailing(_not_below(digits, 10)) >> 3
    digits = _left(digits, length)
    pairs = digits * _U(10) + (digits >> _U(8))
    low = (pairs & _U(0x000000FF000000FF)) * _U(0x000F424000000064)
    high = ((pairs >> _U(16)) & _U(0x000000FF000000FF)) * _U(0x0000271000000001)
    return (low + high) >> _U(32), length


def _eight_hex(block: Padded, at: Places) -> tuple[Words, Places]:
    """Read up to eight lower-case hex digits: their value and number."""
    raw = block.words[at]
    letters = raw ^ _U(0x6060606060606060)
    is_letter = ~_not_below(letters, 7) & _not_below(letters, 1)
    length = count_trailing(_not_below(raw ^ _ZEROS, 10) & ~is_letter) >> 3
    values = _left((raw & _U(0x0F0F0F0F0F0F0F0F)) + (is_letter >> _U(7)) * _U(9), length)
    values = ((values << _U(4)) | (values >> _U(8))) & _U(0x00FF00FF00FF00FF)
    values = ((values << _U(8)) | (values >> _U(16))) & _U(0x0000FFFF0000FFFF)
    return ((values << _U(16)) | (values >> _U(32))) & _U(0xFFFFFFFF), length


def _number(eight: Callable[[Padded, Places], tuple[Words, Places]], base: int, limit: int) -> Read:
    """Make a reader of numbers without leading zeros and of at most ``limit`` digits."""
    powers = np.array([base**digits for digits in range(9)], np.uint64)

    def read(block: Padded, at: Places, ends: Places) -> Found:
        value, length = eight(block, at)
        going = np.flatnonzero(length == 8)
        while len(going):
            more, digits = eight(block, at[going] + length[going])
            value[going] = value[going] * powers[digits] + more
            length[going] += digits
            going = going[(digits == 8) & (length[going] <= limit)]
        whole = ((length == 1) | (block.bytes[at] != ord("0"))) & (length > 0) & (at + length <= ends)
        return value.astype(np.int64), at + length, whole & (length <= limit), length > limit

    return read


_decimal = _number(_eight_decimals, 10, _DECIMAL_LIMIT)
_hex = _number(_eight_hex, 16, _HEX_LIMIT)


def _signed(block: Padded, at: Places, ends: Places) -> Found:
    minus = block.bytes[at] == ord("-")
    value, behind, fits, unsure = _decimal(block, at + minus, ends)
    return np.where(minus, -value, value), behind, fits & ~(minus & (value == 0)), unsure


def _tagged(block: Padded, at: Places, ends: Places) -> Found:
    tag = starts_with(block, at, b"0x")
    value, behind, fits, unsure = _hex(block, at + 2, ends)
    return value, behind, fits & tag, unsure & tag


def _pointer(null: bytes) -> Read:
    def read(block: Padded, at: Places, ends: Places) -> Found:
        value, behind, fits, unsure = _tagged(block, at, ends)
        fits &= value != 0
        nil = starts_with(block, at, null) & (at + len(null) <= ends) & ~fits
        return np.where(nil, 0, value), np.where(nil, at + len(null), behind), fits | nil, unsure

    return read


_streamed = _pointer(b"0")


def _run(number: int) -> Read:
    """Make a reader of one byte or more out of a set."""
    table = _TABLES[number]

    def read(block: Padded, at: Places, ends: Places) -> Found:
        length = np.minimum(count_trailing(~members(block.windows(at), table)), ends - at)
        unsure = length == WIDTH
        return length, at + length, (length > 0) & ~unsure, unsure

    return read


def _rest(least: int) -> Read:
    def read(_block: Padded, at: Places, ends: Places) -> Found:
        return ends, ends, ends - at >= least, np.zeros(len(at), np.bool_)

    return read


def _list(one: Read, least: int) -> Read:
    """Make a reader of numbers with a blank behind each."""

    def read(block: Padded, at: Places, ends: Places) -> Found:
        behind, count = at.copy(), np.zeros(len(at), np.int64)
        unsure = np.zeros(len(at), np.bool_)
        going = np.arange(len(at))
        for _ in range(_LIST_LIMIT):
            _, after, fits, doubt = one(block, behind[going], ends[going])
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


_READERS: dict[tuple[int, int], Read] = {
    (step.DECIMAL, 0): _decimal,
    (step.SIGNED, 0): _signed,
    (step.HEX, 0): _hex,
    (step.TAGGED, 0): _tagged,
    (step.POINTER, 0): _pointer(b"(nil)"),
    (step.STREAMED, 0): _streamed,
    (step.RUN, 0): _run(0),
    (step.RUN, 1): _run(1),
    (step.RUN, 2): _run(2),
    (step.REST, 0): _rest(0),
    (step.REST, 1): _rest(1),
    (step.ADDRESSES, 0): _list(_streamed, 0),
    (step.ADDRESSES, 1): _list(_streamed, 1),
    (step.SIZES, 1): _list(_decimal, 1),
}


def follow(program: step.Program, block: Padded, at: Places, ends: Places) -> tuple[Mask, Mask, dict[str, Places]]:
    """Follow a program over messages that begin with its head.

    Gives which fit, which are for the table, and the columns of all of them.
    """
    fits = np.ones(len(at), np.bool_)
    doubt = np.zeros(len(at), np.bool_)
    columns: dict[str, Places] = {}
    at = at + len(program.head)
    for op, text, number, column in program.steps:
        # what failed may point anywhere: it reads on harmlessly at the end of its message
        fits &= at <= ends
        at = np.where(fits, at, ends)
        if op == step.LITERAL:
            fits &= starts_with(block, at, text)
            at = at + len(text)
        else:
            value, at, good, unsure = _READERS[op, number](block, at, ends)
            doubt |= fits & unsure
            fits &= good
            if column is not None:
                columns[column] = value
    return fits & (at == ends), doubt, columns
