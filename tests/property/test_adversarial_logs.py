"""Logs that lie: a failure's log is shuffled, cut, mixed, quoted; what is then said with high confidence is still true.

The log is a simulated one, so the test knows which operator failed. An answer may become vague or none; it may not name
another operator with high confidence.
"""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import Verdict
from getrace.cli import main
from getrace.replay import open_store

Lines = list[str]
Change = Callable[[Lines, random.Random], Lines]

TIME = re.compile(r"(\d{4}-\d\d-\d\d-\d\d:\d\d:)(\d\d)(\.\d{3}\.\d{3})")
THREAD = re.compile(r"\](\d+) \w")
FAILED = "sum"
OTHER = "turn"


@pytest.fixture(scope="module")
def failed_log(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    root = tmp_path_factory.mktemp("run") / "b"
    main(["run", "mixed_engines", "--json", "--quiet", "--fault", f"aicore@{FAILED}", "--out", str(root)])
    (log,) = (root / "debug" / "plog").glob("*.log")
    return log.read_text(encoding="utf-8").splitlines()


def shuffled_threads(lines: Lines, chance: random.Random) -> Lines:
    """Each line may reach the file up to 40 places late."""
    late = {number: number + chance.randrange(40) for number in range(len(lines))}
    return [lines[number] for number in sorted(late, key=lambda number: (late[number], number))]


def clock_jumps(lines: Lines, chance: random.Random) -> Lines:
    """The clock is set by an hour, back or forth, at one line."""
    at, hours = chance.randrange(len(lines)), chance.choice(("05", "23"))
    return [*lines[:at], *(re.sub(r"-\d\d(:\d\d:\d\d\.)", rf"-{hours}\1", line, count=1) for line in lines[at:])]


def lost_middle(lines: Lines, chance: random.Random) -> Lines:
    """A rotated file is gone: up to half of the log."""
    start = chance.randrange(len(lines))
    return lines[:start] + lines[start + chance.randrange(len(lines) // 2) :]


def two_processes(lines: Lines, chance: random.Random) -> Lines:
    """Another process, which runs well until it is cut, writes into the same file."""
    good = [re.sub(r"\((\d+),", r"(77\1,", line, count=1) for line in lines if "[ERROR]" not in line]
    mixed, left, right = [], lines[:], good
    while left and right:
        mixed.append((left if chance.random() < 0.5 else right).pop(0))
    return mixed + left + right


def mixed_levels(lines: Lines, chance: random.Random) -> Lines:
    """Modules that are at another level say less: each INFO line may be missing."""
    return [line for line in lines if not line.startswith("[INFO]") or chance.random() < 0.6]


def no_trace(lines: Lines, _chance: random.Random) -> Lines:
    return [line for line in lines if "[KernelTrace]" not in line]


def brackets_in_names(lines: Lines, _chance: random.Random) -> Lines:
    """A user names a node with a bracket."""
    return [line.replace(f"_{OTHER}_", f"_{OTHER}]x[_") for line in lines]


def quoted(lines: Lines, chance: random.Random) -> Lines:
    """Somebody prints lines of another log, which blame another operator, inside of messages."""
    told = [line.replace(FAILED, OTHER) for line in lines if "[ERROR]" in line or "[KernelTrace]" in line]
    prefix = next(line for line in lines if line.startswith("[INFO] GE("))
    head = prefix[: prefix.index("] ", 8) + 2] if "] " in prefix[8:] else prefix
    at = chance.randrange(len(lines))
    return [*lines[:at], *(f'{head}Print: the log of yesterday said "{line}"' for line in told), *lines[at:]]


def quoted_errors(lines: Lines, chance: random.Random) -> Lines:
    """Errors are quoted at level ERROR, before and after they are true."""
    return [line.replace("[INFO]", "[ERROR]", 1) if "of yesterday" in line else line for line in quoted(lines, chance)]


def quoted_and_untraced(lines: Lines, chance: random.Random) -> Lines:
    """The only KernelTrace lines are those of the quotes."""
    return [line for line in quoted(lines, chance) if "[KernelTrace]" not in line or "of yesterday" in line]


def untold_second_life(lines: Lines, chance: random.Random) -> Lines:
    """A stream lives twice, and the log has no line of its creation or its end."""
    life = re.compile(r"[Cc]reate|[Dd]estroy|StreamSetup")
    return [line for line in stream_lives_twice(lines, chance) if not life.search(line)]


def second_life_without_launch(lines: Lines, chance: random.Random) -> Lines:
    """A stream lives twice, and only the first life shows its launches."""
    both = stream_lives_twice(lines, chance)
    return [line for number, line in enumerate(both) if number < len(lines) - 7 or "[KernelTrace]" not in line]


def broken_name(lines: Lines, _chance: random.Random) -> Lines:
    """The operator that fails has a bracket in its own name: no other may be named."""
    return [line.replace(f"_{FAILED}_", f"_{FAILED}]x[_") for line in lines]


def stream_lives_twice(lines: Lines, _chance: random.Random) -> Lines:
    """The same run without its fault comes first, in the same process: its streams and tasks have the same numbers."""
    first = [line.replace(FAILED, OTHER) for line in lines if "[ERROR]" not in line]
    return [*(TIME.sub(lambda m: f"{m[1]}00{m[3]}", line) for line in first), *(_an_hour_later(line) for line in lines)]


def _an_hour_later(line: str) -> str:
    return re.sub(r"-(\d\d)(:\d\d:\d\d\.\d{3})", lambda m: f"-{int(m[1]) + 1:02}{m[2]}", line, count=1)


CHANGES: tuple[Change, ...] = (
    shuffled_threads,
    clock_jumps,
    lost_middle,
    two_processes,
    mixed_levels,
    no_trace,
    brackets_in_names,
    quoted,
    quoted_errors,
    quoted_and_untraced,
    stream_lives_twice,
    untold_second_life,
    second_life_without_launch,
    broken_name,
)


def answer(lines: Lines, folder: Path) -> Diagnosis:
    path = folder / "plog-1_20260101000000000.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return diagnose(open_store([str(path)]))


def test_the_log_as_it_is_names_the_operator_with_high_confidence(failed_log: Lines, tmp_path: Path) -> None:
    failure = answer(failed_log, tmp_path).failure
    assert failure is not None
    assert (failure.op, failure.confidence) == (FAILED, Confidence.HIGH)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_log_that_lies_gets_no_wrong_answer_with_high_confidence(
    change: Change, failed_log: Lines, tmp_path: Path
) -> None:
    for seed in range(6):
        told = answer(change(failed_log[:], random.Random(seed)), tmp_path)
        assert told.verdict is not Verdict.CLEAN or change is lost_middle, seed
        failure = told.failure
        if failure is not None and failure.confidence is Confidence.HIGH:
            assert (failure.op or "").startswith(FAILED), (seed, failure.op, failure.evidence)


@pytest.mark.parametrize("change", [shuffled_threads, two_processes, brackets_in_names], ids=lambda c: c.__name__)
def test_what_loses_nothing_is_still_answered(change: Change, failed_log: Lines, tmp_path: Path) -> None:
    for seed in range(6):
        failure = answer(change(failed_log[:], random.Random(seed)), tmp_path).failure
        assert failure is not None
        assert (failure.op, failure.confidence) == (FAILED, Confidence.HIGH), seed
