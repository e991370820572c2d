"""Graphs in JSON files: those of ``atc --mode=1`` and those of an OM2, opened alone.

The JSON of atc is the text of a ge_proto dump in other brackets: maps are lists of key and value, bytes are escaped as
there, enums are words. So a message of it becomes the fields that a dump would have, and the reader of dumps does the
rest; an own reader would have its own idea of each attribute.

Source: spec/formats.md 2, 4.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from getrace.dumps.ge_proto_attrs import read_attr
from getrace.dumps.ge_proto_reader import read_op
from getrace.dumps.linking import RawNode, link_all
from getrace.dumps.node_budget import NodeBudget
from getrace.dumps.om2_json import Json, read_graphs
from getrace.dumps.snapshot import AttrValue, GraphSnapshot
from getrace.dumps.text_proto import MAX_DEPTH, Field, Syntax, is_quoted, quote
from getrace.dumps.text_source import TextSource, text_of_bytes, text_of_file
from getrace.errors import InputError

VISUAL = "ge_visual_json"

MAX_DOCUMENT = 32 << 20
"""Bytes of a document; one escaped letter makes a text four times as large in memory."""

MAX_LETTERS = 12 << 20
"""Bytes of a document that is not in ASCII, for the same reason."""

MOST_VALUES = 1_000_000
"""Values of a document, counted by the signs between them: each takes some 80 bytes of memory. A real one has ten or
twenty bytes of text for each."""

MOST_FIELDS = 1 << 18
"""Fields and list items of one operator, all of which are in memory at once."""

_SIGNS = (b",", b"[", b"{", b":")
_NESTED = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)

_WORDS = frozenset({"dt", "dtype", "val_type", "f", "list_f"})
"""Fields whose texts stand without quotes in a dump: enums, and numbers that atc writes as texts."""


@dataclass(frozen=True, slots=True)
class _Place(Syntax):
    """Errors name the operator; a document has lines only for those who lay it out so."""

    def error(self, message: str, line: int) -> InputError:
        """Make an error that names the file and the operator, by its place in the document."""
        where = f", operator {line}" if line else ""
        return InputError(f"{self.source}{where}: {message}", "the file is cut or is not what atc --mode=1 writes")


def read_graph_json(path: Path) -> GraphSnapshot:
    """Read a file, plain or gzip. Raises InputError, naming the file and the operator, when it holds no graphs."""
    try:
        return _read(text_of_file(path), _Place(str(path), "JSON"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}", "check the path and its rights") from error


def parse_graph_json(content: bytes, source: str) -> GraphSnapshot:
    """Read a document from bytes. ``source`` names it in errors. Raises InputError as ``read_graph_json``."""
    return _read(text_of_bytes(content, source), _Place(source, "JSON"))


def _read(text: TextSource, place: _Place) -> GraphSnapshot:
    checked = Json(place)
    document = checked.mapping(_load(text, place), "the document")
    if document.get("format") == VISUAL:
        return read_graphs(checked, checked.mapping(document.get("model"), "model"))
    names: list[str] = []
    groups: list[list[RawNode]] = []
    attrs: list[dict[str, AttrValue]] = []
    budget = NodeBudget(place, text.given)
    number = 0
    for graph in checked.items(document.get("graph"), "graph"):
        budget.count_graph(number)
        about = checked.mapping(graph, "a graph")
        names.append(checked.text(about.get("name", ""), "a graph's name"))
        ops = [checked.mapping(op, "an operator") for op in checked.items(about.get("op"), "op")]
        groups.append([budget.count(_read_op(place, op, at)) for at, op in enumerate(ops, number + 1)])
        number += len(ops)
        own = _Fields(place, 0).of({"attr": checked.items(about.get("attr"), "attr")})
        attrs.append(dict(read_attr(place, field) for field in own))
    linked = link_all(place, zip(names, groups, strict=True), "")
    owned = dict(zip(names, attrs, strict=True))
    return replace(linked, graphs={name: replace(graph, attrs=owned[name]) for name, graph in linked.graphs.items()})


def _read_op(place: _Place, op: dict[str, Any], at: int) -> RawNode:
    return read_op(place, Field("op", list(_Fields(place, at).of(op)), at))


def _load(text: TextSource, place: _Place) -> Any:
    if text.size > MAX_DOCUMENT:
        raise place.error(f"the document has more than {MAX_DOCUMENT >> 20} MiB", 0)
    with text.open() as file:
        content = file.read()
    values = sum(map(content.count, _SIGNS))
    if values > MOST_VALUES:
        raise place.error(f"the document has {values} values, more than {MOST_VALUES}", 0)
    if not content.isascii() and len(content) > MAX_LETTERS:
        raise place.error(f"a document of more than {MAX_LETTERS >> 20} MiB is not in ASCII, as atc writes it", 0)
    try:
        return json.loads(content)
    except RecursionError:
        raise place.error(f"lists and objects are nested too deep at offset {_depth_at(content)}", 0) from None
    except json.JSONDecodeError as error:
        raise place.error(f"this is no JSON: {error}", 0) from None
    except ValueError as error:  # letters that are not UTF-8, or digits without end
        raise place.error(f"this is no JSON: {str(error).partition(';')[0]}", 0) from None


def _depth_at(content: bytes) -> int:
    """Give the offset of the bracket at which the deepest nesting that is read begins to be passed."""
    depth = 0
    for found in _NESTED.finditer(content):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
        if depth > MAX_DEPTH:
            return found.start()
    return len(content)


class _Fields:
    """The fields of one operator, as a dump has them: a list as a field for each item, null as an empty message."""

    def __init__(self, place: _Place, at: int) -> None:
        self._place = place
        self._at = at
        self._left = MOST_FIELDS

    def of(self, message: dict[str, Any], depth: int = 0) -> Iterator[Field]:
        """Give the fields of a message. Raises InputError for too many, too deep ones, and a list in a list."""
        if depth >= MAX_DEPTH:
            raise self._place.error(f"messages are nested more than {MAX_DEPTH} deep", self._at)
        for name, value in message.items():
            items = value if isinstance(value, list) else [value]
            self._left -= len(items)
            if self._left < 0:
                raise self._place.error(f"one operator has more than {MOST_FIELDS} fields", self._at)
            for item in items:
                yield Field(name, self._value(name, item, depth), self._at)

    def _value(self, name: str, item: Any, depth: int) -> str | list[Field]:
        if isinstance(item, dict):
            return list(self.of(item, depth + 1))
        if isinstance(item, list):
            raise self._place.error(f"'{name}' is a list of lists", self._at)
        return [] if item is None else _spelled(name, item)


def _spelled(name: str, value: str | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    if name in _WORDS:
        return value
    # What was bytes is escaped by atc; a text that only looks so is none of its.
    escaped = f'"{value}"'
    return escaped if name in ("s", "bt") and is_quoted(escaped) else quote(value)
