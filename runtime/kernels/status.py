"""Status numbers of GE and of the API in front of it (spec/execution.md 0.1), each once.

A kernel, an executor and an application all compare the same number; two tables would sooner or later differ.
"""

from enum import IntEnum


class Status(IntEnum):
    """What a kernel or an executor call returns. 0 is success, so a status is true when something went wrong."""

    SUCCESS = 0
    QUEUE_FULL = 1
    UNSUPPORTED = 100
    END_OF_SEQUENCE_RT = 507005
    GRAPH_PARAM_OUT_OF_RANGE = 50331644
    GRAPH_PARAM_INVALID = 50331649
    MEMALLOC_FAILED = 1343225856
    PARAM_INVALID = 1343225857
    RT_FAILED = 1343225859
    INTERNAL_ERROR = 1343225860
    END_OF_SEQUENCE = 1343225863
    NOT_INITIALIZED = 1343229963
    SESSION_ALREADY_RUNNING = 1343238145
    GRAPH_ALREADY_RUNNING = 1343242241
    SYNC_MODEL_FAILED = 1343242272
    GRAPH_NODE_NULL = 1343242276
    FAILED = 0xFFFFFFFF


class AclStatus(IntEnum):
    """What an ACL call returns."""

    SUCCESS = 0
    INVALID_PARAM = 100000
    REPEAT_INITIALIZE = 100002
    INVALID_FILE = 100003
    GE_PARAM_INVALID = 145000
    MODEL_PATH_INVALID = 145002
    MODEL_ID_INVALID = 145003
    MODEL_DATA_SIZE_INVALID = 145006
    BAD_ALLOC = 200000
    API_NOT_SUPPORT = 200001
    STORAGE_OVER_LIMIT = 300000
    GE_FAILURE = 500002


_GE_PASSES = range(145000, 546000)
_RTS_PASSES = range(107000, 508000)


def to_acl(status: int) -> int:
    """Turn a status of GE into one of ACL: GE's and RTS's own ranges pass, the rest becomes ``GE_FAILURE``."""
    if status == Status.SUCCESS or status in _GE_PASSES or status in _RTS_PASSES:
        return int(status)
    return int(AclStatus.GE_FAILURE)
