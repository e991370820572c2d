"""Templates: one spelling of a message, compiled both ways.

Theory of operation. A template is a text with fields, ``Sent event {event_id:u} RT event {handle:p} from stream
{stream:u}``. ``<?`` and ``?>`` enclose a part that is printed only when its fields have values. The text is split
into pieces once; the regular expression that reads and the function that writes are both made from these pieces, so
they cannot drift apart. A second direction written by hand is where a codec rots.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from getrace.plog.fields import FIELD_KINDS, FieldKind

_SPLIT = re.compile(r"(<\?|\?>|\{[a-z0-9_]+:[a-z0-9]+\})")


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that stands as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Field:
    """A value: the name of the event's field, and how it is written."""

    name: str
    kind: FieldKind


@dataclass(frozen=True, slots=True)
class Optional:
    """A part that is there when its fields are not None."""

    pieces: tuple["Piece", ...]


Piece = Literal | Field | Optional


def split_template(text: str) -> tuple[Piece, ...]:
    """Split a template into pieces. Raises ValueError for an unknown field kind or an unclosed part."""
    stack: list[list[Piece]] = [[]]
    for part in _SPLIT.split(text):
        if part == "<?":
            stack.append([])
        elif part == "?>":
            optional = Optional(tuple(stack.pop()))
            stack[-1].append(optional)
        elif part.startswith("{") and ":" in part:
            name, kind = part[1:-1].split(":")
            if kind not in FIELD_KINDS:
                raise ValueError(f"unknown field kind {kind!r} in {text!r}")
            stack[-1].append(Field(name, FIELD_KINDS[kind]))
        elif part:
            stack[-1].append(Literal(part))
    if len(stack) != 1:
        raise ValueError(f"a part is not closed in {text!r}")
    return tuple(stack[0])


class Template:
    """A compiled template: ``match`` gives the values of a text, ``spell`` the text of values."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces = split_template(text)
        self.fields = tuple(_fields(self.pieces))
        self.names = tuple(field.name for field in self.fields)
        self.required = tuple(piece.name for piece in self.pieces if isinstance(piece, Field))
        self._regex: re.Pattern[str] | None = None

    @property
    def head(self) -> str:
        """The literal text in front of the first field or optional part; "" when there is none."""
        first = self.pieces[0] if self.pieces else None
        return first.text if isinstance(first, Literal) else ""

    @property
    def regex(self) -> re.Pattern[str]:
        """The expression that reads the template, compiled when first asked for."""
        if self._regex is None:
            self._regex = re.compile(_pattern(self.pieces) + r"\Z", re.DOTALL | re.ASCII)
        return self._regex

    def match(self, text: str) -> dict[str, Any] | None:
        """Read a text: field values by name (None for a part that is absent), or None when the text is another."""
        found = self.regex.match(text)
        return None if found is None else self.values(found.groups())

    def values(self, parts: tuple[str | None, ...]) -> dict[str, Any]:
        """Parse the texts of all fields, in order."""
        return {
            field.name: None if part is None else field.kind.parse(part)
            for field, part in zip(self.fields, parts, strict=True)
        }

    def spell(self, values: Mapping[str, Any]) -> str:
        """Write values as text. Raises KeyError when a field is missing."""
        return "".join(_spell(self.pieces, values))


def _fields(pieces: tuple[Piece, ...]) -> list[Field]:
    found: list[Field] = []
    for piece in pieces:
        if isinstance(piece, Field):
            found.append(piece)
        elif isinstance(piece, Optional):
            found.extend(_fields(piece.pieces))
    return found


def _pattern(pieces: tuple[Piece, ...]) -> str:
    parts = []
    for piece in pieces:
        if isinstance(piece, Literal):
            parts.append(re.escape(piece.text))
        elif isinstance(piece, Field):
            parts.append(f"({piece.kind.pattern})")
        else:
            parts.append(f"(?:{_pattern(piece.pieces)})?")
    return "".join(parts)


def _spell(pieces: tuple[Piece, ...], values: Mapping[str, Any]) -> list[str]:
    parts: list[str] = []
    for piece in pieces:
        if isinstance(piece, Literal):
            parts.append(piece.text)
        elif isinstance(piece, Field):
            parts.append(piece.kind.emit(values[piece.name]))
        elif all(values[field.name] is not None for field in _fields(piece.pieces)):
            parts.extend(_spell(piece.pieces, values))
    return parts
