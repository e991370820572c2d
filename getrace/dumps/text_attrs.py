"""Attributes of a large text dump: where they stand, and reading them from there when they are looked at.

Decoded, a dump takes ten times its size; so what was decoded is kept only for some megabytes of text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from getrace.dumps.lazy_attrs import AttrsOnDemand
from getrace.dumps.snapshot import AttrValue
from getrace.dumps.text_proto import Field, Syntax, line_of
from getrace.dumps.text_source import TextSource

KEPT_BYTES = 16 << 20
"""Bytes of text whose attributes are kept decoded at one time: more than most dumps have, since whoever goes over all
operators again and again would decode a larger one each time."""


_BLANK = 0x20


class Span(NamedTuple):
    """A message in the text: its name, first and last byte, and its first line."""

    name: str
    start: int
    stop: int
    line: int


Decoder = Callable[[Syntax, Iterable[Field]], Mapping[str, AttrValue]]
"""Gives attributes from the fields of a message."""


class LargeText:
    """A text that stays where it is; decodes messages of it."""

    __slots__ = ("_found", "_held", "source", "syntax")

    def __init__(self, syntax: Syntax, source: TextSource) -> None:
        self.syntax = syntax
        self.source = source
        self._found: dict[int, Mapping[str, AttrValue]] = {}
        self._held = 0

    def fields(self, span: Span) -> Iterator[Field]:
        """Give the fields of a message. Raises InputError for broken syntax, and when the file was changed."""
        lines = _lines(self.syntax, self.source.read(span.start, span.stop), span.line)
        blocks = frozenset({(span.name,)})
        return (part.field for part in self.syntax.streamed(lines, blocks, span.line))

    def attrs(self, start: int, size: int, read: Callable[[], Mapping[str, AttrValue]]) -> Mapping[str, AttrValue]:
        """Give what was decoded of a place, or decode it.

        The last one is kept whatever its size: who copies a mapping asks for it once for each key.
        """
        found = self._found.get(start)
        if found is None:
            if self._held + size > KEPT_BYTES:
                self._found.clear()
                self._held = 0
            found = self._found[start] = read()
            self._held += size
        return found


def _lines(syntax: Syntax, content: bytes, first: int) -> Iterator[str]:
    """Give the lines of a text without a copy of each: one may be a weight of many megabytes."""
    view, start, number = memoryview(content), 0, first
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        while start < end and content[start] == _BLANK:
            start += 1
        yield line_of(syntax, view[start:end], number)
        start, number = end + 1, number + 1


class TextAttrs(AttrsOnDemand):
    """The attributes of one message."""

    __slots__ = ("_decode", "_span", "_text")

    def __init__(self, text: LargeText, decode: Decoder, span: Span) -> None:
        self._text = text
        self._decode = decode
        self._span = span

    def content(self) -> Mapping[str, AttrValue]:
        """Give the attributes, decoded now or before."""
        return self._text.attrs(self._span.start, self._span.stop - self._span.start, self._read)

    def _read(self) -> Mapping[str, AttrValue]:
        return self._decode(self._text.syntax, self._text.fields(self._span))
