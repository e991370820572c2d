"""The root model of an offline model: its graph ready to be lowered, and what it asks of the device it runs on.

Source: spec/execution.md 3.2 (load path, deterministic conflict), spec/formats.md 1.13.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from getrace.dumps.om_file import OmFile, parse_om
from getrace.dumps.snapshot import AttrValue
from getrace.errors import InputError
from runtime.api.ge_process import GeProcess
from runtime.api.gert.model_data import ModelData, file_head, refuse_bundle
from runtime.api.support import OTHER_CHIP, runs_on
from runtime.engines.options import LoweringOptions
from runtime.frontend.om import compute_graph_of_om
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.status import Status

_LOAD: Final = ("api.cc", 77, "LoadRootModel")
_CONFLICT: Final = ("api.cc", 52, "CheckDeterministicConfig")
_PARSE: Final = ("model_helper.cc", 0, "LoadRootModel")
_SOC: Final = ("model_helper.cc", 0, "CheckModelCompatibility")

DETERMINISTIC: Final = ("ge.deterministic", "ge.deterministicLevel")
"""Options that a model was compiled with and that the process that runs it has to agree with."""


@dataclass(frozen=True, slots=True)
class RootModel:
    """A model that was read: its name, its graph, and the file it came in."""

    name: str
    graph: ComputeGraph
    om: OmFile

    @property
    def attrs(self) -> Mapping[str, AttrValue]:
        """What its compiler says of the whole model."""
        return self.om.models[0].attrs if self.om.models else {}


def load_root_model(process: GeProcess, model_data: ModelData) -> tuple[RootModel | None, int]:
    """``LoadRootModel``. Gives None and a status for what is no model, and for one of another device."""
    header, status = file_head(process, model_data.model_data)
    if header is not None:
        status = refuse_bundle(process, header)
    if not status:
        model, status = _parsed(process, model_data)
        if model is not None and not (status := _first_refusal(process, model)):
            return model, Status.SUCCESS
    process.refuse(_LOAD, "Failed to load root model from model data")
    return None, status


def _parsed(process: GeProcess, model_data: ModelData) -> tuple[RootModel | None, int]:
    source = model_data.om_path or "model data"
    try:
        with process.refusing(_PARSE):
            om = parse_om(memoryview(model_data.model_data), source)
            graph = compute_graph_of_om(om)
    except InputError:
        return None, Status.FAILED
    return RootModel(graph.name, graph, om), Status.SUCCESS


def _first_refusal(process: GeProcess, model: RootModel) -> int:
    checks = (check_executable, check_soc, check_opp)
    return next((status for check in checks if (status := check(process, model))), Status.SUCCESS)


def check_executable(process: GeProcess, model: RootModel) -> int:
    """Refuse a file with a graph alone: what atc saves beside the compiled model, with ``_original`` in its name."""
    if not model.om.models or len(model.om.models[0].order) > 1:
        return Status.SUCCESS
    return process.refuse(_PARSE, "Error, please use executable om model")


def check_opp(process: GeProcess, model: RootModel) -> int:
    """Refuse a dynamic model of other operators than those installed, unless its header promises to bring its own."""
    header, made_with = model.om.header, model.attrs.get("opp_version")
    if (
        not header.is_dynamic
        or header.needs_host
        or not process.opp_version
        or made_with in (None, process.opp_version)
    ):
        return Status.SUCCESS
    return process.refuse(_SOC, "The opp version of the model does not match the current opp run package")


def check_soc(process: GeProcess, model: RootModel) -> int:
    """``aclrtCheckArchCompatibility``: refuse a model that was compiled for another kind of chip."""
    if runs_on(str(model.attrs.get("soc_version", "")), process.device.profile):
        return Status.SUCCESS
    return process.refuse(_SOC, OTHER_CHIP, report="E10001")


def check_deterministic(process: GeProcess, model: RootModel) -> int:
    """Compare the model's deterministic options with the process's; one the process has not is taken over."""
    for key in DETERMINISTIC:
        value = model.graph.attrs.get(key, model.attrs.get(key))
        if not isinstance(value, int):
            continue
        have = process.options.setdefault(key, str(int(value)))
        if have != str(int(value)):
            text = f"The offline model option[{key}]={int(value)} conflicts with process option[{key}]={have}."
            return process.refuse(_CONFLICT, text, Status.PARAM_INVALID, report="E10001")
    return Status.SUCCESS


def with_process_options(process: GeProcess, options: LoweringOptions) -> LoweringOptions:
    """Give the lowering what the process says of determinism."""
    plain, level = (int(process.options.get(key, "0")) for key in DETERMINISTIC)
    return replace(options, deterministic=plain, deterministic_level=level)
