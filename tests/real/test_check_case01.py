"""The evidence gate on a real log."""

import json
from pathlib import Path
from typing import Any

import pytest
from case_01_facts import KINDS_OF_CASE_01

from getrace.cli import main

pytestmark = pytest.mark.real

Capture = pytest.CaptureFixture[str]


def checked(path: Path, capsys: Capture) -> dict[str, Any]:
    assert main(["check", str(path), "--json"]) == 1
    data: dict[str, Any] = json.loads(capsys.readouterr().out)["data"]
    return data


def test_every_line_is_counted_and_every_trace_line_claimed(case_01: Path, capsys: Capture) -> None:
    data = checked(case_01, capsys)
    assert (data["lines"], data["records"], data["continuation_lines"]) == (9_004, 8_953, 51)
    assert (data["dialects"], data["kerneltrace_lines"], data["unclaimed"]) == (["rt2-2023"], 132, 0)
    assert data["by_kind"] == KINDS_OF_CASE_01


def test_only_the_two_cut_lines_are_a_loss(case_01: Path, capsys: Capture) -> None:
    data = checked(case_01, capsys)
    assert (data["cut_lines"], data["joined_lines"]) == ([8337, 8405], 0)
    assert (data["holes"], data["open_runs"], data["unclaimed_lines"]) == ([], [], [])
    assert data["markers"] == {"start": 2, "end": 2}


def test_what_can_be_analysed_is_told(case_01: Path, capsys: Capture) -> None:
    states = {name: ability["state"] for name, ability in checked(case_01, capsys)["analyses"].items()}
    assert states == {
        "kernels": "possible",
        "iterations": "possible",
        "memory": "possible",
        "streams": "partly",
        "shapes": "possible",
        "tiling": "possible",
        "failure": "possible",
        "device": "possible",
    }


def test_without_the_runtime_the_missing_switch_is_named(case_01: Path, tmp_path: Path, capsys: Capture) -> None:
    lines = [line for line in case_01.read_bytes().split(b"\n") if b"] RUNTIME(" not in line]
    path = tmp_path / "plog-370_20230713074107907.log"
    path.write_bytes(b"\n".join(lines))
    device = checked(path, capsys)["analyses"]["device"]
    assert device == {
        "state": "impossible",
        "missing": [
            {
                "what": "RUNTIME lines of tasks",
                "switch": "ASCEND_GLOBAL_LOG_LEVEL=1 or ASCEND_MODULE_LOG_LEVEL=GE=1:RUNTIME=1",
            }
        ],
    }
