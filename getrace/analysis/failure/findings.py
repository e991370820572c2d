"""Findings: single statements, each with its evidence and what to do next. One function per rule, one list of rules.

What they say is in ``sayings``; here is when they say it, with which evidence and which words filled in.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from getrace.analysis.failure.addresses import Note, held_text
from getrace.analysis.failure.cascade import Tie
from getrace.analysis.failure.consequences import LIMIT
from getrace.analysis.failure.folders import shared_pids
from getrace.analysis.failure.model import Blamed, Failure, Finding, How, Told, Verdict
from getrace.analysis.failure.phases import DEVICE, SYNC
from getrace.analysis.failure.report import core_lines, device_report
from getrace.analysis.failure.sayings import finding, phrase
from getrace.analysis.failure.signs import Signs
from getrace.analysis.failure.witnesses import same_number
from getrace.analysis.places import Place, place
from getrace.analysis.rules.model import Language
from getrace.analysis.runs import GraphRun
from getrace.analysis.switches import GE_SWITCH, RUNTIME_SWITCH, speaks_at_info
from getrace.events.device import CoreError, TaskException
from getrace.store.columns import none_of
from getrace.store.store import Store

_SHOWN = 5
_CORES = 1_000
_ON_DEVICE = (DEVICE, SYNC)
_INSERTED = re.compile(r"trans_[A-Za-z]+_\d+\Z")


@dataclass(frozen=True, slots=True)
class Material:
    """What the rules look at, and the language in which they speak."""

    store: Store
    signs: Signs
    runs: Sequence[GraphRun]
    failure: Failure | None
    blamed: Blamed
    verdict: Verdict
    language: Language = Language.EN

    def of_process(self, rows: Iterable[int]) -> list[int]:
        """Keep the rows of the process that failed, or all when none did."""
        pid = self.store.column("pid")
        return [row for row in rows if self.failure is None or pid[row] == self.failure.pid]

    def say(self, name: str, evidence: tuple[Place, ...] = (), **values: object) -> Finding:
        """Make a finding of the table."""
        return finding(name, self.language, evidence, **values)


def findings(material: Material) -> tuple[Finding, ...]:
    """Apply every rule, in the order of the list."""
    made = (rule(material) for rule in _RULES)
    return tuple(finding for finding in made if finding is not None)


def _device_error(material: Material) -> Finding | None:
    """Say what the cores of the device said of themselves; joined by device and time, as they print no task."""
    store, failure = material.store, material.failure
    if failure is None or failure.first_sign is None or not material.signs.device_faults:
        return None
    own = material.of_process(store.rows_of(CoreError).tolist())
    after = [row for row in own if row > failure.first_sign.row]
    rows = after or own
    said = [event for row in rows[:_CORES] if isinstance(event := store.event(row), CoreError)]
    if not said:
        return None
    cores: dict[int, list[str]] = {}
    for event in said:
        cores.setdefault(event.code, []).append(f"{event.core_kind} {event.core}")
    codes = ", ".join(f"{code:#x} ({_some(material, dict.fromkeys(names))})" for code, names in cores.items())
    return material.say("device_error", _places(store, rows[:_SHOWN]), codes=codes, device=said[0].device)


def _core_lines(material: Material) -> Finding | None:
    """Collapse the lines that one fault prints for each core, in wordings that the grammar has no row for."""
    failure = material.failure
    if failure is None or failure.phase != DEVICE:
        return None
    told = core_lines(material.store, material.of_process(material.signs.lines))
    if not told:
        return None
    names = {
        code: _some(material, dict.fromkeys(f"core {core}" for _, core, c in told if c == code)) for *_, code in told
    }
    each = (phrase("error code {code} ({names})", material.language, code=c, names=n) for c, n in names.items())
    spots = _places(material.store, [row for row, _, _ in told[:_SHOWN]])
    name = "core_lines_zero" if "0" in names else "core_lines"
    return material.say(name, spots, count=len(told), codes="; ".join(each))


def _some(material: Material, names: Iterable[str]) -> str:
    """Name the first cores and count the others: one fault stops many, and each prints its line."""
    every = list(names)
    more = len(every) - _SHOWN
    shown = ", ".join(every[:_SHOWN])
    return f"{shown} {phrase('and {count} more', material.language, count=more)}" if more > 0 else shown


def _launch(material: Material) -> Finding | None:
    """Show the launch that printed the failed task, and others that may be meant."""
    failure, blamed = material.failure, material.blamed
    if failure is None or failure.at is None or failure.how is not How.TASK_JOIN:
        return None
    values = {"kernel": failure.kernel, "stream": failure.stream_id, "task": failure.task_id}
    if not blamed.rivals:
        return material.say("task_join", (failure.at,), **values)
    others = ", ".join(dict.fromkeys(material.store.kernel(row) or "" for row in blamed.rivals[:_SHOWN]))
    spots = (failure.at, *_places(material.store, blamed.rivals[: _SHOWN - 1]))
    return material.say("task_rivals", spots, others=others, **values)


def _address_book(material: Material) -> Finding | None:
    """Say who made the memory at each address of the launch, and what is remarkable about it."""
    book = None if material.failure is None else material.failure.book
    if book is None:
        return None
    rows = dict.fromkeys([book.row, *(each.row for each in book.held if each.row is not None)])
    odd = any(note in (Note.GONE, Note.REUSED) for each in book.held for note in each.notes)
    held = "; ".join(held_text(each, partial(phrase, language=material.language)) for each in book.held)
    spots = _places(material.store, list(rows)[:_SHOWN])
    return material.say("odd_addresses" if odd else "addresses", spots, held=held)


def _kernel_error(material: Material) -> Finding | None:
    """Show the record that the tracer prints for a kernel which returned an error."""
    failure = material.failure
    if failure is None or failure.at is None or failure.how is not How.ERROR_LINE:
        return None
    return material.say("kernel_error", (failure.at,), kernel=failure.kernel)


def _fault_name(material: Material) -> Finding | None:
    """Say under which name the runtime knows the kernel: the name to look for in the operator's build."""
    named = [witness for witness in material.blamed.witnesses if witness.told is not Told.DUMPER]
    failure = material.failure
    if failure is None or not named:
        return None
    names = ", ".join(dict.fromkeys(witness.name for witness in named))
    spots = _places(material.store, [witness.row for witness in named[:_SHOWN]])
    if failure.how is How.FAMILY and failure.op_type:
        return material.say("fault_name_of_type", spots, names=names, type=failure.op_type)
    return material.say("fault_name", spots, names=names)


def _inserted(material: Material) -> Finding | None:
    """Say that nobody wrote the operator: the compiler names what it puts between two formats or types ``trans_``."""
    failure = material.failure
    if failure is None or failure.op is None or not _INSERTED.match(failure.op):
        return None
    return material.say("inserted_operator", () if failure.at is None else (failure.at,), op=failure.op)


def _exception_dump(material: Material) -> Finding | None:
    """Name the operator that the exception dumper saved: a witness that needs no line of RUNTIME."""
    failure = material.failure
    notes = [witness for witness in material.blamed.witnesses if witness.told is Told.DUMPER]
    if failure is None or not notes:
        return None
    spots = _places(material.store, [note.row for note in notes[:_SHOWN]])
    return material.say("exception_dump", spots, op=notes[0].name, stream=failure.stream_id, task=failure.task_id)


def _missing_runtime(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.how is not How.NONE or failure.phase not in _ON_DEVICE:
        return None
    if speaks_at_info(material.store, "RUNTIME", failure.pid):
        return None
    return material.say("runtime_silent", () if failure.error is None else (failure.error,), switch=RUNTIME_SWITCH)


def _no_trace(material: Material) -> bool:
    return not (material.runs or (material.store.column("kernel") != none_of("kernel")).any())


def _missing_trace(material: Material) -> Finding | None:
    return material.say("no_kernel_trace", switch=GE_SWITCH) if _no_trace(material) else None


def _untold(material: Material) -> Finding | None:
    """Say why a log with kernels but without a whole run gives no answer."""
    if material.verdict is not Verdict.UNKNOWN or material.failure is not None or _no_trace(material):
        return None
    return material.say("no_whole_run")


def _waiting(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.how is not How.SILENCE or failure.phase != SYNC or failure.expected_next is None:
        return None
    spots = (failure.expected_next.place, *((failure.last_good.place,) if failure.last_good else ()))
    return material.say("waiting", spots, stream=failure.stream_id)


def _silence(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.how is not How.SILENCE or failure.phase == SYNC:
        return None
    spots = (failure.at, failure.last_good.place if failure.last_good else None)
    return material.say("silence", tuple(spot for spot in spots if spot is not None), switch=RUNTIME_SWITCH)


def _cascade(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or not failure.tied:
        return None
    tied = {spot.row for spot in failure.tied}
    counts = Counter(link.tie for link in failure.tree if link.row in tied)
    ties = ", ".join(f"{phrase(str(tie), material.language)} ({counts[tie]})" for tie in Tie if counts[tie])
    return material.say("consequences", failure.tied[:_SHOWN], count=_number(material, failure.tied), ties=ties)


def _untied(material: Material) -> Finding | None:
    """Keep the claim off what merely came later in the process."""
    failure = material.failure
    if failure is None or not failure.untied:
        return None
    return material.say("untied_errors", failure.untied[:_SHOWN], count=_number(material, failure.untied))


def _number(material: Material, spots: Sequence[Place]) -> str:
    """Count some consequences; where the list of all was cut, the number is a lower bound."""
    cut = material.failure is not None and len(material.failure.consequences) >= LIMIT
    return phrase("at least {count}", material.language, count=len(spots)) if cut else str(len(spots))


def _further_tasks(material: Material) -> Finding | None:
    """Name the tasks that failed after the first one: a second fault is not in the cascade of the first."""
    store, failure = material.store, material.failure
    if failure is None or failure.error is None:
        return None
    later: dict[tuple[int, int], int] = {}
    for row in material.of_process(material.signs.device_faults):
        event = store.event(row) if row > failure.error.row else None
        if isinstance(event, TaskException):
            later.setdefault((event.rt_stream, event.task), row)
    own = [key for key in later if key[0] == failure.stream_id and same_number(key[1], failure.task_id or 0)]
    for key in own if failure.task_id is not None else ():
        del later[key]
    if not later:
        return None
    tasks = _some(material, (f"stream {stream}, task {task}" for stream, task in later))
    return material.say("further_tasks", _places(store, list(later.values())[:_SHOWN]), count=len(later), tasks=tasks)


def _other_failures(material: Material) -> Finding | None:
    store, failure = material.store, material.failure
    if failure is None:
        return None
    cause = failure.at or failure.error
    later = [
        row
        for row in material.of_process(material.signs.kernel_errors)
        if cause is not None and row > cause.row and store.kernel(row) not in (failure.kernel, None)
    ]
    return material.say("further_failures", _places(store, later[:_SHOWN]), count=len(later)) if later else None


def _other_processes(material: Material) -> Finding | None:
    """Point at the failures of other processes: they are no consequences, whatever their order in the log."""
    store, signs, failure = material.store, material.signs, material.failure
    if failure is None:
        return None
    first: dict[int, int] = {}
    pid = store.column("pid")
    for row in sorted({*signs.kernel_errors, *signs.device_faults, *signs.spoken}):
        if pid[row] != failure.pid:
            first.setdefault(int(pid[row]), row)
    if not first:
        return None
    pids = ", ".join(map(str, list(first)[:_SHOWN]))
    return material.say("other_processes", _places(store, list(first.values())[:_SHOWN]), pids=pids)


def _shared_pid(material: Material) -> Finding | None:
    """Warn when the failed process has the number of another one, which the join by process cannot tell apart."""
    failure = material.failure
    folders = () if failure is None else shared_pids(material.store).get(failure.pid, ())
    if failure is None or not folders:
        return None
    return material.say("shared_pid", pid=failure.pid, folders=_some(material, (name or "." for name in folders)))


def _earlier_errors(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.error is None:
        return None
    said = {spot.row for spot in failure.consequences}
    before = [row for row in material.of_process(material.signs.lines) if row < failure.error.row]
    own = [row for row in before if row not in said]
    report = set(device_report(material.store, own, failure.error.row)) if failure.phase == DEVICE else set()
    earlier = [row for row in own if row not in report]
    return _counted(material, "earlier_errors", earlier)


def _survived(material: Material) -> Finding | None:
    return None if material.failure else _counted(material, "errors_without_effect", material.signs.survived)


def _benign(material: Material) -> Finding | None:
    return _counted(material, "ignorable_errors", material.signs.benign)


def _aborted(material: Material) -> Finding | None:
    failure = material.failure
    aborted = [run for run in material.runs if run.aborted and (failure is None or run.pid == failure.pid)]
    return _counted(material, "aborted_runs", [run.start for run in aborted])


def _counted(material: Material, name: str, rows: Sequence[int]) -> Finding | None:
    """Say something of rows by their number, with the first of them as evidence."""
    return material.say(name, _places(material.store, rows[:_SHOWN]), count=len(rows)) if rows else None


def _places(store: Store, rows: Sequence[int]) -> tuple[Place, ...]:
    return tuple(place(store, row) for row in rows)


_RULES: tuple[Callable[[Material], Finding | None], ...] = (
    _device_error,
    _kernel_error,
    _launch,
    _fault_name,
    _inserted,
    _silence,
    _waiting,
    _untold,
    _missing_runtime,
    _missing_trace,
    _exception_dump,
    _cascade,
    _untied,
    _further_tasks,
    _other_failures,
    _other_processes,
    _shared_pid,
    _core_lines,
    _address_book,
    _earlier_errors,
    _survived,
    _benign,
    _aborted,
)
