"""The address book of a launch: who made the memory at each address, and what else lies there.

A kernel that fails on an address fails because of who gave it: memory freed and given again before the kernel ran, an
output that is an input, an address that no allocation of the log shows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from getrace.analysis.block_columns import Block
from getrace.analysis.blocks import blocks
from getrace.analysis.kernels import executions
from getrace.events import Event
from getrace.events.launch import ArgsLayout, LaunchAddresses
from getrace.events.memory import ZeroCopy
from getrace.events.shapes import ShapesIn
from getrace.ids import split_kernel_name
from getrace.store.store import Store

_NEAR = 100_000
"""Rows around a launch in which its execution lies: other threads may write between its lines."""
_POINTER = 8
_BACK = 200
"""Records of shapes before a launch in which its operator is looked for."""


class Note(StrEnum):
    """What is remarkable about an address of a launch."""

    ALIAS = "stands more than once in the launch"
    REUSED = "given again after the launch, before the failure was seen"
    GONE = "its block had ended before the launch"
    ZERO_COPY = "the caller's own memory: zero copy takes effect"
    UNKNOWN = "no allocation in the log: of the caller (zero copy), a constant, or lost"


@dataclass(frozen=True, slots=True)
class Held:
    """One address of a launch: its index in the list (inputs first), its size where the log says it, its producer.

    ``row`` is the allocation's row and ``producer`` the kernel there; ``generation`` counts the lives of the address.
    """

    index: int
    address: int
    size: int | None
    producer: str | None = None
    row: int | None = None
    generation: int | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Book:
    """The addresses of one launch, and the row that prints them; ``inputs`` of them are inputs, None: not printed."""

    row: int
    held: tuple[Held, ...]
    inputs: int | None = None

    def name(self, index: int) -> str:
        """Name an address by its place: ``input 0``, ``output 1``; ``address 3`` where the layout is not printed."""
        if self.inputs is None:
            return f"address {index}"
        return f"input {index}" if index < self.inputs else f"output {index - self.inputs}"


def held_text(held: Held, say: Callable[..., str]) -> str:
    """Say an address in words for a person; ``say`` gives a sentence in the person's language."""
    made = f"{held.address:#x}"
    if held.producer:
        made = say("{address} from {producer}", address=made, producer=held.producer)
    return f"{made} ({', '.join(say(str(note)) for note in held.notes)})" if held.notes else made


def address_book(store: Store, launch: int, failure: int) -> Book | None:
    """Read the addresses of the execution that a launch row belongs to; None when it printed none.

    ``failure`` is the row at which the failure was seen: until then the device may have used the memory.
    """
    row = _row_of(store, launch, LaunchAddresses)
    event = None if row is None else store.event(row)
    if row is None or not isinstance(event, LaunchAddresses) or not event.addresses:
        return None
    pid = int(store.column("pid")[launch])
    lives = [life for life in blocks(store, set(event.addresses)) if life.pid == pid]
    sizes = event.sizes or ()
    held = tuple(
        _held(store, index, event.addresses, sizes[index] if index < len(sizes) else None, lives, (row, failure))
        for index in range(len(event.addresses))
    )
    return Book(row, held, _inputs(store, launch, len(held)))


def _inputs(store: Store, launch: int, count: int) -> int | None:
    """Count the inputs by the layout of the argument block, in which each takes a pointer (spec/kerneltrace.md 3.5)."""
    row = _row_of(store, launch, ArgsLayout)
    layout = None if row is None else store.event(row)
    inputs = layout.inputs_length // _POINTER if isinstance(layout, ArgsLayout) else _inferred_inputs(store, launch)
    return inputs if inputs is not None and inputs <= count else None


def _inferred_inputs(store: Store, launch: int) -> int | None:
    """Count the inputs that the operator's shape was inferred from last; the 2023 dialect prints no layout."""
    node = split_kernel_name(store.kernel(launch) or "").node
    rows = store.rows_of(ShapesIn)
    for row in rows[: np.searchsorted(rows, launch)][::-1][:_BACK].tolist():
        event = store.event(row)
        if node and split_kernel_name(store.kernel(row) or "").node == node and isinstance(event, ShapesIn):
            return len(event.original)
    return None


def _row_of(store: Store, launch: int, kind: type[Event]) -> int | None:
    """Give the row of a kind that belongs to the same execution of the same kernel."""
    near = store.rows_of(kind)
    near = near[np.abs(near - launch) < _NEAR]
    rows = np.array([launch, *near.tolist()], np.int64)
    ran = executions(store, slice(max(0, launch - 2 * _NEAR), launch + 2 * _NEAR))
    number = ran.of_rows(store, rows)
    same = rows[1:][(number[1:] == number[0]) & (number[0] >= 0)].tolist()
    return same[0] if same else None


def _held(
    store: Store, index: int, addresses: Sequence[int], size: int | None, lives: Sequence[Block], span: tuple[int, int]
) -> Held:
    address, (row, failure) = addresses[index], span
    own = [life for life in lives if life.addr == address]
    before = [life for life in own if life.alloc < row]
    notes = [Note.ALIAS] if addresses.count(address) > 1 else []
    if not before:
        given = _is_of_the_caller(store, address, row)
        return Held(index, address, size, notes=(*notes, Note.ZERO_COPY if given else Note.UNKNOWN))
    life = before[-1]
    if life.end is not None and life.end < row:
        notes.append(Note.GONE)
    if any(row < other.alloc < failure for other in own):
        notes.append(Note.REUSED)
    return Held(index, address, size, store.kernel(life.alloc), life.alloc, life.generation, tuple(notes))


def _is_of_the_caller(store: Store, address: int, row: int) -> bool:
    """Say whether an output was told before to lie in the memory that the process's caller gave."""
    told = store.rows_of(ZeroCopy)
    same = (store.at("addr", told) == address) & (store.column("pid")[told] == store.column("pid")[row])
    return bool(np.any(same & (told < row)))
