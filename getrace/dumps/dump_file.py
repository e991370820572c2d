"""Dump files of any format: opening them, plain or gzip, line by line within bounds, and GE's names for them.

If each format opened its own files, each would have its own idea of a broken archive and of a line that is too long.
"""

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.text_proto import Syntax
from getrace.errors import InputError

MAX_LINE = 1 << 26
"""Bytes of one line; a weight written as text may take many megabytes, an archive bomb takes more."""

MAX_NAME = 254
"""Bytes of a file name; GE cuts longer ones."""

_BUFFER = 1 << 16
_UNSAFE = re.compile(r'[/\\:*?"<>|\x00]')
_GZIP = b"\x1f\x8b"
_FILE_NAME = re.compile(
    r"ge_(?P<format>proto|onnx|readable)_\d{1,10}_(?:(?:aclop_)?graph_-?\d+_)?(?P<stage>.+?)\.(?:txt|pbtxt)(?:\.gz)?\Z"
)

Builder = Callable[[Syntax, Iterable[str], str], GraphSnapshot]
"""Builds a snapshot from lines and a stage; raises InputError with the line."""


def read_file(path: Path, dump_format: str, build: Builder) -> GraphSnapshot:
    """Read a file of a format; raises InputError when it cannot be read or is not a dump of this format."""
    try:
        with path.open("rb") as raw:
            return _parse(raw, Syntax(str(path), dump_format), stage_of(path.name), build)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}", "check the path and its rights") from error


def parse_bytes(content: bytes, stage: str, syntax: Syntax, build: Builder) -> GraphSnapshot:
    """Read a dump from bytes, plain or gzip; raises InputError as ``read_file``."""
    return _parse(io.BufferedReader(io.BytesIO(content)), syntax, stage, build)


def stage_of(file_name: str) -> str:
    """Give the stage in a dump's file name, "" when the name is not GE's."""
    found = _FILE_NAME.match(file_name)
    return "" if found is None else found["stage"]


def format_of(file_name: str) -> str:
    """Give the format in a dump's file name: ``ge_proto``, ``ge_onnx``, ``ge_readable``, or "" for another name."""
    found = _FILE_NAME.match(file_name)
    return "" if found is None else f"ge_{found['format']}"


def _parse(raw: io.BufferedReader, syntax: Syntax, stage: str, build: Builder) -> GraphSnapshot:
    packed = raw.peek(len(_GZIP)).startswith(_GZIP)
    try:
        # A GzipFile looks for each line in Python; a buffer in front of it does so in C.
        plain: io.BufferedIOBase = io.BufferedReader(gzip.GzipFile(fileobj=raw), _BUFFER) if packed else raw
        return build(syntax, _lines(syntax, plain), stage)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{syntax.source} is a broken gzip file: {error}", "copy the file again") from error


def _lines(syntax: Syntax, stream: io.BufferedIOBase) -> Iterator[str]:
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise syntax.error(f"the line is longer than {MAX_LINE} bytes", number)
        yield line.decode("utf-8", "surrogateescape")


def dump_file_name(dump_format: str, extension: str, number: int, stage: str) -> str:
    """Name a dump as GE does: ``ge_proto_<8 digits>_graph_0_<stage>.txt`` (spec/lowering.md 9.2).

    An execute graph has no graph id, so it is 0. Characters that some file systems refuse become ``_``.
    """
    name = f"{dump_format}_{number:08d}_graph_0_{_UNSAFE.sub('_', stage)}"
    return name[: MAX_NAME - len(extension)] + extension
