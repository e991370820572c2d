"""Real failures, changed: what is then said with high confidence is still what the source says.

Each log of ``expected.toml`` whose source states the answer is shuffled, cut, doubled, quoted; and the one real log
with KernelTrace lines of a failure is woven with each of the others.
"""

import tomllib
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from adversarial_changes import PLAIN, Change, Lines, quoted, quoted_at_once, quoted_errors, woven

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure import Diagnosis, diagnose
from getrace.errors import InputError
from getrace.replay import open_store

pytestmark = pytest.mark.real

ROWS: Final[list[dict[str, Any]]] = [
    row
    for row in tomllib.loads((Path(__file__).parent / "expected.toml").read_text(encoding="utf-8"))["case"]
    if row["truth"] == "T" and row["family"] not in ("quiet", "other file")
]
TRACED: Final = next(row for row in ROWS if row["id"] == "01")
SHORT_FILE: Final = 30_000
FACTS: Final = {"phase": "phase", "op": "op", "kernel": "kernel", "stream": "stream_id", "task": "task_id"}


def _other(line: str) -> str:
    return line.replace("GatherV2", "Unique").replace("stream_id=2,", "stream_id=3,")


CHANGES: Final[tuple[Change, ...]] = (*PLAIN, quoted(_other), quoted_at_once(_other), quoted_errors(_other))


def lines_of(row: dict[str, Any], cases: Path) -> Lines:
    text = (cases / "real" / str(row["file"])).read_bytes().decode("utf-8", "surrogateescape")
    return text.split("\n")


def answer(lines: Lines, folder: Path) -> Diagnosis | None:
    path = folder / "changed.log"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
    try:
        return diagnose(open_store([str(path)]))
    except InputError:  # what is left is no log
        return None


def wrong(told: Diagnosis | None, *rows: dict[str, Any]) -> str:
    """Say what is claimed with high confidence and is true of none of the cases; "" when nothing is."""
    failure = None if told is None else told.failure
    if failure is None or failure.confidence is not Confidence.HIGH:
        return ""
    said = {key: getattr(failure, name) for key, name in FACTS.items() if getattr(failure, name) is not None}
    fits = [all(row.get(key, value) == value for key, value in said.items()) for row in rows]
    return "" if any(fits) else f"{said} ({failure.evidence})"


def mistaken(row: dict[str, Any], cases: Path, folder: Path, seeds: range) -> list[tuple[str, int, str]]:
    lines = lines_of(row, cases)
    return [
        (change.__name__, seed, claim)
        for change in CHANGES
        for seed in seeds
        if (claim := wrong(answer(change(lines[:], Random(seed)), folder), row))
    ]


@pytest.mark.parametrize("row", [row for row in ROWS if row is not TRACED], ids=lambda row: row["id"])
def test_a_changed_case_gets_no_wrong_answer_with_high_confidence(
    row: dict[str, Any], cases: Path, tmp_path: Path
) -> None:
    if sum(map(len, lines_of(row, cases))) < SHORT_FILE:
        assert mistaken(row, cases, tmp_path, range(1)) == []


@pytest.mark.long
@pytest.mark.parametrize("row", [row for row in ROWS if row is not TRACED], ids=lambda row: row["id"])
def test_no_seed_of_a_change_to_a_case_gets_a_wrong_answer(row: dict[str, Any], cases: Path, tmp_path: Path) -> None:
    assert mistaken(row, cases, tmp_path, range(1, 6)) == []


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_the_changed_log_of_a_traced_failure_gets_no_wrong_answer(change: Change, cases: Path, tmp_path: Path) -> None:
    told = answer(change(lines_of(TRACED, cases), Random(3)), tmp_path)
    assert wrong(told, TRACED) == ""


@pytest.mark.long
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_no_seed_of_a_change_to_a_traced_failure_gets_a_wrong_answer(
    change: Change, cases: Path, tmp_path: Path
) -> None:
    lines = lines_of(TRACED, cases)
    claims = [wrong(answer(change(lines[:], Random(seed)), tmp_path), TRACED) for seed in range(10)]
    assert claims == [""] * 10


@pytest.mark.long
@pytest.mark.parametrize("row", [row for row in ROWS if row is not TRACED], ids=lambda row: row["id"])
def test_two_failures_in_one_file_are_not_mixed(row: dict[str, Any], cases: Path, tmp_path: Path) -> None:
    lines = woven(lines_of(TRACED, cases), lines_of(row, cases), Random(1))
    assert wrong(answer(lines, tmp_path), TRACED, row) == ""
