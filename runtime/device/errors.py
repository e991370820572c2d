"""The errors of a device: the code of the API, the words and numbers that RUNTIME prints for it, and how one is raised.

One table, so that a code cannot be printed with the words of another one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from runtime.device.tasks import AICPU, Task

AICORE_EXCEPTION: Final = 507015
"""``ACL_ERROR_RT_AICORE_EXCEPTION``: a kernel died on the device."""
AICORE_TIMEOUT: Final = 507014
AICPU_TIMEOUT: Final = 507017
AICPU_EXCEPTION: Final = 507018
STREAM_NOT_IN_CONTEXT: Final = 107003
"""``ACL_ERROR_RT_STREAM_CONTEXT``: the handle is no stream of the current context."""
SYNC_TIMEOUT: Final = 107020
"""``ACL_ERROR_RT_STREAM_SYNC_TIMEOUT``: what was waited for did not end in time."""
END_OF_SEQUENCE: Final = 507005
NO_MEMORY: Final = 207001
NO_STREAM: Final = 207005
NO_EVENT: Final = 207007
NO_NOTIFY: Final = 207009
LAUNCH_FAILED: Final = 507000
"""``ACL_ERROR_RT_INTERNAL_ERROR``, what a call gives that has no better word."""
COPY_FAILED: Final = 507000

_RUNTIME = 0x7150000


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """``reason`` and ``ret`` as RUNTIME prints them, ``inner`` its own code, ``source`` where they are from."""

    reason: str
    ret: int
    inner: int
    source: str = "assumed"


def _device(reason: str, ret: int, source: str = "assumed") -> ErrorRow:
    return ErrorRow(reason, ret, _RUNTIME + ret, source)


ERRORS: Final[Mapping[int, ErrorRow]] = MappingProxyType(
    {
        AICORE_EXCEPTION: _device("aicore exception", 0x26, "cases/real/01, spec/kerneltrace.md 6.2"),
        507035: ErrorRow("vector core exception", 0x31, 0x715005E, "cases/real/08"),
        507011: ErrorRow("the model stream execute failed", 0x91, 0x7150050, "cases/real/146"),
        AICORE_TIMEOUT: _device("aicore timeout", 0x25),
        AICPU_TIMEOUT: _device("aicpu timeout", 0x28),
        AICPU_EXCEPTION: _device("aicpu exception", 0x2A),
        END_OF_SEQUENCE: _device("end of sequence", 0x95),
        LAUNCH_FAILED: ErrorRow("internal error", 0x7110001, 0x7110001),
        NO_MEMORY: ErrorRow("driver error:out of memory", 0x7020016, 0x7020016),
        NO_STREAM: ErrorRow("driver error:resource alloc fail", 0x7020023, 0x7020023, "cases/real/103"),
        NO_EVENT: ErrorRow("driver error:no event resource", 0x7020019, 0x7020019, "cases/real/103"),
        NO_NOTIFY: ErrorRow("driver error:no notify resource", 0x702001B, 0x702001B, "cases/real/103"),
        SYNC_TIMEOUT: ErrorRow("stream sync timeout", 0x711000F, 0x711000F),
    }
)


class DeviceError(Exception):
    """A task died for a reason that has a code of its own."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class ApiError(DeviceError):
    """A call of the API came back with a code at once; no task was made."""


def code_of(task: Task, error: Exception) -> int:
    """Give the code of what a task died of: the error's own, else the exception of the unit it ran on."""
    if isinstance(error, DeviceError):
        return error.code
    return AICPU_EXCEPTION if task.kind == AICPU else AICORE_EXCEPTION


def row_of(code: int) -> ErrorRow:
    """Give the words of a code; one that is in no table is printed as such."""
    return ERRORS.get(code) or ErrorRow("unknown error", code & 0xFF, code)
