"""One line of a ge_readable dump, taken apart (spec/formats.md 3.5).

Names may hold any character, so a line is cut at the words around them, from the outside, in time linear in its length:
a file of strangers must not find the line that takes an hour.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from getrace.dumps.snapshot import AttrValue

SEPARATOR = ", "
MAX_ITEMS = 1 << 17
"""Inputs, attributes and items of lists in one line, counted by their separators; GE's lines have some dozens."""

_USERS = re.compile(r"#?users=(\d{1,9})\] = ")
_OUTPUT = re.compile(r"(\d{1,9})\)\Z")
_INPUT = re.compile(r"(?:(?P<label>[^=%]+)=)?%(?P<value>.+)\Z", re.DOTALL)
_ATTR = re.compile(r"(?P<key>[A-Za-z_][\w.]*): (?P<value>.*)\Z", re.DOTALL)
_WORDS: dict[str, AttrValue] = {"true": True, "false": False, "<empty>": ()}
_NODE, _ELEMENT, _RETURN = "Node[type=", "get_element[node=%", "return ("
_INPUTS, _ATTRS, _BOTH = "inputs = (", "attrs = {", "), attrs = {"


class Input(NamedTuple):
    """An input: its label, "" without one, and the name of the value."""

    label: str
    value: str


class NodeLine(NamedTuple):
    """A node: name, type, number of outputs, inputs, and attributes as they are written."""

    name: str
    type: str
    outputs: int
    inputs: list[Input]
    attrs: list[tuple[str, str]]


class ElementLine(NamedTuple):
    """One of several outputs of a node gets a name of its own."""

    name: str
    node: str
    output: int


class ReturnLine(NamedTuple):
    """The outputs of a graph."""

    inputs: list[Input]


class GraphLine(NamedTuple):
    """The line above the nodes of a graph."""

    name: str


Line = GraphLine | NodeLine | ElementLine | ReturnLine


def read_line(text: str) -> Line | None:
    """Take a line apart; None when it is none of this format."""
    if text.startswith('graph("') and text.endswith('"):'):
        return GraphLine(text[len('graph("') : -len('"):')])
    if text.startswith(_RETURN) and text.endswith(")"):
        return ReturnLine(_read_inputs(text[len(_RETURN) : -1]))
    name, _, rest = text.partition(" : [")
    users = _USERS.match(rest)
    if users is None or not name.startswith("%"):
        return None
    call = rest[users.end() :]
    if call.startswith(_ELEMENT):
        node, _, end = call.removeprefix(_ELEMENT).rpartition("](")
        output = _OUTPUT.match(end)
        return ElementLine(name[1:], node, int(output[1])) if output else None
    kind, opened, arguments = call.removeprefix(_NODE).partition("] (")
    if not call.startswith(_NODE) or not opened or not arguments.endswith(")"):
        return None
    parts = _read_arguments(arguments[:-1])
    return None if parts is None else NodeLine(name[1:], kind, int(users[1]), *parts)


def read_attr(text: str) -> AttrValue:
    """Read the text of an attribute; what is cut or of no known kind stays a text."""
    if text in _WORDS:
        return _WORDS[text]
    if text.startswith("[") and text.endswith("]") and "..." not in text and "[" not in text[1:]:
        return tuple(read_attr(item) for item in text[1:-1].split(SEPARATOR))
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _read_arguments(text: str) -> tuple[list[Input], list[tuple[str, str]]] | None:
    """Read ``inputs = (...), attrs = {...}``, either of which may be missing."""
    inputs, attrs = "", ""
    if text.startswith(_INPUTS):
        inputs, both, attrs = text.removeprefix(_INPUTS).partition(_BOTH)
        if not both:
            if not inputs.endswith(")"):
                return None
            return _read_inputs(inputs[:-1]), []
    elif text.startswith(_ATTRS):
        attrs = text.removeprefix(_ATTRS)
    elif not text:
        return [], []
    if not attrs.endswith("}"):
        return None
    return _read_inputs(inputs), [
        (found["key"], found["value"]) for item in _split(attrs[:-1], _ATTR) if (found := _ATTR.match(item))
    ]


def _read_inputs(text: str) -> list[Input]:
    found = (_INPUT.match(item) for item in _split(text, _INPUT))
    return [Input(match["label"] or "", match["value"]) for match in found if match is not None]


def _split(text: str, begins: re.Pattern[str]) -> Iterator[str]:
    """Split at commas, but not within a name or a list: a piece that begins nothing belongs to the one before."""
    pieces: list[str] = []
    for piece in text.split(SEPARATOR) if text else ():
        if pieces and begins.match(piece):
            yield SEPARATOR.join(pieces)
            pieces = []
        pieces.append(piece)
    if pieces:
        yield SEPARATOR.join(pieces)
