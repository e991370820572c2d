"""Graphs in JSON files: those of ``atc --mode=1`` and those of an OM2, opened alone.

The JSON of atc is the text of a ge_proto dump in other brackets: maps are lists of key and value, bytes are escaped as
there, enums are words. So a message of it becomes the fields that a dump would have, and the reader of dumps does the
rest; an own reader would have its own idea of each attribute.

Source: spec/formats.md 2, 4.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from getrace.dumps.ge_proto_attrs import read_attr
from getrace.dumps.ge_proto_reader import read_op
from getrace.dumps.linking import RawNode, link_all
from getrace.dumps.om2_json import Json, read_graphs
from getrace.dumps.snapshot import AttrValue, GraphSnapshot
from getrace.dumps.text_proto import MAX_DEPTH, Field, Syntax, is_quoted, quote
from getrace.dumps.text_source import TextSource, text_of_bytes, text_of_file
from getrace.errors import InputError

VISUAL = "ge_visual_json"

BYTES_PER_VALUE = 80
"""Memory that a value of a document takes, and its place in a list or object."""

ROOM = 150 << 20
"""Bytes that the values of any document may take; a larger document may have its own size more."""

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
    number = 0
    for graph in checked.items(document.get("graph"), "graph"):
        about = checked.mapping(graph, "a graph")
        names.append(checked.text(about.get("name", ""), "a graph's name"))
        ops = [checked.mapping(op, "an operator") for op in checked.items(about.get("op"), "op")]
        groups.append(
            [read_op(place, Field("op", list(_fields(place, op, at)), at)) for at, op in enumerate(ops, number + 1)]
        )
        number += len(ops)
        own = _fields(place, {"attr": checked.items(about.get("attr"), "attr")}, 0)
        attrs.append(dict(read_attr(place, field) for field in own))
    linked = link_all(place, zip(names, groups, strict=True), "")
    owned = dict(zip(names, attrs, strict=True))
    return replace(linked, graphs={name: replace(graph, attrs=owned[name]) for name, graph in linked.graphs.items()})


def _load(text: TextSource, place: _Place) -> Any:
    with text.open() as file:
        content = file.read()
    values = sum(content.count(sign) for sign in (b",", b"[", b"{", b":"))
    if values * BYTES_PER_VALUE > ROOM + len(content):
        raise place.error(f"the document has {values} values, more than its size allows", 0)
    try:
        return json.loads(content)
    except RecursionError:
        raise place.error("lists and objects are nested too deep", 0) from None
    except ValueError as error:
        raise place.error(f"this is no JSON: {error}", 0) from None


def _fields(place: _Place, message: dict[str, Any], at: int, depth: int = 0) -> Iterator[Field]:
    """Give a message's fields as a dump has them: a list as a field for each item, null as an empty message."""
    if depth >= MAX_DEPTH:
        raise place.error(f"messages are nested more than {MAX_DEPTH} deep", at)
    for name, value in message.items():
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, dict):
                yield Field(name, list(_fields(place, item, at, depth + 1)), at)
            elif item is None:
                yield Field(name, [], at)
            elif isinstance(item, list):
                raise place.error(f"'{name}' is a list of lists", at)
            else:
                yield Field(name, _spelled(name, item), at)


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
