"""Reads an ONNX file into records, by walking its bytes: no library, nothing executed, elements stay where they lie.

It owns the field numbers of ONNX and the limits of a file. The ``onnx`` package reads such files, too, but names no
offset in a broken one, unpacks everything at once, and takes ten times the file for one that is made to be large.

Source: onnx.proto3 of the ONNX project (field numbers); spec/formats.md, sniffing table and 5.
"""

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from getrace.dumps.onnx_model import (
    DEFAULT_DOMAIN,
    AttrItem,
    OnnxAttr,
    OnnxGraph,
    OnnxModel,
    OnnxNode,
    OnnxOther,
    OnnxTensor,
    OnnxValue,
)
from getrace.dumps.wire import FIXED32, LENGTH, VARINT, Wire, signed
from getrace.errors import InputError

MAX_VALUES: Final = 1_000_000
"""Fields and list items of a file; beyond it the records alone would outgrow the memory a reader may take."""

MAX_NODES: Final = 100_000
MAX_DEPTH: Final = 32
"""Nodes of a file, and graphs inside graphs."""

_T = TypeVar("_T")


class Field(NamedTuple):
    """A field as the wire gives it, with names: of a varint ``start`` is the value."""

    number: int
    kind: int
    start: int
    stop: int


class _Attr(NamedTuple):
    """Where an attribute of a type lies (``AttributeProto.AttributeType``): its field, and whether it is a list."""

    number: int
    is_list: bool


_ATTRS: Final = {
    1: _Attr(2, False),
    2: _Attr(3, False),
    3: _Attr(4, False),
    4: _Attr(5, False),
    5: _Attr(6, False),
    6: _Attr(7, True),
    7: _Attr(8, True),
    8: _Attr(9, True),
    9: _Attr(10, True),
    10: _Attr(11, True),
}
_TOP: Final = {1: VARINT, 5: VARINT, **dict.fromkeys((2, 3, 4, 6, 7, 8, 14, 20, 25, 26), LENGTH)}
"""Fields of a model and their wire types."""

_TENSOR_LISTS: Final = frozenset({4, 5, 7, 10, 11})
_EXTERNAL: Final = 1


def is_onnx(start: bytes) -> bool:
    """Whether a file that begins so is an ONNX model: a version first, then a graph or a list of versions.

    A graph may be longer than what is given; what comes before it is not.
    """
    wire = Wire(start, "")
    at, seen = 0, set()
    while at < len(start):
        try:
            tag, at = wire.varint(at, len(start))
            value, behind = wire.varint(at, len(start))
        except InputError:
            return False
        number, kind = tag >> 3, tag & 7
        if _TOP.get(number) != kind:
            return False
        seen.add(number)
        if number in (7, 8):
            return 1 in seen
        at = behind if kind == VARINT else behind + value
    return False


def read_onnx(path: Path) -> OnnxModel:
    """Read a model. Raises InputError, with the offset, for a file that is cut, broken, too large or no model."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", "check the path") from error
    return parse_onnx(content, str(path))


def parse_onnx(content: bytes, source: str) -> OnnxModel:
    """Read the bytes of a model; ``source`` names them in errors, which are those of ``read_onnx``."""
    wire = _FileWire(content, source)
    wire.left = MAX_VALUES
    return _Reader(wire).model()


class _FileWire(Wire):
    """The bytes of a whole file, with one allowance for all of it."""

    __slots__ = ()

    def count(self, values: int, at: int) -> None:
        """Take values from the allowance. Raises InputError when it is used up."""
        self.left -= values
        if self.left < 0:
            raise self.error(f"the model has more than {MAX_VALUES} fields and list items", at)


class _Reader:
    """One walk over a file; where a field should stand once, the last one counts."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._view = memoryview(wire.data)
        self._names: dict[str, str] = {}
        self._nodes = 0

    def model(self) -> OnnxModel:
        fields = self._fields(0, self._wire.size)
        graph = _last(fields, 7, LENGTH)
        if graph is None:
            raise self._wire.error("the model has no graph", 0)
        opsets = dict(self._each(fields, 8, self._opset))
        version = self._number(fields, 1)
        return OnnxModel(version, self._text(fields, 2), opsets, self._graph(graph, MAX_DEPTH))

    def _graph(self, place: Field, depth: int) -> OnnxGraph:
        if depth == 0:
            raise self._wire.error(f"graphs lie in graphs, {MAX_DEPTH} deep", place.start)
        fields = self._inside(place)
        nodes = self._each(fields, 1, lambda field: self._node(field, depth))
        inputs, outputs = self._each(fields, 11, self._value), self._each(fields, 12, self._value)
        if _last(fields, 15, LENGTH) is not None:
            raise self._wire.error(
                "the graph has sparse constants, which Ascend's front end does not know", place.start
            )
        described = (*self._each(fields, 13, self._value), *inputs, *outputs)
        return OnnxGraph(
            self._text(fields, 2),
            nodes,
            self._each(fields, 5, self._tensor),
            inputs,
            outputs,
            {value.name: value for value in described},
        )

    def _node(self, place: Field, depth: int) -> OnnxNode:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self._wire.error(f"the model has more than {MAX_NODES} nodes", place.start)
        fields = self._inside(place)
        return OnnxNode(
            self._text(fields, 4),
            self._text(fields, 3),
            self._text(fields, 7) or DEFAULT_DOMAIN,
            self._each(fields, 1, self._name),
            self._each(fields, 2, self._name),
            dict(self._each(fields, 5, lambda field: self._attr(field, depth))),
            place.start,
        )

    def _attr(self, place: Field, depth: int) -> tuple[str, OnnxAttr]:
        fields = self._inside(place)
        said, name = self._number(fields, 20), self._text(fields, 1)
        kind = _ATTRS.get(said) or self._guessed(fields)
        if kind is None:
            return name, OnnxOther(said)
        items = [item for field in fields if field.number == kind.number for item in self._items(field, depth)]
        if kind.is_list:
            return name, tuple(items)
        return name, items[-1] if items else self._absent(kind, place)

    @staticmethod
    def _guessed(fields: Sequence[Field]) -> _Attr | None:
        """Files of the first year do not say the type: what is there tells it."""
        there = {field.number for field in fields}
        return next((kind for kind in _ATTRS.values() if kind.number in there), None)

    def _absent(self, kind: _Attr, place: Field) -> AttrItem:
        """A value that is 0, or empty, need not stand in the file; a tensor or a graph must."""
        zero: dict[int, AttrItem] = {2: 0.0, 3: 0, 4: ""}
        if kind.number not in zero:
            raise self._wire.error("an attribute has no value", place.start)
        return zero[kind.number]

    def _items(self, field: Field, depth: int) -> Sequence[AttrItem]:
        if field.number in (2, 7):
            return self._wire.floats(field) if field.kind in (FIXED32, LENGTH) else self._wrong(field)
        if field.number in (3, 8):
            return [signed(value) for value in self._wire.numbers(field)] if field.kind in (VARINT, LENGTH) else ()
        if field.kind != LENGTH:
            return self._wrong(field)
        if field.number in (4, 9):
            return [self._wire.text(field)]
        return [self._tensor(field) if field.number in (5, 10) else self._graph(field, depth - 1)]

    def _wrong(self, field: Field) -> Sequence[AttrItem]:
        raise self._wire.error(f"field {field.number} of an attribute has wire type {field.kind}", field.start)

    def _tensor(self, place: Field) -> OnnxTensor:
        fields = self._inside(place)
        raw = _last(fields, 9, LENGTH)
        outside = self._number(fields, 14) == _EXTERNAL
        dims = [signed(dim) for field in fields if field.number == 1 for dim in self._wire.numbers(field)]
        if any(dim < 0 for dim in dims):
            raise self._wire.error(f"tensor {self._text(fields, 8)!r} has a negative dimension", place.start)
        return OnnxTensor(
            self._text(fields, 8),
            tuple(dims),
            self._number(fields, 2),
            None if raw is None else self._view[raw.start : raw.stop],
            tuple(self._part(field) for field in fields if field.number in _TENSOR_LISTS),
            self._each(fields, 6, self._wire.content),
            dict(self._each(fields, 13, self._entry)) if outside else {},
            place.start,
        )

    def _part(self, field: Field) -> tuple[int, int, memoryview]:
        """A part of a list of numbers; a number that stands alone is written again as the list of one it is."""
        if field.kind == VARINT:
            return field.number, VARINT, memoryview(struct.pack("<Q", field.start))
        return field.number, field.kind, self._view[field.start : field.stop]

    def _value(self, place: Field) -> OnnxValue:
        fields = self._inside(place)
        name = self._name(_last(fields, 1, LENGTH))
        tensor = self._below(self._below(fields, 2), 1)
        shape = _last(tensor, 2, LENGTH)
        dims = None if shape is None else self._each(self._inside(shape), 1, self._dim)
        return OnnxValue(name, self._number(tensor, 1), dims)

    def _dim(self, place: Field) -> int:
        """A dimension: its number, or -1 for one that has a name or nothing (spec/formats.md 5.2)."""
        value = _last(self._inside(place), 1, VARINT)
        return -1 if value is None else max(signed(value.start), -1)

    def _opset(self, place: Field) -> tuple[str, int]:
        fields = self._inside(place)
        return self._text(fields, 1) or DEFAULT_DOMAIN, self._number(fields, 2)

    def _entry(self, place: Field) -> tuple[str, str]:
        fields = self._inside(place)
        return self._text(fields, 1), self._text(fields, 2)

    def _inside(self, place: Field) -> list[Field]:
        return self._fields(place.start, place.stop)

    def _fields(self, start: int, stop: int) -> list[Field]:
        return [Field(*field) for field in self._wire.fields(start, stop)]

    def _below(self, fields: Sequence[Field], number: int) -> Sequence[Field]:
        place = _last(fields, number, LENGTH)
        return () if place is None else self._inside(place)

    def _each(self, fields: Sequence[Field], number: int, read: Callable[[Field], _T]) -> tuple[_T, ...]:
        return tuple(read(field) for field in fields if field.number == number and field.kind == LENGTH)

    def _number(self, fields: Sequence[Field], number: int) -> int:
        found = _last(fields, number, VARINT)
        return 0 if found is None else signed(found.start)

    def _text(self, fields: Sequence[Field], number: int) -> str:
        found = _last(fields, number, LENGTH)
        return "" if found is None else self._wire.text(found)

    def _name(self, place: Field | None) -> str:
        """A name of a value: kept once, however often it stands in the file."""
        if place is None:
            return ""
        text = self._wire.text(place)
        return self._names.setdefault(text, text)


def _last(fields: Sequence[Field], number: int, kind: int) -> Field | None:
    return next((field for field in reversed(fields) if field.number == number and field.kind == kind), None)
