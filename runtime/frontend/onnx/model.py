"""One ONNX file as one compute graph: checked, woven, with its warnings.

Source: spec/formats.md 5.
"""

from dataclasses import dataclass
from pathlib import Path

from getrace.dumps.onnx_model import OnnxModel
from getrace.dumps.onnx_reader import read_onnx
from runtime.frontend.onnx.constants import take_in_files
from runtime.frontend.onnx.opsets import Plugins
from runtime.frontend.onnx.weaving import Weave, weave_model
from runtime.graph.compute_graph import ComputeGraph


@dataclass(frozen=True, slots=True)
class Imported:
    """A model and what a user should know of it."""

    graph: ComputeGraph
    warnings: tuple[str, ...]


def import_onnx(path: Path, *, strict_opset: bool = False) -> Imported:
    """Read a file and translate it. Weights in other files are read from the model's own folder only.

    Raises InputError for a file that is no model or is broken, ModelError for what Ascend's front end does not take;
    with ``strict_opset`` also for versions that GE refuses.
    """
    return translate(read_onnx(path), path.stem, path.parent, strict_opset=strict_opset, files_inside=True)


def translate(
    model: OnnxModel, name: str, folder: Path | None, *, strict_opset: bool = False, files_inside: bool = False
) -> Imported:
    """Translate a model that was read; ``files_inside`` takes weights of other files into it. Raises as above."""
    plugins = Plugins(model.opsets, strict_opset)
    plugins.check(model.graph)
    weave = Weave(plugins, folder)
    graph = weave_model(weave, model.graph, _name(model, name))
    if files_inside and folder is not None:
        take_in_files(graph, weave.files, folder)
    return Imported(graph, (*plugins.warnings, *dict.fromkeys(weave.warnings)))


def _name(model: OnnxModel, otherwise: str) -> str:
    """Name the graph as the model does, where a line of a log can show it."""
    said = model.graph.name
    return said if said and said.isprintable() else otherwise
