"""ge_proto dumps: the one text format of GE that says which node owns which sub graph (spec/lowering.md 9.3, 9.6).

The door to the modules beside it: files and compression are handled in ``dump_file``, syntax and graphs in others.
"""

from pathlib import Path

from getrace.dumps.dump_file import Reader, dump_file_name, parse_bytes, read_file
from getrace.dumps.ge_proto_outline import index_snapshot
from getrace.dumps.ge_proto_reader import build_snapshot
from getrace.dumps.ge_proto_writer import lines_of
from getrace.dumps.snapshot import GraphSnapshot

FORMAT = "ge_proto"
READER = Reader(FORMAT, build_snapshot, index_snapshot)


def read_ge_proto(path: Path) -> GraphSnapshot:
    """Read a dump file, plain or gzip; the stage comes from its name, "" when the name is not GE's.

    Raises InputError, naming file and line, when it cannot be read or is not a dump.
    """
    return read_file(path, READER)


def parse_ge_proto(content: bytes, stage: str, source: str) -> GraphSnapshot:
    """Read a dump from bytes, plain or gzip. ``source`` names it in errors. Raises InputError as ``read_ge_proto``."""
    return parse_bytes(content, stage, source, READER)


def write_ge_proto(snapshot: GraphSnapshot) -> str:
    """Write a snapshot as the text of a dump file; ``parse_ge_proto`` gives it back."""
    return "\n".join(lines_of(snapshot)) + "\n"


def ge_proto_file_name(number: int, snapshot: GraphSnapshot) -> str:
    """Name a dump as GE does: ``ge_proto_<8 digits>_graph_0_<stage>.txt``."""
    return dump_file_name(FORMAT, ".txt", number, snapshot.stage)
