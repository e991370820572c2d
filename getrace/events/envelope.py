"""What the bus adds to an event: its level and who said it."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


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


class Place(NamedTuple):
    """Where GE's source prints a message: file, line, function."""

    file: str
    line: int
    func: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Who speaks: process, thread, and the stage of the model's life (``load``, ``init``, ``main``, ``deinit``, "").

    ``place`` is given when a message is printed elsewhere than its row of the codec says: GE prints some texts in
    several places, and the text alone does not tell them apart.
    """

    pid: int
    process: str
    tid: int
    stage: str = ""
    place: Place | None = None
