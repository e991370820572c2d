"""Logs that lie: a failure's log is shuffled, cut, mixed, quoted; what is then said with high confidence is still true.

The logs are simulated, and the truth is of the run itself. An answer may become vague or none; it may not be wrong in
process, operator, kernel, stream, task or phase with high confidence.
"""

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from random import Random
from typing import Final

import pytest
from adversarial_changes import (
    PLAIN,
    Change,
    Lines,
    quoted,
    quoted_and_untraced,
    quoted_at_once,
    quoted_errors,
    shuffled_threads,
    two_processes,
)
from adversarial_doubles import DOUBLES, LOSSES, Double, FailedLog, Loss, Truth
from random_models import random_model
from simulated_failures import EXECUTORS, Executor, simulate
from simulated_models import ENGINES, SAMPLES

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import Verdict
from getrace.events import Level
from getrace.replay import open_store
from runtime.api.models import Model, load_model
from runtime.api.simulate import RunOptions

SEQUENTIAL, TOPOLOGICAL, PRIORITY, TWO_THREADS, FOUR_THREADS = EXECUTORS
VERBOSE: Final = {"GE": Level.INFO, "RUNTIME": Level.INFO}
QUIET: Final = {"GE": Level.INFO}
SHORT, LONG = 1, 30
"""Seeds of a change."""
USUAL: Final = ("core", "ai cpu")
"""Logs that are doubled in the usual run."""

# model, fault, executor, steps, levels, phase
LOGS: Final[dict[str, tuple[str, str, Executor, int, dict[str, Level], str]]] = {
    "core": ("mixed_engines", "aicore@sum", SEQUENTIAL, 1, VERBOSE, "device"),
    "core, quiet": ("mixed_engines", "aicore@sum#2", TOPOLOGICAL, 2, QUIET, "device"),
    "core, threads": ("two_streams", "aicore@second#2", FOUR_THREADS, 2, VERBOSE, "device"),
    "timeout": ("random", "timeout#7", PRIORITY, 3, VERBOSE, "device"),
    "ai cpu": ("mixed_engines", "aicpu#1", TWO_THREADS, 1, QUIET, "device"),
    "launch": ("two_streams", "launch@sum#2", PRIORITY, 2, VERBOSE, "launch"),
    "memory": ("mixed_engines", "oom#1", TOPOLOGICAL, 1, QUIET, "alloc"),
}


def _model(name: str) -> Model:
    return Model("random", random_model(5, 10, ENGINES).graph) if name == "random" else load_model(name, SAMPLES)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FailedLog]:
    return {name: _failed(name, tmp_path_factory.mktemp("run")) for name in LOGS}


def _failed(name: str, root: Path) -> FailedLog:
    model, fault, executor, steps, levels, phase = LOGS[name]
    found = simulate(_model(model), RunOptions(steps=steps, faults=(fault,)), executor, root, levels)
    [strike] = found.watch.strikes[:1]
    [file] = found.files
    task = strike.task.id if strike.task is not None else None
    ids = (None, None) if task is None else (task.rt_stream, task.task)
    pid = int(file.name.split("-")[1].split("_")[0])
    op = strike.names[0] if strike.names else strike.op
    clean = simulate(_model(model), RunOptions(), executor, root / "clean", levels)
    operators = tuple(dict.fromkeys(op for op, _ in clean.watch.launched))
    return FailedLog(
        file.read_text(encoding="utf-8").splitlines(), Truth(pid, phase, op, strike.kernel, *ids), operators
    )


def answer(lines: Lines, folder: Path) -> Diagnosis:
    path = folder / "plog-1_20260101000000000.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return diagnose(open_store([str(path)]))


def wrong(told: Diagnosis, truths: Iterable[Truth]) -> str:
    """Say what an answer claims with high confidence that is true of no failure; "" when it claims nothing false."""
    failure = told.failure
    if failure is None or failure.confidence is not Confidence.HIGH:
        return ""
    said = Truth(failure.pid, failure.phase, failure.op, failure.kernel, failure.stream_id, failure.task_id)
    fits = [all(getattr(said, f) in (None, getattr(truth, f)) for f in Truth.__slots__) for truth in truths]
    return "" if any(fits) else f"{said} ({failure.evidence})"


@pytest.mark.parametrize("name", LOGS)
def test_the_log_as_it_is_names_the_failure_with_high_confidence(
    name: str, logs: dict[str, FailedLog], tmp_path: Path
) -> None:
    truth, failure = logs[name].truth, answer(logs[name].lines, tmp_path).failure
    assert failure is not None
    assert failure.confidence is Confidence.HIGH
    assert (failure.op, failure.kernel, failure.phase) == (truth.op, truth.kernel, truth.phase)
    assert (failure.stream_id, failure.task_id) == (truth.stream, truth.task)


CHANGES: Final = {each.__name__: each for each in PLAIN}
QUOTES: Final = {make.__name__: make for make in (quoted, quoted_at_once, quoted_errors, quoted_and_untraced)}


def _change(name: str, log: FailedLog) -> Change:
    return QUOTES[name](log.other) if name in QUOTES else CHANGES[name]


def _changed(name: str, logs: dict[str, FailedLog], folder: Path, seeds: int) -> list[tuple[str, int, str]]:
    found = []
    for kind, log in logs.items():
        for seed in range(seeds):
            told = answer(_change(name, log)(log.lines[:], Random(seed)), folder)
            if claim := wrong(told, [log.truth]):
                found.append((kind, seed, claim))
    return found


@pytest.mark.parametrize("name", [*CHANGES, *QUOTES])
def test_a_changed_log_gets_no_wrong_answer_with_high_confidence(
    name: str, logs: dict[str, FailedLog], tmp_path: Path
) -> None:
    assert _changed(name, logs, tmp_path, SHORT) == []


@pytest.mark.long
@pytest.mark.parametrize("name", [*CHANGES, *QUOTES])
def test_no_seed_of_a_change_gets_a_wrong_answer(name: str, logs: dict[str, FailedLog], tmp_path: Path) -> None:
    assert _changed(name, logs, tmp_path, LONG) == []


def _doubled(double: Double, losses: tuple[Loss, ...], log: FailedLog, seed: int) -> tuple[Lines, list[Truth]]:
    random = Random(seed)
    lines, truths = double(log, random)
    for loss in losses:
        lines = loss(lines, log, random)
    return lines, [log.truth, *truths]


def _mistaken(names: Iterable[str], logs: dict[str, FailedLog], folder: Path, seeds: range) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, double, losses, seed in product(names, DOUBLES, LOSSES, seeds):
        lines, truths = _doubled(double, losses, logs[name], seed)
        if claim := wrong(answer(lines, folder), truths):
            found.append((name, double.__name__, "+".join(loss.__name__ for loss in losses), claim))
    return found


@pytest.mark.parametrize("name", USUAL)
def test_what_looks_like_the_failure_is_not_taken_for_it(name: str, logs: dict[str, FailedLog], tmp_path: Path) -> None:
    assert _mistaken([name], logs, tmp_path, range(1)) == []


@pytest.mark.long
@pytest.mark.parametrize("name", LOGS)
def test_no_seed_of_what_looks_like_the_failure_is_taken_for_it(
    name: str, logs: dict[str, FailedLog], tmp_path: Path
) -> None:
    assert _mistaken([name], logs, tmp_path, range(4)) == []


@pytest.mark.parametrize("change", [shuffled_threads, two_processes], ids=lambda change: change.__name__)
def test_what_loses_nothing_is_still_answered(change: Change, logs: dict[str, FailedLog], tmp_path: Path) -> None:
    for name, log in logs.items():
        for seed in range(SHORT):
            failure = answer(change(log.lines[:], Random(seed)), tmp_path).failure
            assert failure is not None
            assert (failure.op, failure.confidence) == (log.truth.op, Confidence.HIGH), (name, seed)


@pytest.mark.parametrize("name", LOGS)
def test_a_bracket_in_a_name_hides_no_failure(name: str, logs: dict[str, FailedLog], tmp_path: Path) -> None:
    """A user names a node with a bracket: the one that fails, or another; no other may be blamed for it."""
    log = logs[name]
    for op in log.operators:
        lines = [line.replace(f"_{op}_", f"_{op}]x[_") for line in log.lines]
        told = answer(lines, tmp_path)
        assert told.verdict is Verdict.FAILED
        assert told.failure is not None
        if told.failure.confidence is Confidence.HIGH:
            assert (told.failure.op or "").partition("]")[0] in ("", log.truth.op), op
