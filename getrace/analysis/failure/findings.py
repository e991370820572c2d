"""Findings: single statements, each with its evidence and what to do next. One function per rule, one list of rules."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from getrace.analysis.failure.addresses import Note
from getrace.analysis.failure.model import Blamed, Failure, Finding, How, Severity, Told, Verdict
from getrace.analysis.failure.phases import DEVICE, SYNC
from getrace.analysis.failure.report import core_lines, device_report
from getrace.analysis.failure.signs import Signs
from getrace.analysis.places import Place, place
from getrace.analysis.runs import GraphRun
from getrace.analysis.switches import GE_SWITCH, RUNTIME_SWITCH, speaks_at_info
from getrace.events.device import CoreError
from getrace.store.columns import none_of
from getrace.store.store import Store

_SHOWN = 5
_CORES = 1_000
_INSERTED = re.compile(r"trans_[A-Za-z]+_\d+\Z")


@dataclass(frozen=True, slots=True)
class Material:
    """What the rules look at."""

    store: Store
    signs: Signs
    runs: Sequence[GraphRun]
    failure: Failure | None
    blamed: Blamed
    verdict: Verdict

    def of_process(self, rows: Iterable[int]) -> list[int]:
        """Keep the rows of the process that failed, or all when none did."""
        pid = self.store.column("pid")
        return [row for row in rows if self.failure is None or pid[row] == self.failure.pid]


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
    codes = ", ".join(f"{code:#x} ({_some(dict.fromkeys(names))})" for code, names in cores.items())
    return Finding(
        "device_error",
        Severity.ERROR,
        f"The device reports core error code {codes} on device {said[0].device}.",
        _places(store, rows[:_SHOWN]),
        "Compare the addresses of the launch with the live blocks: getrace memory PATH --addr ADDRESS.",
    )


def _core_lines(material: Material) -> Finding | None:
    """Collapse the lines that one fault prints for each core, in wordings that the grammar has no row for."""
    failure = material.failure
    if failure is None or failure.phase != DEVICE:
        return None
    told = core_lines(material.store, material.of_process(material.signs.lines))
    if not told:
        return None
    codes = {code: _some(dict.fromkeys(f"core {core}" for _, core, c in told if c == code)) for _, _, code in told}
    said = "; ".join(f"error code {code} ({names})" for code, names in codes.items())
    zero = " A code of 0 says that no unit reported an error, not that none occurred." if "0" in codes else ""
    return Finding(
        "core_lines",
        Severity.ERROR,
        f"One fault, told for each core ({len(told)}): {said}.{zero}",
        _places(material.store, [row for row, _, _ in told[:_SHOWN]]),
        "Compare the program counters of the cores, and look the code up in the error text beside it.",
    )


def _some(names: Iterable[str]) -> str:
    """Name the first cores and count the others: one fault stops many, and each prints its line."""
    every = list(names)
    more = len(every) - _SHOWN
    return ", ".join(every[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _launch(material: Material) -> Finding | None:
    """Show the launch that printed the failed task, and others that may be meant."""
    failure, blamed = material.failure, material.blamed
    if failure is None or failure.at is None or failure.how is not How.TASK_JOIN:
        return None
    task = f"stream {failure.stream_id}, task {failure.task_id}"
    if not blamed.rivals:
        step = "Look at its addresses and its tiling: they stand in the lines around it."
        return Finding("task_join", Severity.INFO, f"{failure.kernel} launched {task}.", (failure.at,), step)
    others = ", ".join(dict.fromkeys(material.store.kernel(row) or "" for row in blamed.rivals[:_SHOWN]))
    return Finding(
        "task_join",
        Severity.WARNING,
        f"More than one launch fits {task}, as only the low 16 bits of a task are sure: {failure.kernel} is the "
        f"nearest before the failure; before it also {others}.",
        (failure.at, *_places(material.store, blamed.rivals[: _SHOWN - 1])),
        "Look at the flip numbers of the launches, and at which of them the device had finished.",
    )


def _address_book(material: Material) -> Finding | None:
    """Say who made the memory at each address of the launch, and what is remarkable about it."""
    book = None if material.failure is None else material.failure.book
    if book is None:
        return None
    rows = dict.fromkeys([book.row, *(each.row for each in book.held if each.row is not None)])
    odd = any(note in (Note.GONE, Note.REUSED) for each in book.held for note in each.notes)
    return Finding(
        "addresses",
        Severity.WARNING if odd else Severity.INFO,
        "Inputs, then outputs of the launch: " + "; ".join(each.text for each in book.held) + ".",
        _places(material.store, list(rows)[:_SHOWN]),
        "Follow an address: getrace memory PATH --addr ADDRESS.",
    )


def _kernel_error(material: Material) -> Finding | None:
    """Show the record that the tracer prints for a kernel which returned an error."""
    failure = material.failure
    if failure is None or failure.at is None or failure.how is not How.ERROR_LINE:
        return None
    step = "Look at the lines of its thread before this one: its callees say there what went wrong."
    return Finding("kernel_error", Severity.ERROR, f"{failure.kernel} returned an error.", (failure.at,), step)


def _fault_name(material: Material) -> Finding | None:
    """Say under which name the runtime knows the kernel: the name to look for in the operator's build."""
    named = [witness for witness in material.blamed.witnesses if witness.told is not Told.DUMPER]
    if material.failure is None or not named:
        return None
    names = " and ".join(dict.fromkeys(witness.name for witness in named))
    op_type = material.failure.op_type
    of_type = material.failure.how is How.FAMILY and op_type
    return Finding(
        "fault_name",
        Severity.INFO,
        f"The runtime calls the failed kernel {names}" + (f": an operator of type {op_type}." if of_type else "."),
        _places(material.store, [witness.row for witness in named[:_SHOWN]]),
        "Look for this name in the operator's build and in its dumps.",
    )


def _inserted(material: Material) -> Finding | None:
    """Say that nobody wrote the operator: the compiler names what it puts between two formats or types ``trans_``."""
    failure = material.failure
    if failure is None or failure.op is None or not _INSERTED.match(failure.op):
        return None
    return Finding(
        "inserted_operator",
        Severity.INFO,
        f"Operator {failure.op} is not in the model: the compiler inserted it between two formats or types.",
        () if failure.at is None else (failure.at,),
        "Look at the operators before and behind it in the graph.",
    )


def _exception_dump(material: Material) -> Finding | None:
    """Name the operator that the exception dumper saved: a witness that needs no line of RUNTIME."""
    failure = material.failure
    notes = [witness for witness in material.blamed.witnesses if witness.told is Told.DUMPER]
    if failure is None or not notes:
        return None
    return Finding(
        "exception_dump",
        Severity.INFO,
        f"The exception dumper saved operator {notes[0].name} (stream {failure.stream_id}, task {failure.task_id}).",
        _places(material.store, [note.row for note in notes[:_SHOWN]]),
        "Look at its dumped inputs and outputs; the dump's path stands in the lines after it.",
    )


def _missing_runtime(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.how is not How.NONE or speaks_at_info(material.store, "RUNTIME", failure.pid):
        return None
    return Finding(
        "runtime_silent",
        Severity.WARNING,
        "No line of RUNTIME at INFO: the failing task cannot be joined to the kernel that launched it.",
        () if failure.error is None else (failure.error,),
        f"Run again with {RUNTIME_SWITCH}.",
    )


def _no_trace(material: Material) -> bool:
    return not (material.runs or (material.store.column("kernel") != none_of("kernel")).any())


def _missing_trace(material: Material) -> Finding | None:
    if not _no_trace(material):
        return None
    return Finding(
        "no_kernel_trace",
        Severity.WARNING,
        "No KernelTrace line: the log does not show which kernels ran.",
        (),
        f"Run again with {GE_SWITCH}; KernelTrace is on exactly when GE is at INFO.",
    )


def _untold(material: Material) -> Finding | None:
    """Say why a log with kernels but without a whole run gives no answer."""
    if material.verdict is not Verdict.UNKNOWN or material.failure is not None or _no_trace(material):
        return None
    return Finding(
        "no_whole_run",
        Severity.WARNING,
        "Kernels ran, but no run stands in the log from its start to its end, and no record shows a failure.",
        (),
        "Diagnose the whole log of the process, with all its rotated files; getrace check PATH says what is missing.",
    )


def _waiting(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.how is not How.SILENCE or failure.phase != SYNC or failure.expected_next is None:
        return None
    spots = (failure.expected_next.place, *((failure.last_good.place,) if failure.last_good else ()))
    return Finding(
        "waiting",
        Severity.WARNING,
        f"The log stops while the host waits for stream {failure.stream_id}: the device hung, the process died, or the "
        "log was cut.",
        spots,
        "Look for a later file of the same process, and for what the device logs say of the time after it.",
    )


def _silence(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.how is not How.SILENCE or failure.phase == SYNC:
        return None
    spots = (failure.at, failure.last_good.place if failure.last_good else None)
    return Finding(
        "silence",
        Severity.WARNING,
        "The log stops inside a run and shows no error: the kernel hung, the process died, or the log was cut.",
        tuple(spot for spot in spots if spot is not None),
        f"Look for a later file of the same process; if there is none, run again with {RUNTIME_SWITCH}.",
    )


def _cascade(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or not failure.consequences:
        return None
    count = len(failure.consequences)
    return Finding(
        "consequences",
        Severity.INFO,
        f"{count} ERROR records after it only repeat the failure.",
        failure.consequences[:_SHOWN],
        "Ignore them until the first failure is solved.",
    )


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
    if not later:
        return None
    return Finding(
        "further_failures",
        Severity.WARNING,
        f"{len(later)} ERROR records of other kernels come later.",
        _places(store, later[:_SHOWN]),
        "They may follow from the first failure; solve that one first.",
    )


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
    return Finding(
        "other_processes",
        Severity.WARNING,
        f"Other processes show failures of their own: {', '.join(map(str, list(first)[:_SHOWN]))}.",
        _places(store, list(first.values())[:_SHOWN]),
        "Diagnose their logs for themselves.",
    )


def _earlier_errors(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.error is None:
        return None
    own = [row for row in material.of_process(material.signs.lines) if row < failure.error.row]
    report = set(device_report(material.store, own, failure.error.row)) if failure.phase == DEVICE else set()
    earlier = [row for row in own if row not in report]
    if not earlier:
        return None
    return Finding(
        "earlier_errors",
        Severity.INFO,
        f"{len(earlier)} ERROR lines come before the first failure and name no kernel and no task.",
        _places(material.store, earlier[:_SHOWN]),
        "Read them: they are of another part of the program, or the reason behind the failure.",
    )


def _survived(material: Material) -> Finding | None:
    if material.failure is not None or not material.signs.survived:
        return None
    return Finding(
        "errors_without_effect",
        Severity.INFO,
        f"{len(material.signs.survived)} ERROR lines did not stop the process: it ran a graph to its end after them.",
        _places(material.store, material.signs.survived[:_SHOWN]),
        "Read them if the results are wrong; otherwise they are of no concern.",
    )


def _benign(material: Material) -> Finding | None:
    if not material.signs.benign:
        return None
    return Finding(
        "ignorable_errors",
        Severity.INFO,
        f"{len(material.signs.benign)} ERROR lines are known to be harmless.",
        _places(material.store, material.signs.benign[:_SHOWN]),
        "Ignore them; only a failure after them counts. The rules that know them stand below.",
    )


def _aborted(material: Material) -> Finding | None:
    failure = material.failure
    aborted = [run for run in material.runs if run.aborted and (failure is None or run.pid == failure.pid)]
    if not aborted:
        return None
    return Finding(
        "aborted_runs",
        Severity.WARNING,
        f"Graph runs without an End marker although their thread went on: {len(aborted)}.",
        _places(material.store, [run.start for run in aborted[:_SHOWN]]),
        "A kernel of each returned an error, or the data ended.",
    )


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
    _other_failures,
    _other_processes,
    _core_lines,
    _address_book,
    _earlier_errors,
    _survived,
    _benign,
    _aborted,
)
