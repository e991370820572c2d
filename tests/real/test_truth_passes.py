"""Every pass, the sorting and the priorities against GE's own dumps of the same step."""

from pathlib import Path

import pytest
from truth_passes import check_case

USUAL = [
    "AclnnTwoStagesSt.MultiThreadExecutor_Ok_OnlyTwoStagesAclnnOps",
]

KNOWN: dict[str, str] = {}
"""Cases that differ, each with the reason; a case that stops to differ has to leave the table."""


def assert_as_known(dumps: Path, case: str) -> None:
    found = check_case(dumps, case)
    assert bool(found) == (case in KNOWN), found[:5]


@pytest.mark.real
@pytest.mark.parametrize("case", USUAL)
def test_each_step_gives_the_graph_that_ge_dumped(cases: Path, case: str) -> None:
    assert_as_known(cases / "truth" / "dumps", case)


@pytest.mark.real
@pytest.mark.long
def test_each_step_of_every_case_gives_the_graph_that_ge_dumped(cases: Path) -> None:
    dumps = cases / "truth" / "dumps"
    folders = sorted(folder.name for folder in dumps.iterdir())
    assert len(folders) == 254
    differing = {case: found[:3] for case in folders if bool(found := check_case(dumps, case)) != (case in KNOWN)}
    assert differing == {}
