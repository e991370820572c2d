"""A model by the user's words, and its graphs: what ``run`` and ``graph`` have in common.

The runtime knows Python models; dumps of real machines are read as snapshots. Which of the two a word means is decided
here and nowhere else.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from getrace.dumps.ge_proto import read_ge_proto
from getrace.dumps.snapshot import GraphSnapshot
from getrace.errors import InputError, UsageError
from getrace.plog.sniff import name_of
from getrace.rooms import samples_folder

if TYPE_CHECKING:
    from runtime.api.models import Model

_HEAD = 4096
_DUMPS = ("ge_proto_*.txt", "ge_proto_*.txt.gz")
_NOT_YET = {
    ".onnx": "an ONNX model",
    ".om": "an offline model",
    ".pbtxt": "a ge_onnx dump",
}


def find_model(text: str) -> "Model":
    """Load a sample by name, or a ``.py`` file with ``build()``.

    Raises:
        ModelError: there is no such model, or it is not one.
    """
    from runtime.api.models import load_model  # noqa: PLC0415 - brings the runtime, wanted only here

    _refuse_other_formats(Path(text))
    return load_model(text, _samples())


def find_graphs(text: str) -> list[GraphSnapshot]:
    """Give the graphs of a model, of a ``ge_proto`` dump, or of a folder with such dumps.

    Raises:
        InputError: the file or folder holds no graph that can be read.
        ModelError: it is no model either.
    """
    path = Path(text)
    if path.is_dir():
        found = sorted(dump for pattern in _DUMPS for dump in path.rglob(pattern))
        if not found:
            raise InputError(f"{text} holds no graph dump: looked for {_DUMPS[0]} in it and below", "name a dump")
        return [read_ge_proto(dump) for dump in found]
    _refuse_other_formats(path)
    if path.is_file() and path.suffix != ".py":
        return [_read_dump(path)]
    return _graphs_of_model(text)


def _read_dump(path: Path) -> GraphSnapshot:
    """Read a dump; of what is none, say what it is rather than what is missing in its first line."""
    try:
        return read_ge_proto(path)
    except InputError:
        with path.open("rb") as file:
            found = name_of(file.read(_HEAD))
        if found is None or found[0] == "a graph dump":
            raise
        raise InputError(f"{path} is {found[0]}, not a graph dump", found[1]) from None


def _graphs_of_model(text: str) -> list[GraphSnapshot]:
    model = find_model(text)
    from runtime.api.simulate import COMPUTE_STAGE, EXECUTE_STAGE  # noqa: PLC0415 - brings the runtime
    from runtime.graph.to_snapshot import (  # noqa: PLC0415 - the same
        snapshot_of_compute_graph,
        snapshot_of_execute_graph,
    )
    from runtime.lowering.graph_converter import lower  # noqa: PLC0415 - the same

    return [
        snapshot_of_compute_graph(model.graph, COMPUTE_STAGE),
        snapshot_of_execute_graph(lower(model.graph), EXECUTE_STAGE),
    ]


def _refuse_other_formats(path: Path) -> None:
    what = _NOT_YET.get(path.suffix.lower())
    if what is not None and path.is_file():
        raise InputError(
            f"{path} is {what}, which this version cannot read", "give a .py file with build(), or a ge_proto dump"
        )


def _samples() -> Path | None:
    try:
        return samples_folder()
    except UsageError:
        return None
