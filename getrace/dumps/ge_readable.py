"""ge_readable dumps (``.txt``): GE's graphs as lines for people (spec/lowering.md 9.4).

No control edges and hardly any attributes are in them: for anything but reading by eye ge_proto is the better file.
"""

from pathlib import Path

from getrace.dumps.dump_file import Reader, parse_bytes, read_file
from getrace.dumps.ge_readable_reader import build_snapshot
from getrace.dumps.ge_readable_writer import lines_of
from getrace.dumps.snapshot import GraphSnapshot

FORMAT = "ge_readable"
READER = Reader(FORMAT, build_snapshot)


def read_ge_readable(path: Path) -> GraphSnapshot:
    """Read a dump file, plain or gzip; raises InputError, naming file and line, when it is not one."""
    return read_file(path, READER)


def parse_ge_readable(content: bytes, stage: str, source: str) -> GraphSnapshot:
    """Read a dump from bytes, plain or gzip; ``source`` names it in errors. Raises InputError as the other."""
    return parse_bytes(content, stage, source, READER)


def write_ge_readable(snapshot: GraphSnapshot) -> str:
    """Write a snapshot as the text of a dump file; ``parse_ge_readable`` gives back its data edges."""
    return "\n".join(lines_of(snapshot)) + "\n"
