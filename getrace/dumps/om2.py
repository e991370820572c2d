"""OM2 files: a zip with the graph as JSON, weights, kernels, and generated sources.

The task list of an OM2 is C++ that GE compiled into a library; the library is never loaded and the sources are not
interpreted, so an OM2 has no tasks here.

Source: spec/formats.md 2, from GE's source alone: no public file is known.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from getrace.dumps.mapped import map_file
from getrace.dumps.om2_json import Json, model_json, read_attrs, read_graphs
from getrace.dumps.om2_zip import Container
from getrace.dumps.om_stores import Kernel
from getrace.dumps.om_weights import CONSTANTS
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotNode
from getrace.errors import InputError
from getrace.printable import printable

MOST_JSON = 4 << 20
"""Bytes of JSON that any OM2 may hold, and a sixteenth of the file on top. Read, JSON takes 20 times its size."""

_META, _VISUAL, _WEIGHTS = "model_meta.json", "debug/ge_visual_", "data/constants/constant_0"
_OLD_VISUAL = "debug/visual.json"
_CONFIG = "data/constants/model_0_constants_config.json"
_KERNELS = "data/kernels_npu_arch/"
_MODEL = "data/model_0/"
_MANIFEST, _ONE = "manifest.json", "1"
_SHOWN, _FEW = 60, 3
"""Letters of a strange name or number that are shown, and how many names."""
_GRAPH_FILE = f"{_MODEL}{_VISUAL}00000000_graph_0.json"
_LIBRARY = ".so"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_NO_WEIGHTS = memoryview(b"")
_HINT = "copy the file again, or make it again with atc"


@dataclass(frozen=True, slots=True)
class Om2File:
    """What an OM2 holds. ``meta`` and ``manifest`` are its JSON documents.

    ``constants`` are (offset, size) by operator, ``libraries`` the names of the host libraries in it. ``warnings`` are
    sentences on what GE's packager writes otherwise; its loader does not mind.
    """

    name: str
    snapshot: GraphSnapshot
    meta: Mapping[str, Any] = field(default_factory=dict)
    manifest: Mapping[str, Any] = field(default_factory=dict)
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)
    model_name: str = ""
    weights_data: memoryview = _NO_WEIGHTS
    constants: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    kernels: tuple[Kernel, ...] = ()
    libraries: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def weights(self, node: SnapshotNode) -> memoryview | None:
        """Give the bytes of a constant, None for a node without any or with weights in another file."""
        place = self.constants.get(node.name) if node.type in CONSTANTS else None
        return None if place is None else self.weights_data[place[0] : sum(place)]

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """Inputs as model_meta.json lists them."""
        return list(self.meta.get("inputs") or [])

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """Outputs as model_meta.json lists them."""
        return list(self.meta.get("outputs") or [])


def read_om2(path: Path) -> Om2File:
    """Open an OM2. Raises InputError, naming the file, when it cannot be read, is broken or wants too much memory."""
    return parse_om2(map_file(path), str(path))


def parse_om2(content: memoryview, source: str) -> Om2File:
    """Read an OM2 from memory. Raises InputError as ``read_om2``."""
    return _Reader(Container(content, source)).read()


class _Place:
    """Errors of the JSON in one member."""

    def __init__(self, container: Container, member: str) -> None:
        self._container = container
        self._member = member

    def error(self, message: str, _at: int, /) -> InputError:
        return self._container.error(f"{self._member}: {message}")


class _Reader:
    """One file while it is read; ``left`` is how much JSON may still come."""

    def __init__(self, container: Container) -> None:
        self.zip = container
        self.left = MOST_JSON + len(container.content) // 16
        metas = sorted((name for name in container.members if name.endswith(_META)), key=lambda name: (len(name), name))
        if not metas:
            raise container.error(f"the zip is no OM2: no member ends in {_META}")
        self.meta = metas[0]
        folder = self.meta.removesuffix(_META)
        self.root = folder.removesuffix(_MODEL) if folder.endswith(_MODEL) else folder

    def read(self) -> Om2File:
        graph = self._graph_member()
        document = self._document(graph)
        checked = Json(_Place(self.zip, graph))
        if document.get("format") != "ge_visual_json":
            raise self.zip.error(f"{graph} is no ge_visual_json")
        model = checked.mapping(document.get("model"), "model")
        try:
            snapshot, attrs = read_graphs(checked, model), read_attrs(checked, model.get("attr"))
        except RecursionError:
            raise self.zip.error(f"{graph} is nested too deep") from None
        weights = self._bytes_of(self.root + _WEIGHTS)
        manifest = self._document(self.root + _MANIFEST)
        return Om2File(
            self.root.rstrip("/"),
            snapshot,
            self._document(self.meta),
            manifest,
            attrs,
            str(model.get("name", "")),
            weights,
            dict(self._constants(len(weights))),
            tuple(self._kernels()),
            tuple(sorted(name for name in self.zip.members if name.endswith(_LIBRARY))),
            tuple(self._warnings(manifest)),
        )

    def _warnings(self, manifest: Mapping[str, Any]) -> Iterator[str]:
        source, members = self.zip.source, self.zip.members
        others = sorted(
            {printable(name.partition("/")[0], _SHOWN) for name in members if not name.startswith(self.root)}
        )
        if others:
            more = f" and {len(others) - _FEW} more" if len(others) > _FEW else ""
            names = ", ".join(others[:_FEW]) + more
            yield f"{source}: GE writes one folder; '{self.root.rstrip('/')}' is read, not what lies beside it: {names}"
        if self.root + _MANIFEST not in members:
            yield f"{source}: there is no {self.root}{_MANIFEST}, which GE writes"
            return
        number = manifest.get("model_num")
        if number != _ONE:
            shown = printable(json.dumps(number), _SHOWN)
            yield f'{source}: {self.root}{_MANIFEST} says model_num {shown}; GE writes "{_ONE}", and one model is read'

    def _graph_member(self) -> str:
        folder = self.meta.removesuffix(_META)
        found = sorted(name for name in self.zip.members if name.startswith(folder + _VISUAL))
        found += [folder + _OLD_VISUAL] if folder + _OLD_VISUAL in self.zip.members else []
        if not found:
            raise self.zip.error(f"there is no graph: no {folder}{_VISUAL}*.json")
        return found[0]

    def _document(self, name: str) -> dict[str, Any]:
        if name not in self.zip.members:
            return {}
        content = self.zip.read(name, self.left)
        self.left -= len(content)
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise self.zip.error(f"{name} is no JSON: {error}") from error
        return Json(_Place(self.zip, name)).mapping(found, "the document")

    def _bytes_of(self, name: str) -> memoryview:
        if name not in self.zip.members:
            return memoryview(b"")
        found = self.zip.slice(name)
        return memoryview(self.zip.read(name, len(self.zip.content) + MOST_JSON)) if found is None else found

    def _constants(self, size: int) -> Iterator[tuple[str, tuple[int, int]]]:
        name = self.root + _CONFIG
        checked = Json(_Place(self.zip, name))
        for key, given in checked.mapping(self._document(name).get("consts") or {}, "consts").items():
            row = checked.mapping(given, f"constant '{key}'")
            if row.get("type", "INTERNAL") != "INTERNAL":
                continue
            offset, count = row.get("offset"), row.get("size")
            if not (type(offset) is int and type(count) is int and 0 <= offset <= offset + count <= size):
                raise self.zip.error(f"{name}: constant '{key}' does not lie in the weights, which have {size} bytes")
            yield checked.text(row.get("op_name", key), "an operator's name"), (offset, count)

    def _kernels(self) -> Iterator[Kernel]:
        room = len(self.zip.content) + MOST_JSON
        for name in sorted(self.zip.members):
            if name.startswith(self.root + _KERNELS) and name.endswith(".o"):
                content = self.zip.slice(name)
                if content is None:
                    content = memoryview(self.zip.read(name, room))
                    room -= len(content)
                yield Kernel(name.removeprefix(self.root + _KERNELS).removesuffix(".o"), content)


def write_om2(om: Om2File) -> bytes:
    """Write an OM2; the same content gives the same bytes. Host libraries are not written: we have no compiler.

    Raises InputError for a graph that has a value GE has no type for.
    """
    out = io.BytesIO()
    root = om.name + "/" if om.name else ""
    graph = {"format": "ge_visual_json", "format_version": 1, "model": model_json(om.snapshot, om.model_name, om.attrs)}
    consts = {
        name: {
            "index": index,
            "type": "INTERNAL",
            "file_name": "constant_0",
            "offset": at,
            "size": size,
            "op_name": name,
        }
        for index, (name, (at, size)) in enumerate(om.constants.items())
    }
    with zipfile.ZipFile(out, "w") as file:
        _put(file, root + _MANIFEST, _text(om.manifest))
        _put(file, root + _MODEL + _META, _text(om.meta))
        _put(file, root + _GRAPH_FILE, _text(graph), zipfile.ZIP_DEFLATED)
        if om.weights_data:
            _put(file, root + _WEIGHTS, bytes(om.weights_data))
            _put(file, root + _CONFIG, _text({"internal_weight_size": len(om.weights_data), "consts": consts}))
        for kernel in om.kernels:
            _put(file, f"{root}{_KERNELS}{kernel.name}.o", bytes(kernel.content))
    return out.getvalue()


def _text(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document).encode()


def _put(file: zipfile.ZipFile, name: str, content: bytes, packed: int = zipfile.ZIP_STORED) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = packed
    file.writestr(info, content)
