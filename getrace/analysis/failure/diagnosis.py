"""The diagnosis: the first failure of a log, or why there is none, or why nobody can tell.

The first failure is the first record that is a cause by its nature: a kernel's own ERROR record, or a fault of the
device. A level alone ranks nothing; a synchronise that failed is a cause only when nothing better is in the log.
Records are joined within one process, in the order of their times.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from getrace.analysis.failure.addresses import address_book
from getrace.analysis.failure.blame import Blamer
from getrace.analysis.failure.cascade import tree_of
from getrace.analysis.failure.causes import Cause, store_causes
from getrace.analysis.failure.consequences import consequences
from getrace.analysis.failure.findings import Material, findings
from getrace.analysis.failure.folders import shared_pids
from getrace.analysis.failure.hung import blame_of_wait, doubted, last_done_before, own_failures
from getrace.analysis.failure.model import Blamed, Diagnosis, Failure, How, KernelAt, Told, Verdict, Witness
from getrace.analysis.failure.moved import in_file_rows
from getrace.analysis.failure.phases import DEVICE, SYNC, phase_of_kernel, phase_of_words
from getrace.analysis.failure.report import device_report, first_told
from getrace.analysis.failure.signs import Signs, read_signs
from getrace.analysis.failure.silence import Order, Silence, find_silence, open_runs
from getrace.analysis.failure.waiting import SYNCHRONISE, Waiting, find_waiting
from getrace.analysis.failure.witnesses import Fault, dumped, same_number
from getrace.analysis.hangs import Hangs, find_hangs
from getrace.analysis.operators import Operators
from getrace.analysis.places import place, text_of
from getrace.analysis.rules.book import RuleBook, own_book
from getrace.analysis.rules.matching import Matches, match
from getrace.analysis.rules.model import Language, Role
from getrace.analysis.rules.telling import Telling
from getrace.analysis.runs import GraphRun, graph_runs, run_of_row
from getrace.events.device import ErrorDetected, SyncFailed
from getrace.events.markers import KernelFailed
from getrace.events.text import LogLine
from getrace.ids import split_kernel_name
from getrace.store.columns import GLUED, none_of
from getrace.store.ordered import Reordered, in_time_order
from getrace.store.store import Store

_NOBODY = none_of("pid")
_REPORTER = "ReportInterErrMessage"


_INSIDE = "the record of it stands inside the line of another one, which may quote it"


class _Case:
    """Everything one diagnosis looks at; what only a failure needs is read when it is asked for."""

    def __init__(self, store: Store, matches: Matches) -> None:
        self.store = store
        self.matches = matches

    @cached_property
    def signs(self) -> Signs:
        """What shows a failure."""
        return read_signs(self.store, self.runs, self.matches.harmless)

    @cached_property
    def runs(self) -> list[GraphRun]:
        """The graph executions."""
        return graph_runs(self.store)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """What the words of lines tell, one cause for each process."""
        return store_causes(self.store, self.matches.tales)

    def cause_of(self, pid: int) -> Cause | None:
        """Give the cause of a process; text that is of none speaks for the only one there is."""
        own = next((cause for cause in self.causes if cause.pid == pid), None)
        return own or (next((cause for cause in self.causes if cause.pid == _NOBODY), None) if self.alone else None)

    @cached_property
    def alone(self) -> bool:
        """Say whether all records with a process are of one."""
        pid = self.store.column("pid")
        known = pid[pid != _NOBODY]
        return bool(len(known)) and bool(known.min() == known.max())

    @cached_property
    def blamer(self) -> Blamer:
        """The launches, and who is to blame for a fault."""
        return Blamer(self.store, self.runs, self.signs.device_faults)

    @cached_property
    def hangs(self) -> Hangs:
        """Who waited when the log ended."""
        found = find_hangs(self.store, own_failures(self.store, self.signs, self.causes))
        return doubted(found, shared_pids(self.store))

    @property
    def ended(self) -> bool:
        """Say whether a graph run came to its end: words without a level are no failure then."""
        return any(run.complete and run.marked for run in self.runs)

    @cached_property
    def effects(self) -> frozenset[int]:
        """The rows whose words are known for those of an effect or a report, and for those of no cause."""
        told = [(hit.row, hit.rule.role) for hits in self.matches.hits.values() for hit in hits]
        causes = {row for row, role in told if role is Role.CAUSE}
        return frozenset(row for row, role in told if role in (Role.EFFECT, Role.REPORT)) - causes

    @cached_property
    def order(self) -> Order:
        """Which kernel ran after which."""
        return Order(self.store)


@dataclass(frozen=True, slots=True)
class _Found:
    """A failure with what points at it. ``open`` says that the log only stops: its end may have been good."""

    failure: Failure
    blamed: Blamed
    open: bool = False


def diagnose(store: Store, book: RuleBook | None = None, language: Language = Language.EN) -> Diagnosis:
    """Say what failed first in a log, with evidence; or that nothing did; or that the log cannot tell.

    ``book`` are the rules to look with, those of the table when None is given; what they found is in ``matches``.
    """
    ordered = in_time_order(store)
    case = _Case(ordered, match(ordered, own_book() if book is None else book))
    found = _find(case)
    verdict = _verdict(case, found)
    failure = None if found is None else found.failure
    blamed = Blamed(How.NONE) if found is None else found.blamed
    made = findings(Material(ordered, case.signs, case.runs, failure, blamed, verdict, language))
    causes = () if verdict is Verdict.CLEAN else case.causes
    told = Diagnosis(verdict, failure, made, causes, case.hangs, case.matches)
    return in_file_rows(told, ordered.row_in_file) if isinstance(ordered, Reordered) else told


def _find(case: _Case) -> _Found | None:
    signs = case.signs
    causes = sorted([*signs.kernel_errors[:1], *signs.device_faults[:1]])
    if causes:
        root = causes[0]
        fault = case.blamer.fault(root) if root in signs.device_faults else None
        if fault is None:
            return _kernel_failure(case, root)
        found = _device_failure(case, fault)
        earlier = _reason_before(case, fault) if found.blamed.how is How.NONE else None
        return found if earlier is None else _told_failure(case, earlier, earlier.place.row, [])
    if signs.spoken:
        return _spoken_failure(case, signs.spoken[0])
    told = next((cause for cause in case.causes if cause.weight > Telling.CODE), None) if not case.ended else None
    if told is not None:
        return _told_failure(case, told, told.place.row, [])
    silence = find_silence(case.store, case.runs, case.order)
    if silence is not None:
        return _silent_failure(case, silence)
    waiting = find_waiting(case.store, case.runs)
    return None if waiting is None else _open_wait(case, waiting)


def _reason_before(case: _Case, fault: Fault) -> Cause | None:
    """Give what another process tells before a fault of which nobody can say where it came from."""
    reasons = (cause for cause in case.causes if cause.weight is Telling.REASON and cause.pid != fault.pid)
    return next((cause for cause in reasons if cause.place.row < fault.row), None)


def _verdict(case: _Case, found: _Found | None) -> Verdict:
    if found is not None:
        return Verdict.UNKNOWN if found.open else Verdict.FAILED
    return Verdict.CLEAN if case.ended and not open_runs(case.store, case.runs) else Verdict.UNKNOWN


def _device_failure(case: _Case, fault: Fault) -> _Found:
    blamed = _if_it_begins_a_line(case.store, fault.row, case.blamer.blame(fault))
    later = (f.row for f in _faults(case) if f.pid == fault.pid and f.row > fault.row and not f.same_task(fault))
    until = min(later, default=case.store.rows)
    rows = consequences(case.store, case.signs, fault.row, until, on_device=True)
    return _build(case, blamed, DEVICE, fault.row, _first_detected(case, fault), rows, _last_finished(case, blamed))


def _if_it_begins_a_line(store: Store, row: int, blamed: Blamed) -> Blamed:
    """Doubt a record that stands behind another one in a line: it may be glued to it, or be quoted by it."""
    inside = store.value("flags", row) & GLUED
    return replace(blamed, doubt=_INSIDE) if inside and not blamed.doubt else blamed


def _kernel_failure(case: _Case, root: int) -> _Found:
    store = case.store
    event = store.event(root)
    kernel = store.kernel(root) or (event.name if isinstance(event, KernelFailed) else None)
    parts = split_kernel_name(kernel or "")
    blamed = _if_it_begins_a_line(store, root, Blamed(How.ERROR_LINE, kernel, parts.node or None, root))
    pid = store.column("pid")
    errors = (row for row in case.signs.kernel_errors if row > root and pid[row] == pid[root])
    others = [row for row in errors if store.kernel(row) not in (kernel, None)]
    rows = consequences(store, case.signs, root, others[0] if others else store.rows, on_device=False)
    error, sign = _stack_of(case, root)
    last_good = case.order.before(root) if store.kernel(root) else None
    kernel_type = _real_type(case, root, kernel) or parts.type
    return _build(case, blamed, phase_of_kernel(kernel_type), error, sign, rows, last_good, kernel_type)


def _spoken_failure(case: _Case, root: int) -> _Found:
    """Build the failure of a log that shows neither a kernel nor a device fault, only that something went wrong.

    Where the host waited for the device, the exception dumper may still know the operator.
    """
    event, pid = case.store.event(root), int(case.store.column("pid")[root])
    phase = SYNC if isinstance(event, SyncFailed) else phase_of_words(text_of(case.store, root))
    stream = event.rt_stream if isinstance(event, SyncFailed) else None
    rows = consequences(case.store, case.signs, root, case.store.rows, on_device=False)
    cause = case.cause_of(pid)
    if cause is not None and cause.weight > Telling.CODE:
        return _told_failure(case, cause, root, rows)
    blamed = Blamed(How.NONE, rt_stream=stream)
    note = next(dumped(case.store, pid, root), None) if phase == SYNC else None
    if note is not None and stream in (None, note.rt_stream):
        witness = Witness(Told.DUMPER, note.row, note.op, note.op_type, exact=True)
        ids = (None, note.rt_stream, note.task)
        blamed = Blamed(How.NONE, None, note.op, *ids, op_type=note.op_type, witnesses=(witness,))
    elif phase == SYNC:
        blamed = blame_of_wait(case.hangs, pid) or blamed
    return _build(case, blamed, phase, root, root, rows, last_done_before(case.hangs, blamed, pid))


def _told_failure(case: _Case, cause: Cause, first: int, cascade: list[int]) -> _Found:
    """Build the failure of a process whose lines tell its cause.

    A line before it is an effect only where its words are known for that: a thread that is told may print first.
    """
    root = cause.place.row
    blamed = Blamed(
        How.WORDS,
        op=cause.fact("op"),
        rt_stream=cause.number("stream"),
        task=cause.number("task"),
        op_type=cause.fact("op_type"),
    )
    if cause.weight is Telling.WAIT:
        blamed = blame_of_wait(case.hangs, cause.pid) or blamed
    effects = sorted(row for row in {*cascade, first} if row > root or (row < root and row in case.effects))
    last_good = last_done_before(case.hangs, blamed, cause.pid)
    found = _build(case, blamed, cause.phase, root, min(root, first), effects, last_good)
    # What an application printed in front of the first record is of no process: the one that failed is the next one's.
    pid = found.failure.pid if found.failure.pid != _NOBODY else int(case.store.column("pid")[first])
    return replace(found, failure=replace(found.failure, error=cause.place, pid=max(pid, -1)))


def _silent_failure(case: _Case, silence: Silence) -> _Found:
    blamed = Blamed(
        How.SILENCE,
        silence.kernel,
        split_kernel_name(silence.kernel or "").node or None,
        silence.row,
        task=silence.task,
    )
    phase = phase_of_kernel(split_kernel_name(silence.kernel).type) if silence.kernel else "unknown"
    last_good = silence.last_row if silence.ended else case.order.before(silence.last_row)
    found = _build(case, blamed, phase, None, None, [], last_good)
    return replace(found, open=bool(case.runs))  # a run whose end is not in the log may have gone well


def _open_wait(case: _Case, waiting: Waiting) -> _Found:
    """Build what is known of a host that waits when the log stops: the run before, and the call that is to return."""
    index = case.order.last(waiting.run.start, waiting.row, waiting.run.pid, waiting.run.tid)
    last_good = None if index is None else case.order.rows(index)[1]
    found = _build(case, Blamed(How.SILENCE, rt_stream=waiting.rt_stream), SYNC, None, None, [], last_good)
    expected = KernelAt(SYNCHRONISE, place(case.store, waiting.row))
    return _Found(replace(found.failure, pid=waiting.run.pid, expected_next=expected), found.blamed, open=True)


def _build(
    case: _Case,
    blamed: Blamed,
    phase: str,
    error: int | None,
    first_sign: int | None,
    cascade: list[int],
    last_good: int | None,
    kernel_type: str | None = None,
) -> _Found:
    store = case.store
    known = next((row for row in (error, blamed.row, last_good) if row is not None), None)
    pid = -1 if known is None else int(store.column("pid")[known])
    named_type = split_kernel_name(blamed.kernel).type if blamed.kernel else None
    run = None if blamed.row is None else _run_of(case, blamed.row)
    failure = Failure(
        phase=phase,
        kernel=blamed.kernel,
        kernel_type=kernel_type or named_type,
        op=blamed.op,
        op_type=(Operators(store, pid).types.get(blamed.op) if blamed.op else None) or blamed.op_type,
        stream_id=blamed.rt_stream,
        task_id=blamed.task,
        at=None if blamed.row is None else place(store, blamed.row),
        error=None if error is None else place(store, error),
        first_sign=None if first_sign is None else place(store, first_sign),
        confidence=blamed.confidence,
        how=blamed.how,
        pid=pid,
        evidence=blamed.evidence,
        consequences=tuple(place(store, row) for row in cascade),
        last_good=_kernel_at(store, last_good),
        expected_next=_kernel_at(store, _expected(case, blamed, last_good)),
        book=None if blamed.row is None else address_book(store, blamed.row, store.rows if error is None else error),
        stage=None if run is None else str(run.stage),
        iteration=None if run is None else run.iteration,
        tree=() if error is None else tree_of(store, error, cascade, case.effects),
        cause=None if error is None else case.cause_of(pid),
    )
    return _Found(failure, blamed)


def _run_of(case: _Case, row: int) -> GraphRun | None:
    """Give the graph run that a row belongs to."""
    return run_of_row(case.store, case.runs, row)


def _kernel_at(store: Store, row: int | None) -> KernelAt | None:
    kernel = None if row is None else store.kernel(row)
    return None if row is None or not kernel else KernelAt(kernel, place(store, row))


def _expected(case: _Case, blamed: Blamed, last_good: int | None) -> int | None:
    """Give the row of what followed the kernel (or the last good one) in an earlier iteration."""
    row = blamed.row if blamed.row is not None else last_good
    if row is None or blamed.how not in (How.ERROR_LINE, How.SILENCE):
        return None
    return case.order.usual_next(int(case.store.column("kernel")[row]), row)


def _faults(case: _Case) -> list[Fault]:
    return [fault for row in case.signs.device_faults if (fault := case.blamer.fault(row))]


def _first_detected(case: _Case, fault: Fault) -> int:
    """Give the first record that hints at a fault: the runtime's note of an error code for the same task."""
    store = case.store
    for row in store.rows_of(ErrorDetected).tolist():
        event = store.event(row)
        if row >= fault.row or not isinstance(event, ErrorDetected):
            continue
        same = event.rt_stream == fault.rt_stream and same_number(event.task, fault.task)
        if same and int(store.column("pid")[row]) == fault.pid:
            return int(row)
    pid = store.column("pid")
    before = [row for row in case.signs.lines if row < fault.row and pid[row] == fault.pid]
    told = first_told(store, device_report(store, before, fault.row), fault.rt_stream, fault.task)
    return fault.row if told is None else told


def _last_finished(case: _Case, blamed: Blamed) -> int | None:
    if blamed.row is None or blamed.rt_stream is None:
        return None
    launch = case.blamer.last_finished(blamed.rt_stream, blamed.row)
    return None if launch is None else launch.row


def _stack_of(case: _Case, root: int) -> tuple[int, int]:
    """Give (first ERROR record, first sign) of a kernel's failure: its callees spoke before its own record did."""
    store = case.store
    pid, tid, kernel = store.column("pid"), store.column("tid"), store.column("kernel")
    error = sign = root
    spoken = {*case.signs.lines, *case.signs.cascade}
    for row in range(root - 1, -1, -1):
        if pid[row] != pid[root] or tid[row] != tid[root]:
            continue
        if kernel[row] >= 0 and kernel[row] != kernel[root] and store.kernel(row):
            break
        if row in spoken:
            error = sign = row
        elif store.kind(row) is LogLine and _reports(store, row):
            sign = row
    return error, sign


def _reports(store: Store, row: int) -> bool:
    event = store.event(row)
    return isinstance(event, LogLine) and event.func == _REPORTER


def _real_type(case: _Case, root: int, kernel: str | None) -> str | None:
    """Give the kernel type that the multi-thread executor prints; passes make names whose first word is another."""
    pid = case.store.column("pid")
    for row in case.store.rows_of(KernelFailed).tolist():
        event = case.store.event(row)
        if isinstance(event, KernelFailed) and event.name == kernel and pid[row] == pid[root]:
            return event.kernel_type
    return None
