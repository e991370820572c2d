"""The wordings by which devices and ranks tell of waits, as a table of bounded patterns with named facts.

Sources: lines of the public cases (33, 36, 41, 42, 51, 77, 106, 108, 162, 195), HCCL's fault guide, and the settings
that HCCL prints at its start. A wording that is only an effect elsewhere may be the whole evidence of a wait here.
"""

from enum import StrEnum
from functools import cache

from getrace.analysis.rules.line_shapes import LineShapes
from getrace.analysis.rules.pattern import LONGEST, Pattern, trusted


class Sort(StrEnum):
    """What a line tells."""

    EVENT_TIMEOUT = "event_timeout"
    """The scheduler of the device: a wait on a stream took too long."""
    NOTIFY_TIMEOUT = "notify_timeout"
    """RUNTIME: tasks of HCCL wait for notifies that did not come."""
    HARDWARE_TIMEOUT = "hardware_timeout"
    """The hardware's scheduler gave up a task."""
    AICPU_WAIT = "aicpu_wait"
    """The AI CPU names the task at which a stream of HCCL stands, with both ranks."""
    TASK_OF_HCCL = "task_of_hccl"
    """HCCL names its task that failed or waited."""
    TAG = "tag"
    PEER = "peer"
    MEMBER = "member"
    OPERATION = "operation"
    NOT_RECEIVED = "not_received"
    """EI0002: the record of a notify did not come."""
    OWN_FAULT = "own_fault"
    """A unit of the own device failed: what the rank reports after it is no wait for another."""
    LOST = "lost"
    STUCK = "stuck"
    NO_LINK = "no_link"
    LINK = "link"
    CONNECTED = "connected"
    COUNTED = "counted"
    INIT_FAILED = "init_failed"
    ENTRY = "entry"
    RANK_ID = "rank_id"
    """A framework says which rank a process is."""
    CALL = "call"
    LIMIT = "limit"
    """A time-out as it was set, or as the line that reports it has it."""
    DUMP = "dump"
    """A line of the scheduler's dump of a queue."""


# sort, wordings
WORDINGS: tuple[tuple[str, ...], ...] = (
    (
        Sort.EVENT_TIMEOUT,
        (
            r"wait_sqe_is_timeout: Timeout: sq_pid=(?P<pid>\d+),.*exe_time=(?P<waited>\d+), time_out=(?P<limit>\d+), "
            r"stream_id=(?P<stream>\d+), task_id=(?P<task>\d+)"
        ),
    ),
    (
        Sort.NOTIFY_TIMEOUT,
        (
            r"hccl fftsplus task timeout occurred during task execution, stream_id:(?P<stream>\d+), sq_id:\d+, "
            r"task_id:(?P<task>\d+), stuck notify num:(?P<count>\d+)"
        ),
    ),
    (
        Sort.HARDWARE_TIMEOUT,
        r"RTS_HWTS: model_id=(?P<model>\d+), stream_id=(?P<stream>\d+), result=0x91, fault task_id=(?P<task>\d+)",
    ),
    (
        Sort.AICPU_WAIT,
        (
            r"base information is streamId:(?P<stream>\d+),.*head:(?P<head>\d+), tail:(?P<tail>\d+), "
            r"type:NOTIFY WAIT, localRank:(?P<rank>\d+), "
            r"remoteRank:(?P<peer>\d+), taskId:(?P<task>\d+), notifyId:(?P<notify>\d+)"
        ),
    ),
    (Sort.TASK_OF_HCCL, r"base information is streamID:\[(?P<stream>\d+)\], taskID\[(?P<task>\d+)\]"),
    (
        Sort.NOT_RECEIVED,
        r"has not received the Notify record from remote rank.*streamID:\[(?P<stream>\d+)\], ?taskID\[(?P<task>\d+)\]",
        r"has not received the Notify record from remote rank",
    ),
    (
        Sort.TAG,
        r"information is tag:(?P<tag>[^,]+), group:(?P<group>[^,]+),",
        r"tag\[(?P<tag>[^\]]*)\]",
    ),
    (
        Sort.OWN_FAULT,
        r"fftsplus task execute failed,.*err_type=\d+\[fftsplus (?P<reason>\w+) error",
        r"(?P<reason>SDMA memory copy task exception)",
    ),
    (Sort.PEER, r"remote rank:? ?\[(?P<peer>\w+)\]"),
    (
        Sort.MEMBER,
        r"group:\[(?P<group>[^\]]*)\],.*rankSize\[(?P<size>\d{1,7})\], rankId\[(?P<rank>\d{1,7})\]",
    ),
    (Sort.OPERATION, r"opData information is timeStamp:\[(?P<since>[^\]]*)\].*index\[(?P<index>\d+)\]"),
    (
        Sort.LOST,
        r"rank \[(?P<rank>[^\]]+)\]: rank \[(?P<peer>[^\]]+)\] status\[LOST\]",
        r"rank \[(?P<rank>[^\]]+)\]: crimer rank \[(?P<peer>[^\]]+)\] status\[LOST\]",
        (
            r"Exception Location\[IP/ID\]:\[(?P<peer>[^\]]+)\].*Discoverer:\[(?P<by>[^\]]+)\].*"
            r"ExceptionType:\[Heartbeat Lost"
        ),
        r"Exception Location\[IP/ID\]:\[(?P<peer>[^\]]+)\].*ExceptionType:\[Heartbeat Lost",
    ),
    (Sort.STUCK, r"Exception Location\[IP/ID\]:\[(?P<peer>[^\]]+)\].*ExceptionType:\[Stuck Occurred"),
    (
        Sort.NO_LINK,
        r"\((?P<peer>\d{1,7})\)\s+\|.*\((?P<rank>\d{1,7})\)\s+\|.*\|\s+(?P<status>no connect)\s+\|",
        r"\((?P<peer>\d{1,7})\)\s+\|.*\((?P<rank>\d{1,7})\)\s+\|.*\|\s+(?P<status>time out)\s+\|",
    ),
    (
        Sort.LINK,
        (
            r"localUserrank\[(?P<rank>\d{1,7})\]-localIpAddr\[(?P<server>[^\]]*)\].*"
            r"remoteUserrank\[(?P<peer>\d{1,7})\]-remoteIpAddr\[(?P<peer_server>[^\]]*)\]"
        ),
        (
            r"localUserrank\[(?P<rank>\d{1,7})\]-localIpAddr\[(?P<server>[^\]]*)\].*"
            r"remoteUserrank\[(?P<peer>\d{1,7})\]-remote_ip_addr\[(?P<peer_server>[^\]]*)\]"
        ),
    ),
    (Sort.RANK_ID, r"\(PID:(?P<pid>\d+), Device:\d+, RankID:(?P<rank>\d{1,7})\)"),
    (Sort.CONNECTED, r"connected rankinfo\[LINE \d+\]: (?P<ranks>[\[\]\d, ]+)"),
    (Sort.COUNTED, r"total connected num is \[(?P<count>\d+)\]"),
    (
        Sort.INIT_FAILED,
        r"HcclCommInitRootInfo failed, return.*rankNum\[(?P<size>\d{1,7})\], rank\[(?P<rank>\d{1,7})\]",
    ),
    (
        Sort.ENTRY,
        (
            r"Entry-HcclCommInitRootInfo(?:Inner)?:ranks\[(?P<size>\d{1,7})\], rank\[(?P<rank>\d{1,7})\].*"
            r"identifier\[(?P<group>[^\]]+)\]"
        ),
    ),
    (
        Sort.CALL,
        r"Entry-Hccl(?P<call>[A-Z]\w+): ?tag\[(?P<tag>[^\]]*)\],.*localRank\[(?P<rank>\d{1,7})\]",
    ),
    (
        Sort.LIMIT,
        r"(?P<name>HCCL_CONNECT_TIMEOUT) is set, timeOut\[(?P<s>\d+)\]",
        r"(?P<name>HCCL_EXEC_TIMEOUT) is set, timeOut\[(?P<s>\d+)\]",
        r"(?P<name>ExecTimeOut) is set to timeOut\[(?P<s>\d+)\]",
        r"(?P<name>HCCL_CONNECT_TIMEOUT) set by (?P<given>\w+).*to \[(?P<s>\d+)\]",
        r"(?P<name>HCCL_EXEC_TIMEOUT) set by (?P<given>\w+).*to \[(?P<s>\d+)\]",
        r"default (?P<quoted>\d+)s, You can set the interval by using (?P<name>HCCL_EXEC_TIMEOUT)",
        r"connect timeout interval \((?P<quoted>\d+)s by default\)",
        r"get socket timeout! timeout\[(?P<s>\d+) s\]",
        r"wait socket establish timeout, role\[\d\] rank\[(?P<rank>\d+)\] timeout\[(?P<s>\d+) s\]",
        r"stuck notify num:\d+, timeout:(?P<min>\d+)min",
        r"wait_sqe_is_timeout: Timeout:.*time_out=(?P<s>\d+), stream_id=",
        r"stream synchronize timeout:(?P<ms>-?\d+)",
        r"stream synchronize timeout = (?P<ms>-?\d+)ms",
    ),
    (
        Sort.DUMP,
        (
            r"stream_id=(?P<stream>\d+), rtsq_id=(?P<queue>\d+),.*head=(?P<head>\d+), tail=(?P<tail>\d+),.*"
            r"cq_tail=\d+, pid=(?P<pid>\d+)"
        ),
        (
            r"pos=(?P<pos>\d+): stream_id=(?P<stream>\d+), task_id=(?P<task>\d+), sqe_type=\d+, (?P<what>Event|Notify) "
            r"(?P<act>Wait|Record), (?:event|notify)_id=(?P<number>\d+)"
        ),
        r"pos=(?P<pos>\d+): stream_id=(?P<stream>\d+), task_id=(?P<task>\d+), sqe_type=(?P<type>\d+)",
    ),
)


@cache
def _patterns() -> tuple[tuple[Sort, Pattern], ...]:
    return tuple((Sort(row[0]), trusted(wording)) for row in WORDINGS for wording in row[1:])


@cache
def _shapes() -> LineShapes[tuple[Sort, Pattern]]:
    return LineShapes(lambda _: ((pattern.fixed, (sort, pattern)) for sort, pattern in _patterns()))


def may_tell(text: str) -> bool:
    """Say quickly whether any line of a text may tell something: most records do not."""
    return any(literal in text for literal in _literals())


@cache
def _literals() -> tuple[str, ...]:
    return tuple(dict.fromkeys(pattern.literal for _, pattern in _patterns()))


def told(line: str) -> list[tuple[Sort, dict[str, str]]]:
    """Give what a line tells: each sort at most once, by its first wording that fits."""
    fits = _shapes().may_fit(line)
    if not fits:
        return []
    head = line[:LONGEST]
    found: dict[Sort, dict[str, str]] = {}
    for sort, pattern in fits:
        facts = None if sort in found else pattern.search(head)
        if facts is not None:
            found[sort] = facts
    return list(found.items())
