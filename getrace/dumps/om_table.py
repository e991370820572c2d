"""The partition table of an OM: which payload follows, in two forms, to slices of the file and back.

Payloads lie end to end in row order; the offsets in the rows are held against that and never trusted. A slice is a
view of the file's memory map: nothing is read before somebody looks.

Source: spec/formats.md 1.4.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from getrace.errors import InputError

MOST_ROWS = 8
MOST_FLOW_ROWS = 4096
_SMALL_LIMIT = 1 << 32
_HINT = "copy the file again, or make it again with atc"


class Part(IntEnum):
    """What a partition holds."""

    MODEL_DEF = 0
    WEIGHTS_DATA = 1
    TASK_INFO = 2
    TBE_KERNELS = 3
    CUST_AICPU_KERNELS = 4
    SO_BINS = 5
    FLOW_MODEL = 6
    FLOW_SUBMODEL = 7
    MODEL_INOUT_INFO = 8
    STATIC_TASK_DESC = 9
    DYNAMIC_TASK_DESC = 10
    TASK_PARAM = 11
    TILING_DATA = 12
    PRE_MODEL_DESC = 20
    PRE_MODEL_SQE = 21
    PRE_KERNEL_ARGS = 22
    PRE_MODEL_DESC_EXTEND = 23
    BUNDLE_MODEL_INFO = 24
    BUNDLE_MODEL_VAR_INFO = 25
    CUSTOM_OPS = 26


@dataclass(frozen=True, slots=True)
class Partition:
    """A payload: its number (a ``Part``, or one newer than this list), its bytes, and their offset in the file."""

    part: int
    content: memoryview
    offset: int = field(default=0, compare=False)

    @property
    def name(self) -> str:
        """Its name in GE, its number when it has none."""
        return Part(self.part).name if self.part in _KNOWN else f"partition {self.part}"


_KNOWN = frozenset(Part)


@dataclass(frozen=True, slots=True)
class Form:
    """How a table is laid out: the struct of its head, whose first field is the number of rows, and of a row."""

    head: struct.Struct
    row: struct.Struct

    def size(self, rows: int) -> int:
        """Bytes of a table."""
        return self.head.size + rows * self.row.size


NARROW = Form(struct.Struct("<I"), struct.Struct("<iII"))
WIDE = Form(struct.Struct("<I4x"), struct.Struct("<i4xQQ"))


@dataclass(frozen=True, slots=True)
class Block:
    """A table with its payloads, and where the next one begins.

    ``warnings`` are sentences on rows with another offset, or of a type that GE does not have.
    """

    partitions: tuple[Partition, ...]
    end: int
    warnings: tuple[str, ...] = ()


def read_block(content: memoryview, at: int, form: Form, most: int, source: str) -> Block:
    """Read the table at ``at`` and slice its payloads.

    Raises InputError, with the offset, for a table without rows or with more than ``most``, and for one that runs past
    the end of the file.
    """
    if at + form.head.size > len(content):
        raise InputError(f"{source}, offset {at}: do not get the complete model, the file ends in a table", _HINT)
    rows = form.head.unpack_from(content, at)[0]
    if not 0 < rows <= most or at + form.size(rows) > len(content):
        raise InputError(f"{source}, offset {at}: Invalid om file. A table of {rows} partitions", _HINT)
    begin = place = at + form.size(rows)
    partitions, warnings = [], []
    for row in range(rows):
        where = at + form.size(row)
        part, offset, size = form.row.unpack_from(content, where)
        if size > len(content) - place:
            raise InputError(
                f"{source}, offset {where}: do not get the complete model, read end offset:{place + size}, the file "
                f"has {len(content)} bytes",
                _HINT,
            )
        found = Partition(part, content[place : place + size], place)
        if offset != place - begin:
            warnings.append(f"{source}, offset {where}: {found.name} lies at {place - begin}, its row says {offset}")
        if part not in _KNOWN:
            warnings.append(
                f"{source}, offset {where}: GE has no partition of type {part}; its {size} bytes are not read"
            )
        partitions.append(found)
        place += size
    return Block(tuple(partitions), place, tuple(warnings))


def table_bytes(partitions: Sequence[Partition], form: Form, base: int = 0) -> bytes:
    """Write the table of partitions whose payloads follow end to end; ``base`` is added to the offsets.

    Raises InputError for a payload that the form cannot describe.
    """
    rows, place = [form.head.pack(len(partitions))], base
    for partition in partitions:
        size = len(partition.content)
        if form is NARROW and place + size >= _SMALL_LIMIT:
            raise InputError(f"{partition.name} is too large for the small table", "write the wide one")
        rows.append(form.row.pack(partition.part, place, size))
        place += size
    return b"".join(rows)
