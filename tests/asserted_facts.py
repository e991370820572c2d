"""Facts of a diagnosis by the names under which rows of expectations assert them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.causes import Cause
from getrace.analysis.failure.plain import diagnose_text
from getrace.errors import InputError
from getrace.replay import open_store

Reader = Callable[[Diagnosis, Cause | None], object]


def answer(path: Path) -> Diagnosis:
    """Diagnose a file: as a log, and one that is none as a text."""
    try:
        return diagnose(open_store([str(path)]))
    except InputError:
        return diagnose_text(str(path), path.read_text(encoding="utf-8", errors="replace").split("\n"))


def _cause(told: Diagnosis, pid: int | None) -> Cause | None:
    if pid is None:
        return None if told.failure is None else told.failure.cause
    return next((cause for cause in told.causes if cause.pid == pid), None)


def _of_cause(name: str) -> Reader:
    return lambda _told, cause: None if cause is None else cause.fact(name)


def _of_failure(name: str) -> Reader:
    return lambda told, _cause: None if told.failure is None else getattr(told.failure, name)


def _line(name: str) -> Reader:
    def read(told: Diagnosis, _cause: Cause | None) -> object:
        spot = None if told.failure is None else getattr(told.failure, name)
        return None if spot is None else spot.line

    return read


def _phase(told: Diagnosis, cause: Cause | None) -> object:
    same = told.failure is not None and cause is not None and told.failure.cause is cause
    return cause.phase if cause is not None and not same else _of_failure("phase")(told, cause)


def _kernel(told: Diagnosis, cause: Cause | None) -> object:
    return _of_failure("kernel")(told, cause) or _of_cause("kernel")(told, cause)


def _producers(told: Diagnosis, _cause: Cause | None) -> object:
    book = None if told.failure is None else told.failure.book
    return [] if book is None else [each.producer for each in book.held]


READ: Final[Mapping[str, Reader]] = {
    "verdict": lambda told, _cause: str(told.verdict),
    "phase": _phase,
    "what": lambda _told, cause: None if cause is None else cause.what,
    "line": lambda _told, cause: None if cause is None else cause.place.line,
    "pid": lambda _told, cause: None if cause is None else cause.pid,
    "kernel": _kernel,
    "op": _of_failure("op"),
    "op_type": _of_failure("op_type"),
    "stream": _of_failure("stream_id"),
    "task": _of_failure("task_id"),
    "how": lambda told, _cause: None if told.failure is None else str(told.failure.how),
    "error_line": _line("error"),
    "sign_line": _line("first_sign"),
    "launch_line": _line("at"),
    "stage": _of_failure("stage"),
    "iteration": _of_failure("iteration"),
    "producers": _producers,
    "code": _of_cause("code"),
    "ret": _of_cause("ret"),
    "chip": _of_cause("chip"),
    "part": _of_cause("part"),
    "rank": _of_cause("rank"),
    "device": _of_cause("device"),
}


def wrong(row: Mapping[str, Any], told: Diagnosis) -> dict[str, tuple[object, object]]:
    """Give the facts of a row that an answer has otherwise: (expected, told). ``pid`` is the process that is meant."""
    cause = _cause(told, row.get("pid"))
    read = {name: READ[name](told, cause) for name in row if name in READ}
    return {name: (row[name], value) for name, value in read.items() if value != row[name]}
