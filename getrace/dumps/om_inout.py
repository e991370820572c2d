"""MODEL_INOUT_INFO: what a model takes and gives, to records and back. It spares a tool the whole MODEL_DEF.

Source: spec/formats.md 1.9.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from getrace.dumps.om_cursor import Cursor, encoded
from getrace.dumps.om_table import Partition

_HEAD = struct.Struct("<II")
_NUMBER = struct.Struct("<I")
_TENSOR = struct.Struct("<QiiIIII")
INPUTS, OUTPUTS = 0, 1


@dataclass(frozen=True, slots=True)
class OmTensor:
    """An input or output: bytes (0: not known), ``ge::Format`` and ``ge::DataType`` numbers, shape; -1 is unknown.

    ``dims_v2`` is the shape after AIPP, ``ranges`` has one (least, most) pair per dimension where the model says it.
    """

    name: str
    size: int
    format: int
    dtype: int
    dims: tuple[int, ...]
    dims_v2: tuple[int, ...] = ()
    ranges: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class InOut:
    """The whole list; ``others`` are the gears of a dynamic model as (type, bytes), in file order."""

    inputs: tuple[OmTensor, ...] = ()
    outputs: tuple[OmTensor, ...] = ()
    others: tuple[tuple[int, bytes], ...] = ()


def read_inout(partition: Partition, source: str) -> InOut:
    """Read the list. Raises InputError, with the offset, for a length or number that cannot be."""
    cursor = Cursor(partition.content, source, partition.offset)
    sides: dict[int, tuple[OmTensor, ...]] = {INPUTS: (), OUTPUTS: ()}
    others = []
    while not cursor.is_done:
        kind, size = cursor.unpack(_HEAD)
        begin = partition.offset + cursor.at
        value = cursor.take(size)
        if kind in sides:
            sides[kind] = tuple(_tensors(Cursor(value, source, begin)))
        else:
            others.append((kind, bytes(value)))
            cursor.count(len(others), 0)
    return InOut(sides[INPUTS], sides[OUTPUTS], tuple(others))


def _tensors(cursor: Cursor) -> Iterator[OmTensor]:
    (number,) = cursor.unpack(_NUMBER)
    for _ in range(cursor.count(number, _TENSOR.size)):
        size, layout, dtype, name, dims, dims_v2, ranges = cursor.unpack(_TENSOR)
        text = cursor.text(name)
        shape, shape_v2 = _numbers(cursor, dims), _numbers(cursor, dims_v2)
        ends = _numbers(cursor, ranges)
        if len(ends) % 2:
            raise cursor.error(f"the ranges of '{text}' are no pairs")
        yield OmTensor(text, size, layout, dtype, shape, shape_v2, tuple(zip(ends[::2], ends[1::2], strict=True)))


_MOST_DIMS = 1024


def _numbers(cursor: Cursor, size: int) -> tuple[int, ...]:
    if size % 8 or size > 8 * _MOST_DIMS:
        raise cursor.error(f"{size} bytes are no shape")
    return struct.unpack(f"<{size // 8}q", cursor.take(size))


def inout_bytes(inout: InOut) -> bytes:
    """Write the list: inputs, outputs, the rest."""
    sides = ((INPUTS, inout.inputs), (OUTPUTS, inout.outputs))
    values = [(kind, _NUMBER.pack(len(side)) + b"".join(map(_tensor_bytes, side))) for kind, side in sides]
    return b"".join(_HEAD.pack(kind, len(value)) + value for kind, value in (*values, *inout.others))


def _tensor_bytes(tensor: OmTensor) -> bytes:
    name = encoded(tensor.name)
    ends = [end for pair in tensor.ranges for end in pair]
    lists = [struct.pack(f"<{len(row)}q", *row) for row in (tensor.dims, tensor.dims_v2, ends)]
    head = _TENSOR.pack(tensor.size, tensor.format, tensor.dtype, len(name), *map(len, lists))
    return b"".join((head, name, *lists))
