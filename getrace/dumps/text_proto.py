"""The text syntax of protobuf dumps, ge_proto and ge_onnx alike: lines to fields and back.

It owns indentation, quoting and nesting, and knows no graph. GE writes one field per line (spec/lowering.md 9.6), so
the parser is a loop over lines with a stack: linear in time, and deep nesting cannot exhaust Python's own stack. If
the readers of graphs parsed lines too, every error would need its own way to a line number.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from getrace.errors import InputError

MAX_DEPTH = 64
"""Messages inside messages; GE's own dumps stay below 12."""

LONG_LINE = 1 << 20
"""Bytes from which a line must be ASCII, as GE writes it: other texts take up to four bytes a letter in memory."""

MAX_FIELDS = 500_000
"""Lines of one message that must be in memory together: an operator, or an attribute of a graph."""

_QUOTED = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"\Z')
_SECOND = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"\s*[,;}>a-zA-Z_]')
_OTHER_LAYOUT = re.compile(rf"[A-Za-z_]\w*\s*(?::?\s*[<{{]|:\s*[\[']|:\s*{_SECOND.pattern})|[>}}][\s>}},;]*\Z")
"""A line as protobuf takes it and GE never writes it: several fields, angles, a colon before a brace, a list, ' ."""

_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_SIMPLE = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_USUAL = re.compile(rb"""[^\\]*+(?:\\(?:[0-3][0-7]{2}|[nrt"'\\])[^\\]*+)*+\Z""")
_UNSAFE = re.compile(rb"[^ !#-\[\]-~]")
_WRITTEN = {0x22: rb"\"", 0x5C: rb"\\", 0x0A: rb"\n", 0x0D: rb"\r", 0x09: rb"\t"}


class Field(NamedTuple):
    """One field: its name, its text after the colon or its own fields, and the line it starts on (from 1)."""

    name: str
    value: "str | list[Field]"
    line: int


Path = tuple[str, ...]
"""The names of the open messages, outermost first."""


class Part(NamedTuple):
    """One field of a block: the block's number in the order of opening, its path, and the field."""

    block: int
    path: Path
    field: Field


@dataclass(slots=True)
class _Open:
    """A message that is being read; ``block`` is -1 unless its fields are given away one by one."""

    path: Path
    block: int
    line: int
    fields: list[Field] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Syntax:
    """Where a text comes from and what it should be, for its errors."""

    source: str
    format: str = "ge_proto"

    def error(self, message: str, line: int) -> InputError:
        """Make an error that names the file and the line."""
        return InputError(f"{self.source}, line {line}: {message}", f"the file is cut or is not a {self.format} dump")

    def _no_field(self, text: str, message: str, line: int) -> InputError:
        """Make an error for a line that is no field, which may be one of protobuf's other layouts."""
        if not _OTHER_LAYOUT.match(text):
            return self.error(f"'{_short(text)}' {message}", line)
        return InputError(
            f"{self.source}, line {line}: '{_short(text)}' is not laid out as GE does it: one field a line, "
            "'name: value' or 'name {' with its closing brace on a line of its own",
            "dump it again, or print it with protobuf's text_format.MessageToString",
        )

    def streamed(self, lines: Iterable[str], blocks: frozenset[Path], first: int = 1) -> Iterator[Part]:
        """Give every field of the messages at the paths ``blocks`` as soon as the field is complete.

        So a dump of any size needs the memory of its largest operator. ``first`` is the number of the first line.
        Raises InputError for a line that is no field, nesting deeper than ``MAX_DEPTH``, a message of more than
        ``MAX_FIELDS`` lines, and a brace too many or too few.
        """
        stack: list[_Open] = []
        opened, line, held = 0, 0, 0
        for line, raw in enumerate(lines, first):
            text = raw.strip()
            if not text or text[0] == "#":
                continue
            if text.endswith("{"):
                path = (*(stack[-1].path if stack else ()), self._opened(text, line, len(stack)))
                stack.append(_Open(path, opened if path in blocks else -1, line))
                opened += path in blocks
                continue
            done = self._close(stack, line) if text == "}" else self._scalar(text, line)
            if stack and stack[-1].block >= 0:
                held = 0
                yield Part(stack[-1].block, stack[-1].path, done)
            elif stack:
                held += 1
                if held > MAX_FIELDS:
                    raise self.error(f"one message has more than {MAX_FIELDS} lines", line)
                stack[-1].fields.append(done)
        if stack:
            left = stack[-1]
            raise self.error(f"the text ends inside '{left.path[-1]}', which starts on line {left.line}", line)

    def _opened(self, text: str, line: int, depth: int) -> str:
        name = text[:-1].rstrip()
        if not is_name(name):
            raise self._no_field(text, "opens no message", line)
        if depth >= MAX_DEPTH:
            raise self.error(f"messages are nested more than {MAX_DEPTH} deep", line)
        return name

    def _close(self, stack: list[_Open], line: int) -> Field:
        if not stack:
            raise self.error("a closing brace without an open message", line)
        closed = stack.pop()
        return Field(closed.path[-1], closed.fields, closed.line)

    def _scalar(self, text: str, line: int) -> Field:
        name, colon, value = text.partition(":")
        if not colon or not is_name(name):
            raise self._no_field(text, "is not a field", line)
        return Field(name, value.strip(), line)

    def bytes_of(self, field: Field) -> bytes:
        """Decode a quoted value with its C escapes. Raises InputError when it is not one."""
        if not isinstance(field.value, str) or not is_quoted(field.value):
            line = f"{field.name}: {field.value}" if isinstance(field.value, str) else ""
            if _OTHER_LAYOUT.match(line):
                raise self._no_field(line, "", field.line)
            raise self.error(f"'{field.name}' is not a quoted text", field.line)
        return _unescaped(field.value[1:-1].encode("utf-8", "surrogateescape"))

    def text_of(self, field: Field) -> str:
        """Decode a quoted text; bytes that are not UTF-8 survive as surrogates."""
        value = field.value
        if isinstance(value, str) and "\\" not in value and _QUOTED.match(value):
            return value[1:-1]
        return self.bytes_of(field).decode("utf-8", "surrogateescape")

    def int_of(self, field: Field) -> int:
        """Decode a whole number. Raises InputError when it is not one."""
        if isinstance(field.value, str):
            try:
                return int(field.value)
            except ValueError:
                pass
        raise self.error(f"'{field.name}' is not a whole number", field.line)

    def float_of(self, field: Field) -> float:
        """Decode a number. Raises InputError when it is not one."""
        if isinstance(field.value, str):
            try:
                return float(field.value)
            except ValueError:
                pass
        raise self.error(f"'{field.name}' is not a number", field.line)

    def fields_of(self, field: Field) -> list[Field]:
        """Give the fields of a message. Raises InputError when the field is a plain value."""
        if isinstance(field.value, str):
            raise self.error(f"'{field.name}' is not a message", field.line)
        return field.value


def line_of(syntax: Syntax, line: bytes | memoryview, number: int) -> str:
    """Decode a line; bytes that are not UTF-8 survive as surrogates. Raises InputError for a long one not in ASCII."""
    if len(line) <= LONG_LINE:
        return str(line, "utf-8", "surrogateescape")
    try:
        return str(line, "ascii")
    except UnicodeDecodeError:
        said = f"a line of more than {LONG_LINE >> 20} MiB is not in ASCII, as GE writes it"
        raise syntax.error(said, number) from None


def is_name(text: str) -> bool:
    """Whether a text can stand before a colon or a brace."""
    return text.isascii() and text.isidentifier()


def is_quoted(text: str) -> bool:
    """Whether a text is a quoted value with C escapes."""
    return _QUOTED.match(text) is not None


def quote(value: str | bytes) -> str:
    """Write a text or bytes in quotes with C escapes, all in ASCII."""
    raw = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return '"' + _UNSAFE.sub(_escape, raw).decode("ascii") + '"'


def _escape(found: re.Match[bytes]) -> bytes:
    code = found[0][0]
    return _WRITTEN.get(code) or b"\\%03o" % code


def _unescaped(content: bytes) -> bytes:
    """Decode C escapes. Those that GE writes are Python's, too, and a weight has millions of them."""
    if b"\\" not in content:
        return content
    if _USUAL.match(content):
        return content.decode("unicode_escape").encode("latin-1")
    decoded, done = bytearray(), 0
    for found in _ESCAPE.finditer(content):
        decoded += content[done : found.start()]
        decoded += _unescape(found)
        done = found.end()
    return bytes(decoded + content[done:])


def _unescape(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return bytes((int(found[1], 8) & 0xFF,))
    if found[2]:
        return bytes((int(found[2], 16),))
    return _SIMPLE.get(found[3], found[3])


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
