"""``getrace run --fault``: the log of a simulated failure is read like a real one, and says which operator it was."""

import json
from pathlib import Path
from typing import Any

import pytest

from getrace.cli import main
from getrace.cli.log_levels import levels_of_process
from getrace.events import Level

Capture = pytest.CaptureFixture[str]


def broken(model: str, fault: str, root: Path, capsys: Capture) -> tuple[int, dict[str, Any], list[str]]:
    """Run with a fault into a bundle; gives the exit code, the data and the warnings."""
    code = main(["run", model, "--json", "--fault", fault, "--out", str(root)])
    answer = json.loads(capsys.readouterr().out)
    return code, answer["data"], answer["warnings"]


def asked(verb: str, root: Path, capsys: Capture) -> tuple[int, dict[str, Any]]:
    code = main([verb, str(root), "--json"])
    return code, json.loads(capsys.readouterr().out)["data"]


@pytest.mark.parametrize(
    ("model", "fault", "status", "phase", "op", "how"),
    [
        ("mixed_engines", "aicore@sum", 507015, "device", "sum", "task_join"),
        ("mixed_engines", "aicpu@Neg", 507018, "device", "turn", "task_join"),
        ("mixed_engines", "timeout@turn", 507017, "device", "turn", "task_join"),
        ("two_streams", "aicore@second", 507015, "device", "second", "task_join"),
        ("two_streams", "aicore@LaunchKernelWithHandle#3", 507015, "device", "sum", "task_join"),
        ("weights", "launch@shifted", 4294967295, "launch", "shifted", "error_line"),
        ("two_streams", "lost-event#2", 107020, "sync", "sum", "wait"),
        ("two_streams", "event#1", 1343225857, "stream", None, "none"),
        ("weights", "stream#1", 207005, "stream", None, "none"),
    ],
)
def test_the_log_of_a_failure_names_the_operator(
    model: str, fault: str, status: int, phase: str, op: str | None, how: str, tmp_path: Path, capsys: Capture
) -> None:
    code, data, warnings = broken(model, fault, tmp_path / "b", capsys)
    assert (code, data["status"], warnings) == (1, status, [])
    code, found = asked("diagnose", tmp_path / "b", capsys)
    assert (code, found["verdict"]) == (1, "failed")
    failure = found["failure"]
    assert (failure["phase"], failure["op"], failure["how"]) == (phase, op, how)
    code, checked = asked("check", tmp_path / "b", capsys)
    assert checked["unclaimed"] == 0


def test_a_killed_process_leaves_a_log_that_is_torn_and_opens(tmp_path: Path, capsys: Capture) -> None:
    code, data, _ = broken("weights", "kill@shifted", tmp_path / "b", capsys)
    assert (code, data["status"], data["fault"]) == (1, 137, "the process was killed at the launch of shifted")
    (log,) = (tmp_path / "b" / "debug" / "plog").glob("*.log")
    assert not log.read_bytes().endswith(b"\n")
    code, found = asked("diagnose", tmp_path / "b", capsys)
    assert (code, found["verdict"], found["failure"]["how"]) == (3, "unknown", "silence")
    assert asked("check", tmp_path / "b", capsys)[0] == 1
    assert asked("memory", tmp_path / "b", capsys)[1]["allocs"] > 0


def test_a_slow_operator_is_no_error(tmp_path: Path, capsys: Capture) -> None:
    usual = broken("weights", "slow@Relu:1", tmp_path / "a", capsys)[1]
    code, slow, warnings = broken("weights", "slow@Relu:1000", tmp_path / "b", capsys)
    assert (code, slow["status"], warnings) == (0, 0, [])
    assert slow["device_time"]["ns"] > 100 * usual["device_time"]["ns"]
    assert slow["outputs"] == usual["outputs"]


def test_a_wrong_bit_changes_the_output_and_nothing_else(tmp_path: Path, capsys: Capture) -> None:
    right = broken("weights", "bitflip@Relu#9", tmp_path / "a", capsys)
    wrong = broken("weights", "bitflip@Relu:3", tmp_path / "b", capsys)
    assert right[2] == ["--fault bitflip@Relu#9 met nothing: there were 1 such calls"]
    assert (wrong[0], wrong[1]["status"]) == (0, 0)
    assert wrong[1]["outputs"][0]["sha256"] != right[1]["outputs"][0]["sha256"]


def test_one_seed_gives_one_log_of_a_failure(tmp_path: Path, capsys: Capture) -> None:
    logs = []
    for name in ("a", "b"):
        broken("two_streams", "aicore@sum", tmp_path / name, capsys)
        (log,) = (tmp_path / name / "debug" / "plog").glob("*.log")
        logs.append(log.read_bytes())
    assert logs[0] == logs[1]
    assert b"Task exception! device_id=0, stream_id=24," in logs[0]


@pytest.mark.parametrize(
    ("environment", "levels"),
    [
        ({}, {"GE": Level.INFO, "RUNTIME": Level.INFO}),
        ({"ASCEND_GLOBAL_LOG_LEVEL": "3"}, {"GE": Level.ERROR, "RUNTIME": Level.ERROR}),
        ({"ASCEND_GLOBAL_LOG_LEVEL": "loud"}, {"GE": Level.INFO, "RUNTIME": Level.INFO}),
        (
            {"ASCEND_GLOBAL_LOG_LEVEL": "3", "ASCEND_MODULE_LOG_LEVEL": "GE=1:HCCL=0"},
            {"GE": Level.INFO, "RUNTIME": Level.ERROR, "HCCL": Level.DEBUG},
        ),
        (
            {"ASCEND_GLOBAL_LOG_LEVEL": "2", "ASCEND_MODULE_LOG_LEVEL": "GE=1:RUNTIME=9"},
            {"GE": Level.WARNING, "RUNTIME": Level.WARNING},
        ),
    ],
)
def test_the_environment_decides_what_is_printed(environment: dict[str, str], levels: dict[str, Level]) -> None:
    assert levels_of_process(environment) == levels


def test_at_level_error_a_run_prints_no_kernel_trace(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASCEND_GLOBAL_LOG_LEVEL", "3")
    broken("weights", "aicore@shifted", tmp_path / "b", capsys)
    (log,) = (tmp_path / "b" / "debug" / "plog").glob("*.log")
    assert {line.partition("]")[0] for line in log.read_text().splitlines()} == {"[ERROR"}
