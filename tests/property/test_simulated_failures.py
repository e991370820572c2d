"""Failures that the simulator makes, read back from their logs: what failed is named first.

Kinds of fault x executors x models x seeds, targets drawn at random; a run without a fault shows no failure. A share
runs always, all of it with ``pytest -m long`` on this file; the score of each kind is printed.

What each kind leaves behind:

* ``aicore``, ``aicpu``, ``timeout``, ``launch``: an operator dies; kernel and operator must be named.
* ``malloc``, ``oom``, ``copy``: a call fails inside a kernel, which must be named with its operator; or in the caller's
  own hands, where there is no operator and none may be named. A ``malloc`` that is tried again is no failure.
* ``stream``, ``event``, ``notify``: fail before any kernel runs; the phase must be told, and no operator.
* ``lost-event``: a wait never ends. The kernel that waits for the event must be named, or the kernel that waited for
  the stream on the host; where RUNTIME is at ERROR the log does not say on what a stream waits, and none may be named.
* ``slow``, ``bitflip``: make no failure. The run is late or its numbers are wrong; no record says so.
* ``kill``: the log only stops. That is no failure that a log can show (its verdict is ``unknown``), so it counts
  apart: never clean, never with high confidence; how often the guess is right is shown.
"""

import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Final

import pytest
from simulated_failures import EXECUTORS, SEQUENTIAL, Executor, Simulated, Strike, simulate
from simulated_models import Recipe, recipe

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import Failure, Verdict
from getrace.errors import UsageError
from getrace.events import Level
from getrace.ids import split_kernel_name
from runtime.api.simulate import RunOptions
from runtime.device.fault_spec import KINDS

SHARE: Final = 0.98
FAILURES: Final = 300
CLEAN_RUNS: Final = 300
FAULTS_A_RUN: Final = 3
NAMED: Final = ("launch", "aicore", "aicpu", "timeout", "slow", "bitflip", "kill")
NO_FAILURE: Final = frozenset({"slow", "bitflip"})
LEVELS: Final = ({"GE": Level.INFO}, {"GE": Level.INFO, "RUNTIME": Level.INFO})
PHASES: Final = {"stream": {"stream"}, "event": {"stream"}, "notify": {"stream"}, "malloc": {"alloc"}, "oom": {"alloc"}}
"""Phases of calls that fail outside of every kernel."""


class Outcome(StrEnum):
    """How an answer compares with the truth."""

    RIGHT = "right"
    WRONG = "wrong"
    UNTOLD = "the log cannot tell, and is not read as if it did"
    SURVIVED = "no failure, and none is told"
    ALARM = "no failure, but one is told"


@dataclass(frozen=True, slots=True)
class Run:
    """One way to run a model."""

    model: Recipe
    executor: Executor
    options: RunOptions
    levels: dict[str, Level]

    def simulate(self, root: Path, *faults: str) -> Simulated:
        """Run it below ``root``, which is gone afterwards as far as the log does not need it."""
        shutil.rmtree(root, ignore_errors=True)
        return simulate(self.model.make(), replace(self.options, faults=faults), self.executor, root, self.levels)

    def __str__(self) -> str:
        options = self.options
        spread = " multi-stream" if options.multi_stream else ""
        return f"{self.model.name} {self.executor}{spread} seed {options.seed} steps {options.steps} {len(self.levels)}"


def runs(seed: int, root: Path) -> Iterator[Run]:
    """Give runs without an end, the same ones for the same seed."""
    random = Random(seed)
    while True:
        model = recipe(random, root)
        options = RunOptions(
            seed=random.randrange(1_000),
            steps=random.choice((1, 2, 3)),
            inputs=model.inputs,
            multi_stream=not model.is_spread and random.random() < 0.3,
            external_allocator=random.random() < 0.2,
        )
        yield Run(model, random.choice(EXECUTORS), options, random.choice(LEVELS))


def clean_runs(seed: int, root: Path) -> Iterator[tuple[Run, Simulated]]:
    """Give runs with what came of them; a choice of executor that GE refuses gets another one."""
    for number, run in enumerate(runs(seed, root)):
        chosen = run
        if run.executor == SEQUENTIAL:
            try:
                yield run, run.simulate(root / "clean")
                continue
            except UsageError:  # control flow runs on no straight list of kernels
                chosen = replace(run, executor=EXECUTORS[1 + number % 4])
        yield chosen, chosen.simulate(root / "clean")


def fault(random: Random, kind: str, clean: Simulated) -> str | None:
    """Draw a fault of a kind that strikes in a run; None when the run makes no such call."""
    if kind in NAMED:
        units = {"aicpu": {"AICPU"}, "aicore": {"AICORE"}}.get(kind, {"AICPU", "AICORE"})
        calls = {op: count for (op, unit), count in clean.watch.launched.items() if unit in units}
        if not calls:
            return None
        op = random.choice(sorted(calls))
        return f"{kind}@{op}#{random.randint(1, calls[op])}"
    count = clean.watch.calls["malloc" if kind == "oom" else kind]
    return f"{kind}#{random.randint(1, count)}" if count else None


def judge(failed: Simulated, told: Diagnosis, *, is_verbose: bool) -> Outcome:
    """Compare an answer with what failed. ``is_verbose``: RUNTIME is at INFO."""
    strike = failed.watch.strikes[0]
    if not failed.result.status:
        return Outcome.SURVIVED if told.verdict is Verdict.CLEAN else Outcome.ALARM
    failure = told.failure
    if strike.kind == "kill":
        return _of_a_kill(strike, told)
    if failure is None or told.verdict is not Verdict.FAILED:
        return Outcome.WRONG
    if strike.kind == "lost-event":
        return _of_a_lost_event(failure, failed.watch.waiters, is_verbose=is_verbose)
    if strike.kernel is None:
        sound = failure.op is None and failure.phase in PHASES[strike.kind]
        return Outcome.RIGHT if sound else Outcome.WRONG
    op = strike.names[0] if strike.names else strike.op or split_kernel_name(strike.kernel).node or None
    return Outcome.RIGHT if (failure.op, failure.kernel) == (op, strike.kernel) else Outcome.WRONG


def _of_a_kill(strike: Strike, told: Diagnosis) -> Outcome:
    failure = told.failure
    if told.verdict is not Verdict.UNKNOWN or (failure is not None and failure.confidence is Confidence.HIGH):
        return Outcome.WRONG
    return Outcome.RIGHT if failure is not None and failure.op == strike.names[0] else Outcome.UNTOLD


def _of_a_lost_event(failure: Failure, waiters: Collection[str], *, is_verbose: bool) -> Outcome:
    if failure.phase != "sync":
        return Outcome.WRONG
    if failure.kernel is None:
        return Outcome.WRONG if is_verbose else Outcome.UNTOLD
    waits = failure.kernel in waiters or split_kernel_name(failure.kernel).type == "SyncStream"
    return Outcome.RIGHT if waits else Outcome.WRONG


@dataclass(slots=True)
class Score:
    """Outcomes by kind, and what was wrong in words."""

    tally: defaultdict[str, Counter[Outcome]]
    wrong: list[str]

    @property
    def failures(self) -> int:
        """How many runs failed so that a log can show it."""
        return sum(self.tally[kind][o] for kind in KINDS if kind != "kill" for o in (Outcome.RIGHT, Outcome.WRONG))

    def print(self) -> None:
        """Print a table."""
        for kind in KINDS:
            cells = ", ".join(f"{outcome} {count}" for outcome, count in sorted(self.tally[kind].items()))
            sys.stdout.write(f"{kind:12} {cells or 'did not happen'}\n")
        sys.stdout.write("\n".join(self.wrong) + "\n")


def score(seed: int, root: Path, most: int) -> Score:
    """Let ``most`` runs fail, the kinds in turn, and compare."""
    random, found = Random(seed), Score(defaultdict(Counter), [])
    waiting = list(KINDS)
    for run, clean in clean_runs(seed, root):
        drawn = [(kind, spec) for kind in waiting if (spec := fault(random, kind, clean)) is not None]
        for kind, spec in drawn[:FAULTS_A_RUN]:
            failed = run.simulate(root / "failed", spec)
            if not failed.watch.strikes:
                continue
            waiting.remove(kind)
            waiting.append(kind)
            told = diagnose(failed.store)
            outcome = judge(failed, told, is_verbose="RUNTIME" in run.levels)
            found.tally[kind][outcome] += 1
            if outcome in (Outcome.WRONG, Outcome.ALARM):
                said = told.failure and (told.failure.kernel, told.failure.phase, str(told.failure.how))
                struck = failed.watch.strikes[0]
                found.wrong.append(f"{run} {spec}: {struck.kernel} {struck.op}, told {told.verdict} {said}")
            if found.failures == most:
                return found
    raise AssertionError


def test_what_failed_is_named(tmp_path: Path) -> None:
    found = score(1, tmp_path, 30)
    found.print()
    assert found.wrong == []


def test_a_clean_run_shows_no_failure(tmp_path: Path) -> None:
    for (run, clean), _ in zip(clean_runs(2, tmp_path), range(20), strict=False):
        assert (clean.result.status, diagnose(clean.store).verdict) == (0, Verdict.CLEAN), str(run)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3, 6))
def test_of_300_failures_98_in_100_are_named(seed: int, tmp_path: Path) -> None:
    found = score(seed, tmp_path, FAILURES)
    found.print()
    assert len(found.wrong) <= FAILURES * (1 - SHARE), found.wrong


@pytest.mark.long
def test_no_failure_is_found_in_300_clean_runs(tmp_path: Path) -> None:
    for (run, clean), _ in zip(clean_runs(6, tmp_path), range(CLEAN_RUNS), strict=False):
        assert (clean.result.status, diagnose(clean.store).verdict) == (0, Verdict.CLEAN), str(run)
