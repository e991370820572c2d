"""The words of a diagnosis: verdict, failure, findings. Plain records; who fills them is in the other modules."""

from dataclasses import dataclass, field
from enum import StrEnum

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure.addresses import Book
from getrace.analysis.failure.cascade import Link, Tie
from getrace.analysis.failure.causes import Cause
from getrace.analysis.hangs.model import Hangs
from getrace.analysis.places import Place
from getrace.analysis.rules.matching import Matches


class Verdict(StrEnum):
    """What a log says as a whole."""

    FAILED = "failed"
    CLEAN = "clean"
    UNKNOWN = "unknown"


class How(StrEnum):
    """By which evidence the failing kernel was found, the best first."""

    ERROR_LINE = "error_line"
    TASK_JOIN = "task_join"
    FAULT_NAME = "fault_name"
    FAMILY = "family"
    WAIT = "wait"
    WORDS = "words"
    SILENCE = "silence"
    NONE = "none"


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


CONFIDENCE: dict[How, Confidence] = {
    How.ERROR_LINE: Confidence.HIGH,
    How.TASK_JOIN: Confidence.HIGH,
    How.FAULT_NAME: Confidence.MEDIUM,
    How.FAMILY: Confidence.LOW,
    How.WAIT: Confidence.MEDIUM,
    How.WORDS: Confidence.LOW,
    How.SILENCE: Confidence.LOW,
    How.NONE: Confidence.LOW,
}


class Told(StrEnum):
    """Who gives a name for a failed task, in words for a person."""

    DUMPER = "the exception dumper's note of the task"
    FAULT = "the runtime's name of the failed kernel"
    LAUNCHED = "the runtime's name of the kernel at its launch"


@dataclass(frozen=True, slots=True)
class Witness:
    """A record that gives a name for a failed task: of the operator itself when ``exact``, else of its kernel."""

    told: Told
    row: int
    name: str
    op_type: str | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Blamed:
    """The kernel or operator that evidence points at. ``row`` is where it was launched or ran, None: not shown.

    ``witnesses`` give names for the task; where a name was the evidence, the first one gave it. ``rivals`` are other
    launches that fit the task as well, the nearest first. ``doubt`` says why another may have been meant, "": nothing.
    ``doubtful``: less sure than its kind of evidence is else.
    """

    how: How
    kernel: str | None = None
    op: str | None = None
    row: int | None = None
    rt_stream: int | None = None
    task: int | None = None
    op_type: str | None = None
    witnesses: tuple[Witness, ...] = ()
    rivals: tuple[int, ...] = ()
    doubt: str = ""
    doubtful: bool = False

    @property
    def confidence(self) -> Confidence:
        """How far to trust it: a rival or a doubt takes away the certainty that a task's number gives."""
        if self.doubtful:
            return Confidence.LOW
        return Confidence.MEDIUM if self.rivals or self.doubt else CONFIDENCE[self.how]

    @property
    def evidence(self) -> str:
        """What points at it, in words for a person."""
        if self.how is How.FAULT_NAME:
            return str(self.witnesses[0].told)
        if self.how is How.NONE and self.op and self.witnesses:
            return f"{_EVIDENCE[self.how]}; the operator is in {self.witnesses[0].told}"
        if self.rivals:
            return "the nearest of the launches that fit the failed task"
        if self.doubt:
            return f"{_EVIDENCE[self.how]}; but {self.doubt}"
        return _EVIDENCE[self.how]


_EVIDENCE = {
    How.ERROR_LINE: "the kernel's own ERROR record",
    How.TASK_JOIN: "the failed task joined to its launch",
    How.FAMILY: "the family of the compiled kernel's name",
    How.WAIT: "the wait at which its stream stands",
    How.WORDS: "the words of the first line that tells a cause",
    How.SILENCE: "nothing comes after it",
    How.NONE: "no record names a kernel",
}


@dataclass(frozen=True, slots=True)
class KernelAt:
    """A kernel with the row that shows it."""

    kernel: str
    place: Place


@dataclass(frozen=True, slots=True)
class Failure:
    """The first failure. ``at`` is the failing launch or kernel, ``error`` the first record that shows the failure.

    ``pid`` is the process that failed, and everything here is of that process. ``evidence`` says in words what points
    at the kernel. ``first_sign`` is the first record of any level that hints at it. ``consequences`` are rows of ERROR
    records that only repeat it. ``stream_id`` and ``task_id`` are ids of the runtime. None: the log does not say.
    ``cause`` is what the words of the process's lines tell; it may name a rank, a device, a code.
    ``tree`` has the same records as ``consequences``, each with what it hangs under; the root is ``error``.
    ``book`` has the addresses of the launch; ``stage`` and ``iteration`` say in which run of its graph ``at`` stands.
    """

    phase: str
    kernel: str | None
    kernel_type: str | None
    op: str | None
    op_type: str | None
    stream_id: int | None
    task_id: int | None
    at: Place | None
    error: Place | None
    first_sign: Place | None
    confidence: Confidence
    how: How
    pid: int
    evidence: str
    consequences: tuple[Place, ...] = ()
    last_good: KernelAt | None = None
    expected_next: KernelAt | None = None
    cause: Cause | None = None
    tree: tuple[Link, ...] = ()
    book: Book | None = None
    stage: str | None = None
    iteration: int | None = None

    @property
    def tied(self) -> tuple[Place, ...]:
        """The consequences that more than their process ties to the failure."""
        loose = self._loose
        return tuple(spot for spot in self.consequences if spot.row not in loose)

    @property
    def untied(self) -> tuple[Place, ...]:
        """The consequences of which nobody can say more than that their process said them later."""
        loose = self._loose
        return tuple(spot for spot in self.consequences if spot.row in loose)

    @property
    def _loose(self) -> frozenset[int]:
        return frozenset(link.row for link in self.tree if link.tie is Tie.PROCESS)


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement with its evidence and what to do next.

    One that comes from the table of rules says which ``role`` and ``phase`` its lines have, and their ``count``.
    """

    rule: str
    severity: Severity
    message: str
    evidence: tuple[Place, ...] = ()
    next_step: str = ""
    role: str = ""
    phase: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a log tells about its run. ``causes`` has one for each process whose lines tell one, in row order.

    ``hangs``: who waited when it ended, streams and ranks. ``matches``: what the rules found in the same pass.
    """

    verdict: Verdict
    failure: Failure | None = None
    findings: tuple[Finding, ...] = field(default_factory=tuple)
    causes: tuple[Cause, ...] = ()
    hangs: Hangs = field(default_factory=Hangs)
    matches: Matches = field(default_factory=Matches)
