"""Finding a model: a sample by its name, or a Python file with a ``build()`` function.

Here a user's file is executed. What it raises becomes a sentence that names the file; nothing else may load models, or
the same fault would be reported in several ways.
"""

import contextlib
import runpy
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from getrace.errors import ModelError
from runtime.graph.compute_graph import ComputeGraph

_BUILD = "build"
_EXAMPLE_INPUTS = "EXAMPLE_INPUTS"


@dataclass(frozen=True, slots=True)
class Model:
    """A model: its graph, and shapes that its author chose for inputs whose shape is open.

    ``warnings`` are sentences on what real GE would do otherwise with it. ``made_for`` is the chip that a model was
    compiled for, "" where it does not say.
    """

    name: str
    graph: ComputeGraph
    example_inputs: Mapping[str, Sequence[int]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    made_for: str = ""


def load_model(text: str, samples: Path | None = None) -> Model:
    """Load the sample of a name, or the ``.py`` file of a path. Raises ModelError when it is no model."""
    path = _find(text, samples)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # standard output belongs to the answer
            names = runpy.run_path(str(path))
    except (Exception, SystemExit) as error:
        raise ModelError(f"{path} cannot be executed: {type(error).__name__}: {error}", "run it with Python") from error
    return _model_of(path, names)


def _find(text: str, samples: Path | None) -> Path:
    path = Path(text)
    if path.suffix == ".py":
        if not path.is_file():
            raise ModelError(f"there is no file {text}", "give the path of a Python file with a build() function")
        return path
    sample = samples / f"{text}.py" if samples is not None and path.name == text else None
    if sample is None or not sample.is_file():
        known = sorted(entry.stem for entry in samples.glob("*.py")) if samples is not None else []
        hint = f"samples: {', '.join(known)}" if known else "give the path of a Python file with a build() function"
        if path.suffix or path.name != text:
            raise ModelError(f"there is no file {text}", f"check the path, or give a sample; {hint}")
        raise ModelError(f"{text} is neither a sample nor a Python file", hint)
    return sample


def _model_of(path: Path, names: Mapping[str, Any]) -> Model:
    build = names.get(_BUILD)
    if not callable(build):
        raise ModelError(f"{path} has no build() function", "define build() that returns a ComputeGraph")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            graph = build()
    except ModelError:
        raise
    except (Exception, SystemExit) as error:
        text = f"build() of {path} failed: {type(error).__name__}: {error}"
        raise ModelError(text, "call build() in Python to see where") from error
    if not isinstance(graph, ComputeGraph):
        kind = "None" if graph is None else f"an object of type {type(graph).__name__}"
        raise ModelError(f"build() of {path} returned {kind}, not a ComputeGraph", "return GraphBuilder(...).build()")
    return Model(path.stem, graph, names.get(_EXAMPLE_INPUTS) or {})
