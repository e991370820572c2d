"""Failures that the simulator makes, read back from their logs: the operator that failed is named first.

Kinds of fault x executors x models x seeds; a clean run of each model, executor and seed shows no failure. A small
share runs always, all of it with ``pytest -m long``.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import Verdict
from getrace.analysis.streams import StreamLives, launches
from getrace.cli import main
from getrace.ids import split_kernel_name
from getrace.replay import open_store
from getrace.store.store import Store

KINDS: Final = ("aicore", "aicpu", "timeout", "launch")
"""Kinds that end an operator; the others are of calls that know no operator."""
EXECUTORS: Final = ("sequential", "topological", "priority", "multithread")
MODELS: Final = ("add_example", "conditional", "loop", "mixed_engines", "onnx_mlp", "two_streams", "weights")
CONTROL_FLOW: Final = frozenset({"conditional", "loop", "onnx_mlp"})
"""Models that GE gives to no sequential executor."""
SHARE: Final = 0.98
FAILURES: Final = 300
CLEAN_RUNS: Final = 300

Capture = pytest.CaptureFixture[str]


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the simulator."""

    model: str
    executor: str
    seed: int
    multi_stream: bool

    def arguments(self, out: Path, *more: str) -> list[str]:
        """Give the command line."""
        spread = ("--multi-stream",) if self.multi_stream else ()
        words = ("run", self.model, "--json", "--quiet", "--executor", self.executor, "--seed", str(self.seed))
        return [*words, *spread, "--out", str(out), *more]


def logged(run: Run, out: Path, capsys: Capture, *more: str) -> tuple[int, bool, Store]:
    """Run; gives the exit code, whether every fault happened, and the log."""
    code = main(run.arguments(out, *more))
    answer = json.loads(capsys.readouterr().out)
    return code, not answer["warnings"], open_store([str(out)])


def operators(store: Store) -> list[str]:
    """Give the operators that were launched, in the order of their first launches."""
    names = (split_kernel_name(launch.kernel).node for launch in launches(store, StreamLives(store)))
    return list(dict.fromkeys(name for name in names if name))


def failures(runs: Iterator[Run], root: Path, capsys: Capture, most: int) -> Iterator[tuple[Run, str, str, Diagnosis]]:
    """Give (run, kind, operator, answer) of every fault that happened, up to ``most``."""
    made = 0
    for number, run in enumerate(runs):
        _, _, clean = logged(run, root / f"clean{number}", capsys)
        for index, (kind, op) in enumerate(product(KINDS, operators(clean))):
            code, met, store = logged(run, root / f"f{number}_{index}", capsys, "--fault", f"{kind}@{op}")
            if code == 0 or not met:
                continue
            yield run, kind, op, diagnose(store)
            made += 1
            if made == most:
                return


def score(runs: Iterator[Run], root: Path, capsys: Capture, most: int) -> tuple[int, list[object]]:
    """Count the failures that were made, and list those whose answer names another operator or none."""
    made, wrong = 0, list[object]()
    for run, kind, op, told in failures(runs, root, capsys, most):
        made += 1
        named = None if told.failure is None else told.failure.op
        if named != op:
            wrong.append((run, kind, op, named))
    return made, wrong


def executors(model: str) -> tuple[str, ...]:
    """Give the executors that can run a model."""
    return EXECUTORS[1:] if model in CONTROL_FLOW else EXECUTORS


def all_runs(seeds: range) -> Iterator[Run]:
    for seed, multi_stream, model in product(seeds, (False, True), MODELS):
        for executor in executors(model):
            yield Run(model, executor, seed, multi_stream)


@pytest.mark.parametrize(
    "run", [Run("mixed_engines", "sequential", 0, False), Run("two_streams", "multithread", 1, True)], ids=str
)
def test_the_failed_operator_is_named(run: Run, tmp_path: Path, capsys: Capture) -> None:
    made, wrong = score(iter([run]), tmp_path, capsys, 12)
    assert made >= 3
    assert wrong == []


@pytest.mark.parametrize("model", MODELS)
def test_a_clean_run_shows_no_failure(model: str, tmp_path: Path, capsys: Capture) -> None:
    for number, executor in enumerate(executors(model)):
        code, _, store = logged(Run(model, executor, 3, executor == "priority"), tmp_path / str(number), capsys)
        assert (code, diagnose(store).verdict) == (0, Verdict.CLEAN)


@pytest.mark.long
def test_of_300_failures_the_operator_is_named_in_98_of_100(tmp_path: Path, capsys: Capture) -> None:
    made, wrong = score(all_runs(range(10)), tmp_path, capsys, FAILURES)
    assert made == FAILURES
    assert len(wrong) <= FAILURES * (1 - SHARE), wrong


@pytest.mark.long
def test_no_failure_is_found_in_300_clean_runs(tmp_path: Path, capsys: Capture) -> None:
    for number, run in zip(range(CLEAN_RUNS), all_runs(range(10)), strict=False):
        code, _, store = logged(run, tmp_path / str(number), capsys)
        assert (code, diagnose(store).verdict) == (0, Verdict.CLEAN), run
