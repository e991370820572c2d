"""Om2ModelExecutor: an OM2 loaded and run.

GE loads the library that is inside and calls its functions. Code from a file is never run here: the graph beside it
runs on the simulated device as a static model, which an OM2 always is.

Source: spec/execution.md 3.5, spec/formats.md 2.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from getrace.dumps.om2 import parse_om2
from getrace.dumps.om2_zip import Container
from getrace.errors import InputError
from runtime.api.error_codes import AclError
from runtime.api.ge_process import GeProcess
from runtime.api.gert.model_data import ModelData
from runtime.api.static_model import StaticModel, load_static_model
from runtime.frontend.om2 import compute_graph_of_om2
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.status import Status
from runtime.lowering.model_desc import ModelDesc
from runtime.values import Tensor

CONST_TYPES: Final = frozenset({"INTERNAL", "COMBINED", "INDIVIDUAL"})
"""How a constant may be kept; another type is refused."""

_FILE: Final = "om2_model_executor.cc"
_OPEN: Final = (_FILE, 0, "LoadOm2ExecutorFromData")
_CREATE: Final = (_FILE, 884, "LoadOm2ExecutorFromData")
_RUN: Final = (_FILE, 805, "Run")
_META, _LIBRARY, _CONFIG = "model_meta.json", ".so", "_constants_config.json"
_DEBUG = "/debug/"
"""The folder of the graph; a file without it holds nothing that can be run here."""

_MOST_CONFIG = 4 << 20
_FIRST_STEP = 1


class Om2ModelExecutor:
    """A loaded OM2. ``step_id`` is the number of the next run."""

    def __init__(self, process: GeProcess, graph: ComputeGraph) -> None:
        self.step_id = _FIRST_STEP
        self._process = process
        self._graph = graph
        self._model: StaticModel | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether ``load`` succeeded and ``unload`` was not called since."""
        return self._model is not None

    @property
    def desc(self) -> ModelDesc:
        """``GetModelDescInfo``: inputs and outputs. Only a loaded model has it."""
        assert self._model is not None
        return self._model.desc

    def load(self) -> int:
        """``Om2ModelExecutor::Load``: take memory for the model and copy its weights. Gives FAILED when it cannot."""
        self._model, status = load_static_model(self._process, self._graph)
        return status

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """``Om2ModelExecutor::Run``: run on the default stream and wait, however long it takes (timeout -1)."""
        return self.run_async(0, inputs, outputs) or self._process.device.synchronize(0)

    def run_async(self, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """``Om2ModelExecutor::RunAsync``: put a run on a stream. Tensors lie on the device."""
        if self._model is None:
            return self._process.refuse(_RUN, "[OM2] the model is not loaded", Status.PARAM_INVALID)
        status = self._model.execute(stream, inputs, outputs)
        self.step_id += not status
        return status

    def unload(self) -> int:
        """Give the memory of the model back."""
        if self._model is not None:
            self._model.unload()
            self._model = None
        return Status.SUCCESS


def load_om2_executor_from_data(process: GeProcess, model_data: ModelData) -> tuple[Om2ModelExecutor | None, int]:
    """``gert::LoadOm2ExecutorFromData``: check the zip and load its graph. Gives None and a status when it cannot."""
    status = _check_members(process, model_data)
    if status:
        return None, status
    try:
        with process.refusing(_CREATE):
            source = model_data.om_path or "model data"
            graph = compute_graph_of_om2(parse_om2(memoryview(model_data.model_data), source))
    except InputError:
        return None, process.refuse(_CREATE, "Constructing Om2ModelExecutor failed.")
    executor = Om2ModelExecutor(process, graph)
    if status := executor.load():
        return None, status
    return executor, Status.SUCCESS


def _check_members(process: GeProcess, model_data: ModelData) -> int:
    """Refuse what GE refuses before it loads the library, then a library that is all there is."""
    try:
        container = Container(memoryview(model_data.model_data), model_data.om_path or "model data")
    except InputError as error:
        text = f"[OM2] Failed to open OM2 ZIP archive for deserialization: {error.message}"
        return process.refuse(_OPEN, text, AclError.GE_PARAM_INVALID)
    names = list(container.members)
    libraries = [name for name in names if name.endswith(_LIBRARY)]
    only_binary = f"[OM2] only the compiled library {', '.join(libraries)} is inside, which is never loaded here"
    missing: tuple[tuple[bool, str, int], ...] = (
        (not names, "[OM2] ZIP archive is empty", AclError.GE_PARAM_INVALID),
        (not _has(names, _META), "[OM2] model_meta.json not found in ZIP archive.", Status.FAILED),
        (not libraries, "[OM2] Compiled .so not found in ZIP archive.", Status.FAILED),
        (not _has([name for name in names if _DEBUG in name], ".json"), only_binary, Status.FAILED),
    )
    for is_missing, text, code in missing:
        if is_missing:
            return process.refuse(_OPEN, text, code)
    unknown = next((kind for kind in _const_types(container) if kind not in CONST_TYPES), None)
    if unknown is not None:
        return process.refuse(_OPEN, f"[OM2][Check] Unsupported const type, type={unknown}")
    return Status.SUCCESS


def _has(names: Sequence[str], ending: str) -> bool:
    return any(name.endswith(ending) for name in names)


def _const_types(container: Container) -> Iterator[str]:
    """Give the types of all constants; what is no JSON is left to the reader of the file to refuse."""
    for name in container.members:
        if not name.endswith(_CONFIG):
            continue
        try:
            document = json.loads(container.read(name, _MOST_CONFIG))
        except (ValueError, InputError):
            continue
        consts = document.get("consts") if isinstance(document, dict) else None
        rows = consts.values() if isinstance(consts, dict) else ()
        yield from (str(row.get("type", "INTERNAL")) for row in rows if isinstance(row, dict))
