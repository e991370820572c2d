"""ge_proto dumps: the one text format of GE that says which node owns which sub graph (spec/lowering.md 9.3, 9.6).

The door to the four modules beside it: files, compression and names are handled here, syntax and graphs there.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from getrace.dumps.ge_proto_reader import build_snapshot
from getrace.dumps.ge_proto_writer import lines_of
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.text_proto import Syntax
from getrace.errors import InputError

MAX_LINE = 1 << 26
"""Bytes of one line; a weight written as text may take many megabytes, an archive bomb takes more."""

_GZIP = b"\x1f\x8b"
_FILE_NAME = re.compile(r"ge_proto_\d+_(?:aclop_)?graph_\d+_(?P<stage>.+?)\.txt(?:\.gz)?\Z")


def read_ge_proto(path: Path) -> GraphSnapshot:
    """Read a dump file, plain or gzip; the stage comes from its name, "" when the name is not GE's.

    Raises InputError, naming file and line, when it cannot be read or is not a dump.
    """
    try:
        with path.open("rb") as raw:
            return _parse(raw, stage_of(path.name), str(path))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}", "check the path and its rights") from error


def parse_ge_proto(content: bytes, stage: str, source: str) -> GraphSnapshot:
    """Read a dump from bytes, plain or gzip. ``source`` names it in errors. Raises InputError as ``read_ge_proto``."""
    return _parse(io.BufferedReader(io.BytesIO(content)), stage, source)


def _parse(raw: io.BufferedReader, stage: str, source: str) -> GraphSnapshot:
    syntax = Syntax(source)
    packed = raw.peek(len(_GZIP)).startswith(_GZIP)
    try:
        return build_snapshot(syntax, _lines(syntax, gzip.GzipFile(fileobj=raw) if packed else raw), stage)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{source} is a broken gzip file: {error}", "copy the file again") from error


def write_ge_proto(snapshot: GraphSnapshot) -> str:
    """Write a snapshot as the text of a dump file; ``parse_ge_proto`` gives it back."""
    return "\n".join(lines_of(snapshot)) + "\n"


def stage_of(file_name: str) -> str:
    """Give the stage in a dump's file name, "" when the name is not GE's."""
    found = _FILE_NAME.match(file_name)
    return "" if found is None else found["stage"]


def ge_proto_file_name(number: int, snapshot: GraphSnapshot) -> str:
    """Name a dump as GE does: ``ge_proto_<8 digits>_graph_0_<stage>.txt`` (spec/lowering.md 9.2)."""
    stage = re.sub(r'[/\\:*?"<>|]', "_", snapshot.stage)
    return f"ge_proto_{number:08d}_graph_0_{stage}.txt"


def _lines(syntax: Syntax, stream: gzip.GzipFile | io.BufferedReader) -> Iterator[str]:
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise syntax.error(f"the line is longer than {MAX_LINE} bytes", number)
        yield line.decode("utf-8", "surrogateescape")
