"""ModelData: the bytes of an offline model, and what its header says before anything else is read.

Source: spec/execution.md 3.2 (``LoadDataFromFile``, ``IsDynamicModel``), spec/formats.md 1.1, 1.3, 1.5; GE ``api.cc``.
"""

import struct
from dataclasses import dataclass
from typing import Final, NamedTuple

from getrace.dumps.om_header import BUNDLE, SERVER, SIZE, OmHeader, read_header
from getrace.errors import InputError
from runtime.api.error_codes import AclError
from runtime.api.ge_process import GeProcess
from runtime.api.model_file import read_file
from runtime.kernels.status import Status

_LOAD_DATA: Final = ("api.cc", 124, "LoadDataFromFile")
_NULL_MODEL: Final = ("api.cc", 219, "IsDynamicModel")
_SHORT_MODEL: Final = ("api.cc", 222, "IsDynamicModel")
_NULL_PATH: Final = ("api.cc", 234, "IsDynamicModel")
_NO_DATA: Final = ("api.cc", 243, "IsDynamicModel")
_NO_HEAD: Final = ("api.cc", 247, "IsDynamicModel")
_FILE_HEAD: Final = ("model_helper.cc", 0, "GetModelFileHead")
_VERSION_NUMBER_FLAG: Final = struct.Struct("<8xI144xI33xB")
"""Of the header; GE reads these three from memory without a look at the magic."""

_BUNDLE: Final = ("model_helper.cc", 0, "LoadRootModel")


@dataclass(frozen=True, slots=True)
class ModelData:
    """``ge::ModelData``: the model, where it came from, where external weights lie, the priority of its tasks."""

    model_data: bytes
    om_path: str = ""
    weight_path: str = ""
    priority: int = 0

    @property
    def model_len(self) -> int:
        """Bytes of the model."""
        return len(self.model_data)


class Answer(NamedTuple):
    """What ``IsDynamicModel`` gives: its status, and whether the model is dynamic (False when the status is not 0)."""

    status: int
    is_dynamic: bool = False


def load_data_from_file(process: GeProcess, model_path: str | None) -> tuple[ModelData | None, int]:
    """``gert::LoadDataFromFile``: read a model without looking into it. Gives None and a status when it cannot be."""
    content, status = read_file(process, model_path)
    if status:
        process.refuse(_LOAD_DATA, "Failed to load model data")
        return None, status
    return ModelData(content, str(model_path)), Status.SUCCESS


def is_dynamic_model(process: GeProcess, model: bytes | None) -> Answer:
    """``gert::IsDynamicModel(model, size)``: whether RT2 is to run it, by its header alone."""
    if model is None:
        process.refuse(_NULL_MODEL, "[Check][Input] failed, model is null.")
        return Answer(Status.PARAM_INVALID)
    if len(model) < SIZE:
        text = (
            f"[Check][Param] Invalid model size. Model data size {len(model)} must be greater than or equal to {SIZE}."
        )
        return Answer(process.refuse(_SHORT_MODEL, text, AclError.GE_EXEC_MODEL_DATA_SIZE_INVALID, report="E10001"))
    return Answer(Status.SUCCESS, _is_dynamic(*_VERSION_NUMBER_FLAG.unpack_from(model)))


def is_dynamic_model_file(process: GeProcess, model_path: str | None) -> Answer:
    """``gert::IsDynamicModel(path)``."""
    if model_path is None:
        process.refuse(_NULL_PATH, "[Check][ModelPath] failed, model_path is null.")
        return Answer(Status.PARAM_INVALID)
    content, status = read_file(process, model_path)
    if status:
        return Answer(process.refuse(_NO_DATA, f"Failed to load model data from model path[{model_path}]", status))
    header, status = file_head(process, content)
    if header is None:
        return Answer(process.refuse(_NO_HEAD, "[Get][ModelFileHead] failed.", status))
    return Answer(Status.SUCCESS, _is_dynamic(header.version, header.model_num, header.is_dynamic))


def _is_dynamic(version: int, model_num: int, unknown: int) -> bool:
    return version >= SERVER and (model_num > 1 or unknown == 1)


def file_head(process: GeProcess, model: bytes) -> tuple[OmHeader | None, int]:
    """Read the header of a model. Gives None and 145006 when it is none, or its lengths are not those of the file."""
    try:
        return read_header(memoryview(model), "model data"), Status.SUCCESS
    except InputError as error:
        status = AclError.GE_EXEC_MODEL_DATA_SIZE_INVALID
        return None, process.refuse(_FILE_HEAD, error.message, status, report="E10001")


def refuse_bundle(process: GeProcess, header: OmHeader) -> int:
    """Refuse what only ``aclmdlBundleLoad…`` takes: several models in one file."""
    if header.version < SERVER or header.kind != BUNDLE:
        return Status.SUCCESS
    text = "The bundle model does not support loading through non-bundle interfaces."
    return process.refuse(_BUNDLE, text, report="E10001")
