"""Twins of real failures, written by hand: a checkout without the real cases fails where they would.

``tests/golden/twins.toml`` holds the logs. Whatever a row of ``tests/real/expected.toml`` asserts of a kind of failure,
a twin of the same family asserts, too.
"""

from pathlib import Path
from typing import Any, Final

import pytest
from asserted_facts import READ, answer, wrong
from twin_logs import TESTS, TWINS, record, rows

EXPECTED: Final = rows(TESTS / "real" / "expected.toml", "case")


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
