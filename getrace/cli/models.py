"""A model by the user's words, and its graphs: what ``run`` and ``graph`` have in common.

The runtime knows Python models; dumps of real machines are read as snapshots, and a dump of a compute graph is a model,
too. Which of these a word means is decided here and nowhere else.
"""

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from getrace.cli.offline import graphs_of_om, refuse_inner
from getrace.dumps.doubts import doubts_of
from getrace.dumps.formats import dumps_in, model_format_of, read_dump
from getrace.dumps.om2 import read_om2
from getrace.dumps.om_file import read_om
from getrace.dumps.onnx_snapshot import read_onnx_snapshot
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.text_source import BrokenArchiveError, head_of_file
from getrace.errors import InputError, ModelError, UsageError
from getrace.plog.sniff import name_of
from getrace.rooms import samples_folder

if TYPE_CHECKING:
    from runtime.api.lowered import LoweredModel
    from runtime.api.models import Model

_HEAD = 4096
_ZIP = b"PK\x03\x04"
_OM, _OM2, _ONNX = "om", "om2", "onnx_model"


def find_model(text: str, *, strict_opset: bool = False) -> "Model":
    """Load a sample by name, a ``.py`` file with ``build()``, an ONNX or offline model, or a dump of a compute graph.

    Raises:
        ModelError: there is no such model, or it is not one; with ``strict_opset`` also one that GE refuses.
        InputError: the file is of another kind, or a dump that cannot be read.
    """
    from runtime.api.models import load_model  # noqa: PLC0415 - brings the runtime, wanted only here

    path = Path(text)
    if path.is_dir():
        hint = "give a sample, a .py file with build(), or the dump ComputeGraphBeforeLowering of a bundle"
        raise InputError(f"{text} is a folder, not a model", hint)
    if not _is_dump(path):
        return load_model(text, _samples())
    kind = _kind_of(path)
    if kind == _ONNX:
        return _model_of_onnx(path, strict_opset=strict_opset)
    return {_OM: _model_of_om, _OM2: _model_of_om2}.get(kind, _model_of_dump)(path)


def find_graphs(text: str, warnings: list[str], inner: str = "") -> list[GraphSnapshot]:
    """Give the graphs of a model, of a dump, or of a folder with dumps; of several formats the one that says most.

    An ONNX model comes in Ascend's operators; one that Ascend refuses in its own, with a warning that says why.
    ``inner`` names a model inside an offline model.

    Raises:
        InputError: the file or folder holds no graph that can be read.
        ModelError: it is no model either.
        UsageError: there is no such inner model.
    """
    path = Path(text)
    if _is_dump(path) and _kind_of(path) == _OM:
        drawn = graphs_of_om(path, inner, warnings)
        warnings += doubts_of(drawn)
        return [drawn]
    refuse_inner(text, inner)
    if path.is_dir():
        found = dumps_in(path)
        if not found:
            said = f"{text} holds no graph dump: looked for ge_proto_*.txt, then for files that read like one"
            raise InputError(said, "name a dump or a model")
        return [read_dump(dump) for dump in found]
    if _is_dump(path):
        graphs = _graphs_of_file(path, warnings)
        warnings += doubts_of(graphs)
        return [graphs]
    return _graphs_of_model(text)


def find_lowered(text: str) -> "LoweredModel":
    """Lower a model with all its stages. Raises as ``find_model``, and ModelError when it cannot be lowered."""
    model = find_model(text)
    from runtime.api.lowered import lower_for_view  # noqa: PLC0415 - brings the runtime

    return lower_for_view(model)


def _graphs_of_model(text: str) -> list[GraphSnapshot]:
    """Give the graphs that a run shows, so that a model and its bundle are the same picture."""
    lowered = find_lowered(text)
    from runtime.api.simulate import SHOWN_STAGES  # noqa: PLC0415 - brings the runtime

    return [stage for stage in lowered.stages if stage.stage in SHOWN_STAGES]


def is_model(text: str) -> bool:
    """Whether a word means a model that is lowered here, and no dump and no folder."""
    path = Path(text)
    return not path.is_dir() and (not _is_dump(path) or _kind_of(path) in (_OM, _OM2, _ONNX))


def _is_dump(path: Path) -> bool:
    return path.is_file() and path.suffix != ".py"


def _model_of_dump(path: Path) -> "Model":
    from runtime.api.models import Model  # noqa: PLC0415 - brings the runtime
    from runtime.frontend.from_snapshot import compute_graph_of  # noqa: PLC0415 - the same

    snapshot = _read_dump(path)
    if snapshot.owned("Main") is not None:
        raise ModelError(f"{path} is an execute graph, lowered already", "give the dump ComputeGraphBeforeLowering")
    try:
        return Model(path.name.partition(".")[0], compute_graph_of(snapshot))
    except KeyError as error:
        raise ModelError(f"{path} holds no graph {error}, which a node of it owns", "dump the model again") from error


def _kind_of(path: Path) -> str:
    """Give the word of a model's format by its content, else by its ending, so that its reader says what is broken."""
    row = model_format_of(path)
    if row is not None:
        return row.word
    return {".onnx": _ONNX, ".om": _OM}.get(path.suffix.lower(), "")


def _model_of_onnx(path: Path, *, strict_opset: bool) -> "Model":
    from runtime.api.models import Model  # noqa: PLC0415 - brings the runtime
    from runtime.frontend.onnx.model import import_onnx  # noqa: PLC0415 - the same

    imported = import_onnx(path, strict_opset=strict_opset)
    return Model(path.name.partition(".")[0], imported.graph, warnings=imported.warnings)


def _graphs_of_file(path: Path, warnings: list[str]) -> GraphSnapshot:
    kind = _kind_of(path)
    if kind == _OM2:
        om2 = read_om2(path)
        warnings += om2.warnings
        return replace(om2.snapshot, source=str(path))
    return _onnx_graphs(path, warnings) if kind == _ONNX else _read_dump(path)


def _onnx_graphs(path: Path, warnings: list[str]) -> GraphSnapshot:
    from runtime.graph.to_snapshot import snapshot_of  # noqa: PLC0415 - brings the runtime
    from runtime.lowering.stages import BEFORE_LOWERING  # noqa: PLC0415 - the same

    try:
        model = _model_of_onnx(path, strict_opset=False)
    except ModelError as error:
        warnings.append(f"the model is drawn in its own operators: {error.message}")
        return read_onnx_snapshot(path)
    warnings += model.warnings
    return snapshot_of(model.graph, BEFORE_LOWERING)


def _model_of_om(path: Path) -> "Model":
    from runtime.api.models import Model  # noqa: PLC0415 - brings the runtime
    from runtime.frontend.om import compute_graph_of_om  # noqa: PLC0415 - the same

    om = read_om(path)
    made_for = str(om.models[0].attrs.get("soc_version", "")) if om.models else ""
    return Model(path.name.partition(".")[0], compute_graph_of_om(om), warnings=om.warnings, made_for=made_for)


def _model_of_om2(path: Path) -> "Model":
    from runtime.api.models import Model  # noqa: PLC0415 - brings the runtime
    from runtime.frontend.om2 import compute_graph_of_om2  # noqa: PLC0415 - the same

    om2 = read_om2(path)
    made_for = str(om2.attrs.get("soc_version", ""))
    return Model(path.name.partition(".")[0], compute_graph_of_om2(om2), warnings=om2.warnings, made_for=made_for)


def _read_dump(path: Path) -> GraphSnapshot:
    """Read a dump; of what is none, say what it is rather than what is missing in its first line."""
    try:
        return read_dump(path)
    except BrokenArchiveError:
        raise
    except InputError:
        if model_format_of(path) is not None:
            raise
        head = head_of_file(path, _HEAD)
        _refuse_late_zip(path, head)
        found = name_of(head)
        if found is None or found[0].endswith(" dump"):
            raise
        raise InputError(f"{path} is {found[0]}, not a graph dump", found[1]) from None


def _refuse_late_zip(path: Path, head: bytes) -> None:
    """Raise InputError for a zip behind other bytes: programs that unpack files take it, GE looks at the first four."""
    begin = head.find(_ZIP)
    if begin > 0 and zipfile.is_zipfile(path):
        said = f"{path}: a zip archive begins at offset {begin}; an OM2 begins with it"
        raise InputError(said, f"take the {begin} bytes away that stand before it")


def _samples() -> Path | None:
    try:
        return samples_folder()
    except UsageError:
        return None
