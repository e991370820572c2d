"""Dump files of any format: which way a text is read, within which bounds, and GE's names for dumps.

If each format opened its own files, each would have its own idea of a broken archive and of a line that is too long.
"""

import gc
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.text_outline import TOO_LONG, IrregularText
from getrace.dumps.text_proto import Syntax, line_of
from getrace.dumps.text_source import BOM, MAX_LINE, TextSource, text_of_bytes, text_of_file
from getrace.errors import InputError

MAX_NAME = 254
"""Bytes of a file name; GE cuts longer ones."""

_UNSAFE = re.compile(r'[/\\:*?"<>|\x00]')
_FILE_NAME = re.compile(
    r"ge_(?P<format>proto|onnx|readable)_\d{1,10}_(?:(?:aclop_)?graph_(?P<graph>-?\d+)_)?(?P<stage>.+?)\.(?:txt|pbtxt)(?:\.gz)?\Z"
)

SMALL = 4 << 20
"""Bytes up to which a text is read whole at once: half a second, and every mistake is found while it is opened."""

MAX_WHOLE = 16 << 20
"""Bytes up to which a text of another layout than GE's is read whole: that takes ten times its size of memory."""

Builder = Callable[[Syntax, Iterable[str], str], GraphSnapshot]
"""Builds a snapshot from lines and a stage; raises InputError with the line."""

Indexer = Callable[[Syntax, TextSource, str], GraphSnapshot]
"""Builds a snapshot that reads attributes when they are looked at; raises IrregularText, and as a Builder."""


class Reader(NamedTuple):
    """The two ways to read a format. Without ``outline`` every text is read whole."""

    format: str
    build: Builder
    outline: Indexer | None = None


def read_file(path: Path, reader: Reader) -> GraphSnapshot:
    """Read a file of a format; raises InputError when it cannot be read or is not a dump of this format."""
    try:
        return read_text(text_of_file(path), stage_of(path.name), Syntax(str(path), reader.format), reader)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}", "check the path and its rights") from error


def parse_bytes(content: bytes, stage: str, source: str, reader: Reader) -> GraphSnapshot:
    """Read a dump from bytes, plain or gzip; raises InputError as ``read_file``."""
    return read_text(text_of_bytes(content, source), stage, Syntax(source, reader.format), reader)


def read_text(text: TextSource, stage: str, syntax: Syntax, reader: Reader, small: int = SMALL) -> GraphSnapshot:
    """Read a text: a small one whole, a large one by its outline. Raises InputError as ``read_file``."""
    if text.size > small and reader.outline is not None:
        try:
            with _no_collection():
                return reader.outline(syntax, text, stage)
        except IrregularText as found:
            if text.size > MAX_WHOLE:
                said = f"{found.said}; a text of more than {MAX_WHOLE >> 20} MiB must be as GE writes it"
                raise syntax.error(said, found.line) from None
    if text.size > MAX_WHOLE and reader.outline is None:
        raise syntax.error(f"the text has more than {MAX_WHOLE >> 20} MiB, too many for this format", 1)
    with text.open() as file:
        return reader.build(syntax, _lines(syntax, file), stage)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Leave cycles of garbage alone: an outline makes a million objects without one, and looking takes a third more."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def stage_of(file_name: str) -> str:
    """Give the stage in a dump's file name, "" when the name is not GE's."""
    found = _FILE_NAME.match(file_name)
    return "" if found is None else found["stage"]


def graph_and_stage(file_name: str) -> tuple[str, str]:
    """Give the number of the graph and the stage in a dump's file name, each "" when the name does not say it."""
    found = _FILE_NAME.match(file_name)
    return ("", "") if found is None else (found["graph"] or "", found["stage"])


def format_of(file_name: str) -> str:
    """Give the format in a dump's file name: ``ge_proto``, ``ge_onnx``, ``ge_readable``, or "" for another name."""
    found = _FILE_NAME.match(file_name)
    return "" if found is None else f"ge_{found['format']}"


def _lines(syntax: Syntax, stream: BinaryIO) -> Iterator[str]:
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise syntax.error(TOO_LONG, number)
        yield line_of(syntax, line.removeprefix(BOM) if number == 1 else line, number)


def dump_file_name(dump_format: str, extension: str, number: int, stage: str) -> str:
    """Name a dump as GE does: ``ge_proto_<8 digits>_graph_0_<stage>.txt`` (spec/lowering.md 9.2).

    An execute graph has no graph id, so it is 0. Characters that some file systems refuse become ``_``.
    """
    name = f"{dump_format}_{number:08d}_graph_0_{_UNSAFE.sub('_', stage)}"
    return name[: MAX_NAME - len(extension)] + extension
