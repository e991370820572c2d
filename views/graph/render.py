"""From DOT text to a picture: what each suffix of a file means, and how its bytes are made."""

import re
from pathlib import Path

from getrace.errors import UsageError
from views.graph.engine import TIME_LIMIT, Rendered, find_engine, run_engine

_TEXT = frozenset({".dot", ".gv"})
_IMAGES = {".svg": "svg", ".png": "png"}
SUFFIXES = (".svg", ".png", ".dot", ".gv")
"""File endings that can be drawn."""

# Comments name the engine's release, and the document type sends a reader to another host for its definition.
_PROLOGUE = re.compile(rb"<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*", re.DOTALL)


def check_suffix(out: Path) -> str:
    """Give the suffix of a file to draw, in lower case. Raises UsageError for one that nothing here makes."""
    suffix = out.suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"cannot draw a {suffix or 'file without an ending'}: {out}", f"end it with {', '.join(SUFFIXES)}"
        )
    return suffix


def render(source: str, suffix: str, time_limit: float = TIME_LIMIT) -> Rendered:
    """Make the bytes for a suffix. DOT text needs no engine; an SVG is the same bytes for the same text and engine."""
    if suffix in _TEXT:
        return Rendered(source.encode(), "", 0.0)
    made = run_engine(find_engine(), source, _IMAGES[suffix], time_limit)
    if suffix == ".svg":
        return Rendered(tidy_svg(made.data), made.engine, made.layout_ms)
    return made


def tidy_svg(svg: bytes) -> bytes:
    """Take out of an SVG what differs between releases of an engine or points outside."""
    return _PROLOGUE.sub(b"", svg)
