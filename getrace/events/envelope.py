"""What the bus adds to an event: its level and who said it."""

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """Log levels in the numbers of ``ASCEND_GLOBAL_LOG_LEVEL``; the rest are levels that only old logs print."""

    DEBUG = 0
    INFO = 1
    WARNING = 2
    ERROR = 3
    NULL = 4
    EVENT = 5
    TRACE = 6
    CRITICAL = 7
    EXCEPTION = 8
    OPLOG = 9
    UNKNOWN = 10


@dataclass(frozen=True, slots=True)
class Origin:
    """Who speaks: process, thread, and the stage of the model's life (``load``, ``init``, ``main``, ``deinit``, "")."""

    pid: int
    process: str
    tid: int
    stage: str = ""
