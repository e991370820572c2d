"""The bytes of an OM2, and how one is told from an OM.

Source: spec/execution.md 3.4 (``IsOm2Model``), 3.5 (``LoadOm2DataFromFile``).
"""

from typing import Final, NamedTuple

from runtime.api.error_codes import AclError
from runtime.api.ge_process import GeProcess
from runtime.api.gert.model_data import ModelData
from runtime.api.model_file import head_of_file, read_file
from runtime.kernels.status import Status

MAGIC: Final = b"PK\x03\x04"

_LEAST = 2
_FILE: Final = "om2_model_executor.cc"
_LOADED: Final = (_FILE, 0, "LoadOm2DataFromFile")
_IS_OM2: Final = (_FILE, 0, "IsOm2Model")


class Answer(NamedTuple):
    """What ``IsOm2Model`` gives: its status, and whether it is an OM2 (False when the status is not 0)."""

    status: int
    is_om2: bool = False


def load_om2_data_from_file(process: GeProcess, path: str | None) -> tuple[ModelData | None, int]:
    """``gert::LoadOm2DataFromFile``: read an OM2 without looking into it. Gives None and a status when it cannot be."""
    content, status = read_file(process, path, _LEAST)
    if status:
        return None, status
    process.say(_LOADED, f"Load om2 model data success, path: {path}, size: {len(content)}")
    return ModelData(content, str(path)), Status.SUCCESS


def is_om2_model(process: GeProcess, data: bytes | None) -> Answer:
    """``IsOm2Model(data, size)``: whether the bytes begin as a zip."""
    if data is None:
        text = "[Check][Param] Invalid om2 model. Model data cannot be nullptr."
        return Answer(process.refuse(_IS_OM2, text, AclError.GE_PARAM_INVALID, report="E10001"))
    if len(data) < len(MAGIC):
        text = (
            f"[Check][Param] Invalid om2 model. Model data size {len(data)} must be greater than or equal to "
            f"{len(MAGIC)}."
        )
        return Answer(process.refuse(_IS_OM2, text, AclError.GE_EXEC_MODEL_DATA_SIZE_INVALID, report="E10001"))
    return Answer(Status.SUCCESS, data.startswith(MAGIC))


def is_om2_model_file(process: GeProcess, path: str | None) -> Answer:
    """``IsOm2Model(path)``: whether the file begins as a zip."""
    head, status = head_of_file(process, path, len(MAGIC))
    return Answer(status, head == MAGIC)
