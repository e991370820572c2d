"""The words of a hang: who waits, for what, who was to end the wait, and why that did not happen. Plain records.

Three kinds of stream number never mix: ``logical`` is GE's, ``model`` that of a compiled model, ``rt`` the runtime's.
What HCCL and the AI CPU print as ``streamId`` is of no kind that can be told, so it stands by itself as ``printed``.
"""

from dataclasses import dataclass
from enum import StrEnum

from getrace.analysis.confidence import Confidence
from getrace.analysis.places import Place


@dataclass(frozen=True, slots=True)
class StreamIds:
    """The numbers of one stream by their kind; None: the log does not say."""

    logical: int | None = None
    model: int | None = None
    rt: int | None = None
    printed: int | None = None

    @property
    def text(self) -> str:
        """Name the stream for a person, each number with its kind."""
        kinds = (
            ("rt stream", self.rt),
            ("logical stream", self.logical),
            ("model stream", self.model),
            ("stream of HCCL's numbering", self.printed),
        )
        said = [f"{kind} {number}" for kind, number in kinds if number is not None]
        return (f"{said[0]} ({', '.join(said[1:])})" if said[1:] else said[0]) if said else "a stream without a number"


class Waiter(StrEnum):
    """Who waits."""

    HOST = "host"
    STREAM = "stream"


class WaitKind(StrEnum):
    """What is waited for."""

    EVENT = "event"
    NOTIFY = "notify"
    SYNCHRONISE = "synchronise"
    TASK = "task"
    """No wait: the stream stands at a task of its own that has not ended."""
    UNKNOWN = "unknown"


class Why(StrEnum):
    """Why what is waited for has not happened."""

    STREAM_BLOCKED = "stream_blocked"
    STREAM_FAILED = "stream_failed"
    STREAM_BUSY = "stream_busy"
    NEVER_LAUNCHED = "never_launched"
    LAUNCHED_LATE = "launched_late"
    SIGNAL_LOST = "signal_lost"
    ELSEWHERE = "elsewhere"
    TOO_SHORT = "too_short"
    UNKNOWN = "unknown"


WORDS: dict[Why, str] = {
    Why.STREAM_BLOCKED: "its stream is blocked itself",
    Why.STREAM_FAILED: "its stream failed",
    Why.STREAM_BUSY: "a task of its own stream has not ended",
    Why.NEVER_LAUNCHED: "it was never launched",
    Why.LAUNCHED_LATE: "it was launched only behind the wait",
    Why.SIGNAL_LOST: "it ran, and its signal did not arrive",
    Why.ELSEWHERE: "it belongs to another process or rank",
    Why.TOO_SHORT: "the device went on, so the host gave up too early",
    Why.UNKNOWN: "the log does not say",
}


@dataclass(frozen=True, slots=True)
class Recorder:
    """The task that was to end a wait; None in a field: the log does not say. ``place`` shows its launch."""

    stream: StreamIds
    kernel: str | None = None
    task: int | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """One that waits. ``number`` is the event's or notify's, ``task`` the runtime's number of the waiting task.

    ``at`` is the line of its kernel. ``on`` is the index of the hang that keeps the recorder from running, in the list
    that holds this one. ``pending`` counts the tasks from the waiting one to the stream's end. ``root``: it waits for
    no other one of the list. ``done_kernel`` is that of the last task before it that the host knew to be done, with its
    line. ``head`` and ``tail`` are positions of the stream's queue where the device prints them. ``cannot_tell`` says
    what is missing for a better answer ("" when nothing is).
    """

    waiter: Waiter
    pid: int
    stream: StreamIds
    kind: WaitKind
    why: Why
    confidence: Confidence
    evidence: tuple[Place, ...]
    number: int | None = None
    task: int | None = None
    kernel: str | None = None
    at: Place | None = None
    done_kernel: str | None = None
    done_at: Place | None = None
    pending: int | None = None
    head: int | None = None
    tail: int | None = None
    recorder: Recorder | None = None
    on: int | None = None
    root: bool = False
    limit_s: float | None = None
    waited_s: float | None = None
    cannot_tell: str = ""


class RankState(StrEnum):
    """What the log says of a rank."""

    WAITING = "waiting"
    FAILED = "failed"
    LOST = "lost"
    STUCK = "stuck"
    ABSENT = "absent"
    OTHER_CALL = "other_call"
    LATE = "late"
    UNKNOWN = "unknown"


STATE_WORDS: dict[RankState, str] = {
    RankState.WAITING: "waits",
    RankState.FAILED: "failed by itself",
    RankState.LOST: "lost its heartbeat",
    RankState.STUCK: "is stuck",
    RankState.ABSENT: "never arrived",
    RankState.OTHER_CALL: "called another operation than the others",
    RankState.LATE: "arrived after the others had given up",
    RankState.UNKNOWN: "says nothing",
}


@dataclass(frozen=True, slots=True)
class Rank:
    """One rank as the log names it: a number in ``group``, or ``server/device``. ``time_ns``: its first statement."""

    name: str
    state: RankState
    confidence: Confidence
    pid: int | None = None
    evidence: tuple[Place, ...] = ()
    time_ns: int | None = None
    cannot_tell: str = ""


@dataclass(frozen=True, slots=True)
class RankWait:
    """``waiter`` waits for ``peer``. ``stated``: a line says so; otherwise it follows from who is missing."""

    waiter: str
    peer: str
    stated: bool
    what: str
    evidence: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """A time-out as the log prints it. ``given``: configured, by default, or only quoted in an error's text."""

    name: str
    seconds: float
    given: str
    place: Place


@dataclass(frozen=True, slots=True)
class Spread:
    """How far apart the ranks gave up, against the time-out. ``inside`` None: cannot be told, ``text`` says why.

    ``limit_ns`` is the one that counts, where the log leaves no doubt which.
    """

    first_ns: int | None
    last_ns: int | None
    inside: bool | None
    text: str
    limits: tuple[Limit, ...] = ()
    limit_ns: int | None = None

    @property
    def ns(self) -> int | None:
        """The spread; None without two times."""
        return None if self.first_ns is None or self.last_ns is None else self.last_ns - self.first_ns


@dataclass(frozen=True, slots=True)
class RankGraph:
    """Who waits for whom in one group of ranks. ``roots`` are names of ranks, the surest first."""

    group: str
    size: int | None
    ranks: tuple[Rank, ...]
    edges: tuple[RankWait, ...]
    roots: tuple[Rank, ...]
    cycles: tuple[tuple[str, ...], ...]
    spread: Spread
    cannot_tell: str = ""


@dataclass(frozen=True, slots=True)
class Hangs:
    """Everything that waits in a log. ``unread`` records that may tell of waits were too many to be read."""

    streams: tuple[Hang, ...] = ()
    groups: tuple[RankGraph, ...] = ()
    limits: tuple[Limit, ...] = ()
    unread: int = 0

    def root_of(self, pid: int) -> Hang | None:
        """Give the stream of a process that the others hang on, by the best evidence; one whose kernel is known."""
        order = list(Confidence)
        ends = [hang for hang in self.streams if hang.root and hang.pid == pid and hang.kernel]
        return min(ends, key=lambda hang: order.index(hang.confidence), default=None)
