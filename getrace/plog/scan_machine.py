"""Following the programs of many messages at once: each step for all messages, whatever their rows are.

Messages of one row alone would be few in a block, and a numpy call costs as much for ten of them as for a thousand.
"""

import numpy as np
import numpy.typing as npt

from getrace.plog.scan_fields import READERS
from getrace.plog.scan_plan import EVENT_NAMES, HEADS, LITERAL_WORDS, Plan, keys_of, plan, plan_texts, slots_of
from getrace.plog.scan_rows import ASK, LITERAL, STOP
from getrace.plog.words import Mask, Padded, Places, Words, starts_with

_FEW = 24  # messages for which asking the table costs less than another round
_MANY = 400  # messages of one program that are worth calls of their own

Rows = npt.NDArray[np.intp]


class Claims:
    """What programs claimed of some messages: ``rule`` (0: not claimed) and ``kind``, ``asked`` for the table, values.

    ``values`` has for a column the messages that have a value, and the values, in parts.
    """

    def __init__(self, count: int) -> None:
        self.rule = np.zeros(count, np.int64)
        self.kind = np.zeros(count, np.int64)
        self.asked = np.zeros(count, np.bool_)
        self.values: dict[str, list[tuple[Rows, Places]]] = {}

    def put(self, column: int, rows: Rows, values: Places) -> None:
        """Set the values of a column of EVENT_NAMES."""
        self.values.setdefault(EVENT_NAMES[column], []).append((rows, values))


def claim(block: Padded, at: Places, ends: Places, which: Places) -> Claims:
    """Find the program of each message that fits it."""
    claims, table = Claims(len(at)), plan()
    first, second = block.words[at], block.words[at + 8]
    firsts = np.stack([_first_programs(table, keys_of(first, second, which, size)) for size in HEADS])
    rows, program, heads = _next_heads(firsts, np.arange(len(at)), np.zeros(len(at), np.int64))
    while len(rows) > _FEW:
        fits = _follow(claims, table, block, _Messages(rows, program, at[rows], ends[rows]))
        more = program < table.last[program]
        again = np.flatnonzero(~fits & more)
        over = np.flatnonzero(~fits & ~more)
        next_rows, next_program, next_heads = _next_heads(firsts, rows[over], heads[over] + 1)
        rows = np.concatenate((rows[again], next_rows))
        program, heads = np.concatenate((program[again] + 1, next_program)), np.concatenate((heads[again], next_heads))
    claims.asked[rows] = True
    return claims


def _next_heads(firsts: Places, rows: Rows, heads: Places) -> tuple[Rows, Places, Places]:
    """Give the rows that have programs in one of the classes of heads from ``heads`` on: rows, programs, classes."""
    program = np.full(len(rows), -1, np.int64)
    for size in range(len(HEADS)):
        open_still = (program < 0) & (heads <= size)
        program = np.where(open_still, firsts[size, rows], program)
        heads = np.where(open_still, size, heads)
    found = np.flatnonzero(program >= 0)
    return rows[found], program[found], heads[found]


def _follow(claims: Claims, table: Plan, block: Padded, messages: "_Messages") -> Mask:
    """Let each message follow its program; gives which fit."""
    counts = np.bincount(messages.program)
    fits = np.zeros(len(messages.rows), np.bool_)
    for program in np.flatnonzero(counts >= _MANY).tolist():
        mine = np.flatnonzero(messages.program == program)
        fits[mine] = _follow_one(claims, table, block, messages.of(mine), program)
    mine = np.flatnonzero(counts[messages.program] < _MANY)
    if len(mine):
        fits[mine] = _follow_each(claims, table, block, messages.of(mine))
    return fits


def _first_programs(table: Plan, keys: Words) -> Places:
    """Give the first program of each key, -1 where there is none."""
    slots = slots_of(keys)
    held = table.slot_keys[slots]
    found = np.where(held == keys, table.slot_first[slots].astype(np.int64), -1)
    going = np.flatnonzero((held != 0) & (held != keys))
    while len(going):
        slots[going] = (slots[going] + 1) % len(table.slot_keys)
        held = table.slot_keys[slots[going]]
        same = held == keys[going]
        found[going[same]] = table.slot_first[slots[going[same]]]
        going = going[(held != 0) & ~same]
    return found


class _Messages:
    """Messages on their way through their programs: ``rows`` of the claims, ``program``, and how far they are."""

    def __init__(self, rows: Rows, program: Places, at: Places, ends: Places) -> None:
        self.rows, self.program, self.at, self.ends = rows, program, at, ends
        self.values: list[tuple[Rows, npt.NDArray[np.int8], Places]] = []
        self.fits = np.zeros(len(rows), np.bool_)

    def of(self, chosen: Rows) -> "_Messages":
        """Give some of the messages, at their beginnings."""
        return _Messages(self.rows[chosen], self.program[chosen], self.at[chosen], self.ends[chosen])


def _follow_one(claims: Claims, table: Plan, block: Padded, messages: _Messages, program: int) -> Mask:
    """Follow one program with many messages; gives which fit, and puts down what they say."""
    at, ends = messages.at, messages.ends
    fits = np.ones(len(at), np.bool_)
    values: list[tuple[int, Places]] = []
    for number, op in enumerate(table.ops[program].tolist()):
        column, literal = int(table.columns[program, number]), table.literals[program, number]
        # what failed may point anywhere: it reads on harmlessly at the end of its message
        fits &= at <= ends
        at = np.where(fits, at, ends)
        if op in (STOP, ASK) or not fits.any():
            break
        if op == LITERAL:
            fits &= starts_with(block, at, plan_texts()[literal])
            at = at + table.sizes[literal]
        else:
            value, at, good, unsure = READERS[op](block, at, ends, column >= 0)
            claims.asked[messages.rows[fits & unsure]] = True
            fits &= good
            if column >= 0:
                values.append((column, value))
    if op == ASK:
        claims.asked[messages.rows[fits]] = True
        return np.zeros(len(at), np.bool_)
    fits &= at == ends
    rows = messages.rows[fits]
    claims.rule[rows], claims.kind[rows] = table.rules[program], table.kinds[program]
    for column, value in values:
        claims.put(column, rows, value[fits])
    return fits


def _follow_each(claims: Claims, table: Plan, block: Padded, messages: _Messages) -> Mask:
    """Follow programs to their ends, step after step for all messages; gives which fit, puts down what they say."""
    going = np.arange(len(messages.rows))
    number = 0
    while len(going):
        ops = table.ops[messages.program[going], number]
        failed = np.zeros(len(messages.rows), np.bool_)
        for op in np.flatnonzero(np.bincount(ops)).tolist():
            mine = going[ops == op]
            if op == STOP:
                messages.fits[mine] = messages.at[mine] == messages.ends[mine]
                failed[mine] = True
            elif op == ASK:
                claims.asked[messages.rows[mine]] = True
                failed[mine] = True
            elif op == LITERAL:
                _literal(table, block, messages, mine, failed, number)
            else:
                _field(claims, table, block, messages, mine, failed, (op, number))
        going = going[~failed[going] & (messages.at <= messages.ends)[going]]
        number += 1
    _put_down(claims, table, messages)
    return messages.fits


def _literal(table: Plan, block: Padded, messages: _Messages, mine: Rows, failed: Mask, number: int) -> None:
    literal = table.literals[messages.program[mine], number]
    found = block.windows(messages.at[mine])[:, :LITERAL_WORDS] & table.keeps[literal]
    failed[mine] = (found != table.texts[literal]).any(axis=1)
    messages.at[mine] += table.sizes[literal]


def _field(
    claims: Claims,
    table: Plan,
    block: Padded,
    messages: _Messages,
    mine: Rows,
    failed: Mask,
    step: tuple[int, int],
) -> None:
    op, number = step
    column = table.columns[messages.program[mine], number]
    wanted = bool((column >= 0).any())
    value, behind, good, unsure = READERS[op](block, messages.at[mine], messages.ends[mine], wanted)
    failed[mine] = ~good
    messages.at[mine] = np.where(good, behind, messages.at[mine])
    claims.asked[messages.rows[mine[unsure]]] = True
    if wanted:
        messages.values.append((mine, column, value))


def _put_down(claims: Claims, table: Plan, messages: _Messages) -> None:
    fitting = messages.rows[messages.fits]
    program = messages.program[messages.fits]
    claims.rule[fitting], claims.kind[fitting] = table.rules[program], table.kinds[program]
    for mine, columns, values in messages.values:
        chosen = messages.fits[mine] & (columns >= 0)
        for column in np.flatnonzero(np.bincount(columns[chosen])).tolist():
            of_column = chosen & (columns == column)
            claims.put(column, messages.rows[mine[of_column]], values[of_column])
