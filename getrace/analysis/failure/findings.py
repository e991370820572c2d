"""Findings: single statements, each with its evidence and what to do next. One function per rule, one list of rules."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from getrace.analysis.failure.model import Failure, Finding, How, Severity, Verdict
from getrace.analysis.failure.signs import Signs
from getrace.analysis.places import Place, place
from getrace.analysis.runs import GraphRun
from getrace.analysis.switches import GE_SWITCH, RUNTIME_SWITCH, speaks_at_info
from getrace.events.device import CoreError, KernelFault
from getrace.events.text import LogLine
from getrace.store.columns import none_of
from getrace.store.store import Store

_SHOWN = 5
_WINDOW = 500
_INSERTED = re.compile(r"trans_[A-Za-z]+_\d+\Z")
_DUMPED_OP = re.compile(r"Find exception op \[(?P<op>.+?)\] of task_id: ?(?P<task>\d+), stream_id: ?(?P<stream>\d+)")


@dataclass(frozen=True, slots=True)
class Material:
    """What the rules look at."""

    store: Store
    signs: Signs
    runs: Sequence[GraphRun]
    failure: Failure | None
    verdict: Verdict


def findings(material: Material) -> tuple[Finding, ...]:
    """Apply every rule, in the order of the list."""
    made = (rule(material) for rule in _RULES)
    return tuple(finding for finding in made if finding is not None)


def _device_error(material: Material) -> Finding | None:
    """Say what the cores of the device said of themselves; joined by device and time, as they print no task."""
    store, failure = material.store, material.failure
    if failure is None or failure.first_sign is None or not material.signs.device_faults:
        return None
    rows = [row for row in store.rows_of(CoreError).tolist() if row > failure.first_sign.row][:_SHOWN]
    said = [event for row in rows if isinstance(event := store.event(row), CoreError)]
    if not said:
        return None
    codes = ", ".join(dict.fromkeys(f"{event.code:#x} ({event.core_kind} {event.core})" for event in said))
    return Finding(
        "device_error",
        Severity.ERROR,
        f"The device reports core error code {codes} on device {said[0].device}.",
        _places(store, rows),
        "Compare the addresses of the launch with the live blocks: getrace memory PATH --addr ADDRESS.",
    )


def _fault_name(material: Material) -> Finding | None:
    """Say under which name the runtime knows the kernel: the name to look for in the operator's build."""
    store, failure = material.store, material.failure
    if failure is None or not material.signs.device_faults:
        return None
    for row in store.rows_of(KernelFault).tolist():
        event = store.event(row)
        if isinstance(event, KernelFault) and (event.rt_stream, event.task) == (failure.stream_id, failure.task_id):
            return Finding(
                "fault_name",
                Severity.INFO,
                f"The runtime calls the failed kernel {event.fault_name}.",
                _places(store, [row]),
                "Look for this name in the operator's build and in its dumps.",
            )
    return None


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
    store, failure = material.store, material.failure
    if failure is None or failure.error is None:
        return None
    first = max(0, failure.error.row - _WINDOW)
    for row in range(first, min(store.rows, failure.error.row + _WINDOW)):
        event = store.event(row) if store.kind(row) is LogLine else None
        found = _DUMPED_OP.search(event.text) if isinstance(event, LogLine) else None
        if found:
            return Finding(
                "exception_dump",
                Severity.INFO,
                f"The exception dumper saved operator {found['op']} (stream {found['stream']}, task {found['task']}).",
                _places(store, [row]),
                "Look at its dumped inputs and outputs; the dump's path stands in the lines after it.",
            )
    return None


def _missing_runtime(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.how is not How.NONE or speaks_at_info(material.store, "RUNTIME"):
        return None
    return Finding(
        "runtime_silent",
        Severity.WARNING,
        "No line of RUNTIME at INFO: the failing task cannot be joined to the kernel that launched it.",
        () if failure.error is None else (failure.error,),
        f"Run again with {RUNTIME_SWITCH}.",
    )


def _missing_trace(material: Material) -> Finding | None:
    traced = (material.store.column("kernel") != none_of("kernel")).any()
    if traced or material.runs:
        return None
    return Finding(
        "no_kernel_trace",
        Severity.WARNING,
        "No KernelTrace line: the log does not show which kernels ran.",
        (),
        f"Run again with {GE_SWITCH}; KernelTrace is on exactly when GE is at INFO.",
    )


def _silence(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.how is not How.SILENCE:
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
        for row in material.signs.kernel_errors
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


def _earlier_errors(material: Material) -> Finding | None:
    failure = material.failure
    if failure is None or failure.error is None:
        return None
    earlier = [row for row in material.signs.lines if row < failure.error.row]
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
        f"{len(material.signs.benign)} ERROR lines say of themselves that they can be ignored.",
        _places(material.store, material.signs.benign[:_SHOWN]),
        "They belong to an allocator that tries again; only a failure after them counts.",
    )


def _aborted(material: Material) -> Finding | None:
    aborted = [run for run in material.runs if run.aborted]
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
    _fault_name,
    _inserted,
    _silence,
    _missing_runtime,
    _missing_trace,
    _exception_dump,
    _cascade,
    _other_failures,
    _earlier_errors,
    _survived,
    _benign,
    _aborted,
)
