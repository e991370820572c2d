"""ge_onnx dumps (``.pbtxt``): GE's graphs in the words of ONNX, made for viewers (spec/lowering.md 9.4).

They have no place for the owner of a sub graph, for bytes and for nested attributes: who has the choice reads ge_proto.
"""

from pathlib import Path

from getrace.dumps.dump_file import Reader, parse_bytes, read_file
from getrace.dumps.ge_onnx_outline import index_snapshot
from getrace.dumps.ge_onnx_reader import build_snapshot
from getrace.dumps.ge_onnx_writer import lines_of
from getrace.dumps.level import Level
from getrace.dumps.snapshot import GraphSnapshot

FORMAT = "ge_onnx"
READER = Reader(FORMAT, build_snapshot, index_snapshot)


def read_ge_onnx(path: Path) -> GraphSnapshot:
    """Read a dump file, plain or gzip; raises InputError, naming file and line, when it is not one."""
    return read_file(path, READER)


def parse_ge_onnx(content: bytes, stage: str, source: str) -> GraphSnapshot:
    """Read a dump from bytes, plain or gzip. ``source`` names it in errors. Raises InputError as ``read_ge_onnx``."""
    return parse_bytes(content, stage, source, READER)


def write_ge_onnx(snapshot: GraphSnapshot, level: Level = Level.ALL) -> str:
    """Write a snapshot as the text of a dump file; ``parse_ge_onnx`` gives back what the format can say."""
    return "\n".join(lines_of(snapshot, level)) + "\n"
