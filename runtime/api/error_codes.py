"""Status numbers of ACL and of GE's calls above an executor, each once (spec/execution.md 0.1).

An executor's own numbers are in ``runtime.kernels.status``; these are those that only callers of the API see.
"""

from enum import IntEnum
from typing import Final


class AclError(IntEnum):
    """``ACL_ERROR_*``, the prefix left out. 0 is success."""

    NONE = 0
    INVALID_PARAM = 100000
    REPEAT_INITIALIZE = 100002
    INVALID_FILE = 100003
    BAD_ALLOC = 200000
    API_NOT_SUPPORT = 200001
    STORAGE_OVER_LIMIT = 300000
    GE_FAILURE = 500002
    GE_PARAM_INVALID = 145000
    GE_EXEC_MODEL_PATH_INVALID = 145002
    GE_EXEC_MODEL_ID_INVALID = 145003
    GE_EXEC_MODEL_DATA_SIZE_INVALID = 145006
    GE_MODEL_EXECUTE_TIMEOUT = 545601


class GeError(IntEnum):
    """Statuses of GE's sessions."""

    MEMALLOC_FAILED = 1343225856
    INTERNAL_ERROR = 1343225860
    UNSUPPORTED = 100
    CLI_GE_NOT_INITIALIZED = 1343229963
    SESS_ALREADY_RUNNING = 1343238145
    GRAPH_ALREADY_RUNNING = 1343242241
    GRAPH_SYNC_MODEL_FAILED = 1343242272
    GRAPH_GRAPH_NODE_NULL = 1343242276


_PASSED_ON: Final = (range(145000, 546000), range(107000, 508000))


def acl_status(status: int) -> int:
    """Give ACL's number for a status of GE: its own ranges and the driver's pass, the rest is one failure."""
    if status == 0 or any(status in known for known in _PASSED_ON):
        return int(status)
    return AclError.GE_FAILURE
