r"""Text inside a picture: cut to a length, and made safe for DOT, for Graphviz's own escapes, and for XML.

A node's name comes out of a file that anybody may have written. Each of the three readers behind a label (the DOT
parser, Graphviz's escape strings and entities, the browser) has characters of its own; if each caller escaped for the
one it remembers, a name with ``</text>`` or ``\N`` would break the picture of its graph only.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

import graphviz

from getrace.dumps.snapshot import AttrValue

NAME_LENGTH = 48
"""Characters of a name inside a node; the tooltip has the whole name."""

TOOLTIP_LENGTH = 20_000
_VALUE_LENGTH = 80
_ATTRIBUTES_SHOWN = 24

# What XML 1.0 cannot hold, written as code points instead.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_VISIBLE = str.maketrans({"\n": "\N{SYMBOL FOR NEWLINE}", "\r": "\N{SYMBOL FOR CARRIAGE RETURN}", "\t": " "})


def visible(text: str) -> str:
    """Show control characters and lone surrogates as something that can be printed, on one line."""
    return _NOT_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text.translate(_VISIBLE))


def shorten(text: str, limit: int = NAME_LENGTH) -> str:
    """Cut the middle out of a long text: both ends of a kernel name (its type and its id) matter."""
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail - 1]}\N{HORIZONTAL ELLIPSIS}{text[-tail:]}"


def dot_text(lines: Sequence[str]) -> str:
    """Make one DOT string of several lines, each of them plain text that is shown as it is."""
    escaped = (visible(line).replace("\\", "\\\\").replace("&", "&amp;") for line in lines)
    return stacked(escaped)


def stacked(texts: Iterable[str]) -> str:
    """Put DOT-ready texts under one another; the result is never taken for HTML, whatever it begins and ends with."""
    text: str = graphviz.nohtml("\\n".join(texts))
    return text


def tooltip(heading: str, attrs: Mapping[str, AttrValue]) -> str:
    """Make the DOT string of a tooltip: the heading, then the attributes in order of their names."""
    shown = sorted(attrs.items())[:_ATTRIBUTES_SHOWN]
    lines = [shorten(heading, TOOLTIP_LENGTH), *(f"{name} = {_value(value)}" for name, value in shown)]
    if len(attrs) > len(shown):
        lines.append(f"and {len(attrs) - len(shown)} more attributes")
    return dot_text(lines)


def _value(value: AttrValue) -> str:
    if isinstance(value, bytes):
        return f"{len(value)} bytes {value[:16].hex(' ')}"
    return shorten(str(value), _VALUE_LENGTH)


def needed_width(lines: Sequence[str], points: float) -> float | None:
    """Give the width in inches that a label needs, or None where Graphviz knows it.

    Graphviz without a font library measures ASCII only and takes anything else for a blank.
    """
    if all(line.isascii() for line in lines):
        return None
    widest = max(sum(_em(character) for character in visible(line)) for line in lines)
    return round(widest * points / 72 + 0.3, 2)


def _em(character: str) -> float:
    return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.6
