"""A whole OM: header, blocks, and the files inside a flow model or a bundle.

The file is mapped, not read: weights and binaries are slices of the map. Nothing in it is ever run or loaded.

Source: spec/formats.md 1.3 to 1.6.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

from getrace.dumps.mapped import map_file
from getrace.dumps.om_header import BUNDLE, FLOW, SERVER, SIZE, OmHeader, read_header
from getrace.dumps.om_model import OmModel, read_model
from getrace.dumps.om_names import NameTable
from getrace.dumps.om_table import MOST_FLOW_ROWS, MOST_ROWS, NARROW, WIDE, Block, Form, Part, Partition, read_block
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.wire import LENGTH, Wire
from getrace.errors import InputError

MAX_DEPTH = 4
"""Files inside files; a flow model of GE has one level."""

MOST_BLOCKS = 4096
_HINT = "copy the file again, or make it again with atc"
_MEMORY = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class SubModel:
    """A file inside a flow model or a bundle: its name, its type (``NPU``, ``HOST_CPU``, "" in a bundle), and itself.

    ``om`` is None for a sub model whose file is elsewhere. ``rest`` are its other fields, as bytes.
    """

    name: str
    type: str
    om: "OmFile | None"
    rest: bytes = b""


@dataclass(frozen=True, slots=True)
class OmFile:
    """What an OM holds. The first of ``models`` is the root; a bundle has none of its own.

    ``relation`` is the FLOW_MODEL message, ``variables`` the first partition of a bundle. ``warnings`` are sentences
    on what GE's loader overlooks, too.
    """

    header: OmHeader
    models: tuple[OmModel, ...]
    submodels: tuple[SubModel, ...] = ()
    relation: bytes = b""
    variables: bytes = b""
    warnings: tuple[str, ...] = ()

    @property
    def snapshot(self) -> GraphSnapshot:
        """The graphs of the first model, of a bundle those of its first file."""
        if self.models:
            return self.models[0].snapshot
        inner = self.submodels[0].om
        assert inner is not None  # a bundle's files are in it
        return inner.snapshot


def read_om(path: Path) -> OmFile:
    """Open an OM. Raises InputError, naming the file and the offset, when it cannot be read or is broken."""
    return parse_om(map_file(path), str(path))


def parse_om(content: memoryview, source: str, depth: int = 0) -> OmFile:
    """Read an OM from memory; ``depth`` counts the files it is inside of. Raises InputError as ``read_om``."""
    if depth >= MAX_DEPTH:
        raise InputError(f"{source}: models are nested more than {MAX_DEPTH} deep", _HINT)
    header = read_header(content, source)
    form = WIDE if header.is_wide else NARROW
    if header.version == SERVER and header.kind == BUNDLE:
        return _bundle(header, content, source, depth)
    if header.version == SERVER and header.kind == FLOW:
        return _flow(header, read_block(content, SIZE, form, MOST_FLOW_ROWS, source), source, depth)
    return _blocks(header, content, form, source)


def _blocks(header: OmHeader, content: memoryview, form: Form, source: str) -> OmFile:
    if not 0 < header.blocks <= MOST_BLOCKS:
        raise InputError(f"{source}, offset 156: Invalid om file. The header promises {header.blocks} models", _HINT)
    models: list[OmModel] = []
    warnings = list(header.warnings(source))
    names: NameTable | None = None
    at = SIZE
    for _ in range(header.blocks):
        block = read_block(content, at, form, MOST_ROWS, source)
        models.append(read_model(block.partitions, source, names))
        names = models[0].names
        warnings += block.warnings
        at = block.end
    _ends(at, content, source)
    return OmFile(header, tuple(models), warnings=tuple(warnings))


def _ends(at: int, content: memoryview, source: str) -> None:
    if at != len(content):
        text = f"{source}: do not get the complete model, read end offset:{at}, the file has {len(content)} bytes"
        raise InputError(text, _HINT)


def _bundle(header: OmHeader, content: memoryview, source: str, depth: int) -> OmFile:
    block = read_block(content, SIZE, WIDE, MOST_FLOW_ROWS, source)
    first, *files = block.partitions
    if first.part != Part.BUNDLE_MODEL_VAR_INFO or len(first.content) != _MEMORY.size or not files:
        raise InputError(f"{source}, offset {SIZE}: the bundle does not begin with its variables", _HINT)
    if any(file.part != Part.BUNDLE_MODEL_INFO for file in files):
        raise InputError(f"{source}, offset {SIZE}: the bundle has a partition that is no model", _HINT)
    _ends(block.end, content, source)
    inner = [
        parse_om(file.content, f"{source}, model {number} at {file.offset}", depth + 1)
        for number, file in enumerate(files)
    ]
    subs = tuple(SubModel(om.models[0].name if om.models else "", "", om) for om in inner)
    return OmFile(header, (), subs, variables=bytes(first.content))


def _flow(header: OmHeader, block: Block, source: str, depth: int) -> OmFile:
    by_part = [part for part in block.partitions if part.part not in (Part.FLOW_MODEL, Part.FLOW_SUBMODEL)]
    root = read_model(by_part, source, None) if by_part else None
    if root is None:
        raise InputError(f"{source}, offset {SIZE}: there is no MODEL_DEF", _HINT)
    relation = next((part.content for part in block.partitions if part.part == Part.FLOW_MODEL), memoryview(b""))
    parts = [part for part in block.partitions if part.part == Part.FLOW_SUBMODEL]
    subs = tuple(_submodel(part, source, depth) for part in parts)
    return OmFile(header, (root,), subs, bytes(relation), warnings=block.warnings)


_NAME, _TYPE, _FILE = 1, 2, 3


def _submodel(partition: Partition, source: str, depth: int) -> SubModel:
    texts, file, rest = _split(partition, source)
    om = None
    if file is not None:
        start, stop = file
        inner = f"{source}, sub model '{texts[_NAME]}' at {partition.offset + start}"
        om = parse_om(partition.content[start:stop], inner, depth + 1)
    return SubModel(texts[_NAME], texts[_TYPE], om, rest)


def _split(partition: Partition, source: str) -> tuple[dict[int, str], tuple[int, int] | None, bytes]:
    """Give the texts of a SubmodelDef, the place of its file, and everything else in it."""
    wire = Wire(partition.content, f"{source}, {partition.name}", partition.offset)
    texts, file, rest, begin = {_NAME: "", _TYPE: ""}, None, [], 0
    for part in wire.fields(0, wire.size):
        number, kind, start, stop = part
        if kind == LENGTH and number in texts:
            texts[number] = wire.text(part)
        elif kind == LENGTH and number == _FILE:
            file = (start, stop)
        else:
            rest.append(wire.data[begin:stop])
        begin = stop
    return texts, file, b"".join(rest)
