"""Twins of real failures, written by hand: a checkout without the real cases fails where they would.

``tests/golden/twins.toml`` holds the logs. Whatever a row of ``tests/real/expected.toml`` asserts of a kind of failure,
a twin of the same family asserts, too.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from asserted_facts import READ, answer, wrong

from getrace.clock import plog_time

TESTS: Final = Path(__file__).parents[1]
START_NS: Final = 1_767_323_045_000_000_000
STEP_NS: Final = 1_000_000
PID: Final = 371
LEVELS: Final = {"E": "ERROR", "W": "WARNING", "I": "INFO"}
LINE: Final = re.compile(r"(?P<level>[EWI]) (?P<module>\w+)(?:@(?P<pid>-?\d+))? (?P<text>.*)", re.DOTALL)


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))[table]
    return found


TWINS: Final = rows(TESTS / "golden" / "twins.toml", "twin")
EXPECTED: Final = rows(TESTS / "real" / "expected.toml", "case")


def record(number: int, line: str) -> str:
    """Make the record of a line, or give the line that stands as it is."""
    if line.startswith("| "):
        return line[2:]
    found = LINE.fullmatch(line)
    assert found is not None, line
    pid = found["pid"] or PID
    time = plog_time(START_NS + number * STEP_NS)
    space = " " if line.startswith("I RUNTIME") else ""  # as its own lines have it
    head = f"[{LEVELS[found['level']]}] {found['module']}({pid},shop):{time} [shop.cc:7]"
    return f"{head}{space}{pid} {found['text']}"


def kind_of(row: dict[str, Any]) -> tuple[str, str]:
    return row["family"], row.get("what", row.get("verdict", ""))


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: "-".join(kind_of(twin)))
def test_a_twin_is_read_as_its_real_failure(twin: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "twin.log"
    path.write_text("".join(f"{record(*line)}\n" for line in enumerate(twin["log"])), encoding="utf-8")
    assert wrong(twin, answer(path)) == {}


@pytest.mark.parametrize("kind", sorted({kind_of(row) for row in EXPECTED if READ.keys() & row.keys()}), ids="-".join)
def test_what_real_cases_assert_of_a_kind_its_twins_assert(kind: tuple[str, str]) -> None:
    asserted = {key for row in EXPECTED if kind_of(row) == kind for key in row.keys() & READ.keys()}
    held = {key for twin in TWINS if kind_of(twin) == kind for key in twin.keys() & READ.keys()}
    assert asserted - held == set()
