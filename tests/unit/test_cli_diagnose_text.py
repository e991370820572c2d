"""``getrace diagnose --text``: console output has words, no records."""

import json
from pathlib import Path

import pytest

from getrace.cli import main

Capture = pytest.CaptureFixture[str]


def test_the_line_that_tells_the_cause_is_answered(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "out.txt"
    path.write_text("step 1\nEE1001: [PID: 41] invalid device, set device=9, valid range [0, 8)\n", encoding="utf-8")
    assert main(["diagnose", "--text", str(path), "--json"]) == 1
    failure = json.loads(capsys.readouterr().out)["data"]["failure"]
    assert (failure["phase"], failure["error"]["line"], failure["confidence"]) == ("init", 2, "low")
    assert failure["cause"] == {"what": "device_number", "line": 2, "facts": {"device": "9", "code": "EE1001"}}


def test_a_text_that_tells_nothing_cannot_be_judged(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "out.txt"
    path.write_text("step 1\nstep 2\n", encoding="utf-8")
    assert main(["diagnose", "--text", str(path), "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["data"]["verdict"] == "unknown"


def test_one_file_is_read(tmp_path: Path, capsys: Capture) -> None:
    assert main(["diagnose", "--text", str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    assert main(["diagnose", "--text", str(tmp_path / "a")]) == 3
    assert "cannot be read" in capsys.readouterr().err
