"""Counts of a real log by the graph that ran."""

import json
from pathlib import Path

import pytest

from getrace.cli import main

pytestmark = pytest.mark.real


def test_the_deinit_without_markers_is_counted_as_deinit(case_01: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "--by", "iteration", str(case_01), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["data"]["rows"]
    assert {row["name"]: row["count"] for row in rows} == {"init": 86, "main 1": 21, "deinit": 2}
