"""From DOT text to a file: what each suffix means, and how a file comes to be whole.

A picture is written beside its place and moved there, so a stopped drawing never leaves half a file with a good name.
"""

import os
import re
import tempfile
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


def write_whole(out: Path, data: bytes) -> None:
    """Write a file in one step. Raises UsageError when its folder or the file itself cannot be written."""
    try:
        descriptor, beside = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(beside).chmod(_mode())
            Path(beside).replace(out)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(
            f"cannot write {out}: {error.strerror}", "name a file in a folder that may be written"
        ) from error


def _mode() -> int:
    """Give the mode an ordinary new file would have; a temporary one is for its owner only."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
