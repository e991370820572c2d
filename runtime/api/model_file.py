"""A model's file read into memory, with GE's checks of the path: what OM and OM2 loaders share.

Source: spec/execution.md 3.2, 3.4 (texts of ``IsOm2Model``); E13000, E13001 and E13015 are the error manager's codes.
"""

from pathlib import Path
from typing import Final

from runtime.api.error_codes import AclError
from runtime.api.ge_process import GeProcess

_LOAD: Final = ("model_parser.cc", 0, "LoadFromFile")


def read_file(process: GeProcess, path: str | None, least: int = 1) -> tuple[bytes, int]:
    """Read a file of at least ``least`` bytes. Gives its content and 0, or b"" and 145002."""
    if not path or not _exists(path):
        shown = "(null)" if path is None else path
        text = f"[Check][Param]Model file path {shown} is invalid"
        return b"", process.refuse(_LOAD, text, AclError.GE_EXEC_MODEL_PATH_INVALID, report="E13000")
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        text = f"[Open][File]Failed, file {path}, error {error.strerror}"
        return b"", process.refuse(_LOAD, text, AclError.GE_EXEC_MODEL_PATH_INVALID, report="E13001")
    if len(content) < least:
        text = f"[Check][Param]File {path} size {len(content)} is invalid, it must be at least {least}"
        return b"", process.refuse(_LOAD, text, AclError.GE_EXEC_MODEL_PATH_INVALID, report="E13015")
    return content, 0


def head_of_file(process: GeProcess, path: str | None, size: int) -> tuple[bytes, int]:
    """Read the first ``size`` bytes of a file; otherwise as ``read_file``, and a shorter file gives what it has."""
    if not path or not _exists(path):
        return read_file(process, path)
    try:
        with Path(path).open("rb") as file:
            return file.read(size), 0
    except OSError:
        return read_file(process, path)


def _exists(path: str) -> bool:
    """Whether there is something at a path; the system refuses even to look for a name that is too long."""
    try:
        return Path(path).exists()
    except OSError:
        return False
