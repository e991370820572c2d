"""Logs made from the real failure by taking lines away, moving and adding them: an answer says only what is left."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from getrace.cli import main

pytestmark = pytest.mark.real

Capture = pytest.CaptureFixture[str]
Json = dict[str, Any]
Lines = list[bytes]

LAUNCH = b"LaunchKernelWithFlag_GatherV2_308"
LAUNCH_NAME = b"kernel_name=2_0_11_GatherV2"
FAULT_NAME = b"fault kernel_name"
DUMPER = (b"PrepareExceptionDump", b"exception op", b"save dump op", b"node_name:")
CASCADE = [8427, 8435, 8440, 8442, 8444, 8447]


@pytest.fixture
def lines(case_01: Path) -> Lines:
    return case_01.read_bytes().split(b"\n")


def diagnosed(lines: Iterable[bytes], tmp_path: Path, capsys: Capture, code: int = 1) -> Json:
    path = tmp_path / "plog-370_20230713074107907.log"
    path.write_bytes(b"\n".join(lines))
    assert main(["diagnose", str(path), "--json"]) == code
    data: Json = json.loads(capsys.readouterr().out)["data"]
    return data


def findings_of(data: Json) -> dict[str, Json]:
    return {finding["rule"]: finding for finding in data["findings"]}


def evidence_of(data: Json) -> dict[str, list[int]]:
    return {rule: [spot["line"] for spot in finding["evidence"]] for rule, finding in findings_of(data).items()}


def without(lines: Lines, *words: bytes) -> Lines:
    return [line for line in lines if not any(word in line for word in words)]


@pytest.mark.parametrize("block", [True, False], ids=["lines-8331-to-8338", "every-line-of-it"])
def test_without_the_launch_no_kernel_is_named(lines: Lines, tmp_path: Path, capsys: Capture, *, block: bool) -> None:
    left = lines[:8330] + lines[8338:] if block else without(lines, LAUNCH)
    failure = diagnosed(left, tmp_path, capsys)["failure"]
    assert (failure["kernel"], failure["kernel_type"], failure["line"]) == (None, None, None)
    assert (failure["op"], failure["how"], failure["confidence"]) == ("GatherV2", "fault_name", "medium")


@pytest.mark.parametrize("behind", [1, 20, 84], ids=["a-line", "a-few-lines", "after-the-cascade"])
def test_a_launch_that_was_written_late_is_joined_by_its_time(
    lines: Lines, tmp_path: Path, capsys: Capture, behind: int
) -> None:
    block, rest = lines[8330:8338], lines[:8330] + lines[8338:]
    data = diagnosed(rest[: 8355 + behind] + block + rest[8355 + behind :], tmp_path, capsys)
    failure = data["failure"]
    assert (failure["kernel"], failure["line"]) == (LAUNCH.decode(), 8357 + behind)
    assert (failure["how"], failure["confidence"]) == ("task_join", "high")
    assert failure["error"]["line"] == 8355


def test_the_line_of_the_task_alone_may_be_late(lines: Lines, tmp_path: Path, capsys: Capture) -> None:
    data = diagnosed([*lines[:8331], *lines[8332:8365], lines[8331], *lines[8365:]], tmp_path, capsys)
    failure = data["failure"]
    assert (failure["kernel"], failure["line"], failure["how"]) == (LAUNCH.decode(), 8365, "task_join")


@pytest.mark.parametrize(
    ("gone", "evidence", "shown"),
    [
        ((), "the exception dumper's note of the task", "exception_dump"),
        (DUMPER, "the runtime's name of the failed kernel", "fault_name"),
        ((FAULT_NAME, *DUMPER), "the runtime's name of the kernel at its launch", "fault_name"),
    ],
    ids=["dumper", "fault", "launch"],
)
def test_the_evidence_is_what_was_used_and_stands_in_the_findings(
    lines: Lines, tmp_path: Path, capsys: Capture, gone: tuple[bytes, ...], evidence: str, shown: str
) -> None:
    data = diagnosed(without(lines, LAUNCH, *gone), tmp_path, capsys)
    assert (data["failure"]["op"], data["failure"]["how"]) == ("GatherV2", "fault_name")
    assert data["failure"]["evidence"] == evidence
    assert evidence_of(data)[shown] != []


def test_without_any_name_nothing_is_named(lines: Lines, tmp_path: Path, capsys: Capture) -> None:
    data = diagnosed(without(lines, LAUNCH, LAUNCH_NAME, FAULT_NAME, *DUMPER), tmp_path, capsys)
    failure = data["failure"]
    assert (failure["op"], failure["kernel"], failure["how"], failure["confidence"]) == (None, None, "none", "low")
    assert {"fault_name", "exception_dump"}.isdisjoint(evidence_of(data))


def test_two_failing_processes_in_one_log_are_kept_apart(lines: Lines, tmp_path: Path, capsys: Capture) -> None:
    twice = [line for own in lines for line in (own, own.replace(b"(370,", b"(371,"))]
    data = diagnosed(twice, tmp_path, capsys)
    failure, evidence = data["failure"], evidence_of(data)
    first = [2 * line - 1 for line in CASCADE]
    assert (failure["pid"], failure["line"], failure["error"]["line"]) == (370, 2 * 8332 - 1, 2 * 8363 - 1)
    assert failure["consequences"] == first
    assert (evidence["consequences"], evidence["device_error"]) == (first[:5], [2 * 8368 - 1])
    assert evidence["other_processes"] == [2 * 8363]


def test_of_two_launches_that_fit_a_wrapped_task_the_nearest_counts_with_less_confidence(
    lines: Lines, tmp_path: Path, capsys: Capture
) -> None:
    again = lines[8331].replace(b"GatherV2_308", b"GatherV2_999")
    again = again.replace(b"flip_num=0, flip_task_id=6", b"flip_num=1, flip_task_id=65542")
    data = diagnosed([*lines[:8340], again, *lines[8340:]], tmp_path, capsys)
    failure, finding = data["failure"], findings_of(data)["task_join"]
    assert (failure["kernel"], failure["line"]) == ("LaunchKernelWithFlag_GatherV2_999", 8341)
    assert (failure["how"], failure["confidence"]) == ("task_join", "medium")
    assert evidence_of(data)["task_join"] == [8341, 8332]
    assert "GatherV2_999" in finding["message"]
    assert "GatherV2_308" in finding["message"]


def test_a_program_gets_the_whole_record(case_01: Path, lines: Lines, tmp_path: Path, capsys: Capture) -> None:
    [evidence] = findings_of(diagnosed(lines, tmp_path, capsys))["device_error"]["evidence"]
    assert evidence["text"] == case_01.read_bytes().split(b"\n")[8367].decode()


@pytest.mark.parametrize("last", [8354, 8359])
def test_a_log_cut_while_the_host_waits_cannot_tell(lines: Lines, tmp_path: Path, capsys: Capture, last: int) -> None:
    data = diagnosed(lines[:last], tmp_path, capsys, code=3)
    failure = data["failure"]
    assert (data["verdict"], failure["phase"], failure["how"]) == ("unknown", "sync", "silence")
    assert (failure["kernel"], failure["stream_id"], failure["last_good"]["line"]) == (None, 2, 8352)
    assert (failure["expected_next"]["kernel"], failure["expected_next"]["line"]) == ("StreamSynchronize", 8354)
    assert findings_of(data)["waiting"]["next_step"] != ""


def test_the_lines_of_a_launch_alone_tell_nothing_but_what_to_do(lines: Lines, tmp_path: Path, capsys: Capture) -> None:
    data = diagnosed(lines[8330:8338], tmp_path, capsys, code=3)
    assert (data["verdict"], data["failure"]) == ("unknown", None)
    assert "whole log" in findings_of(data)["no_whole_run"]["next_step"]


def test_without_launch_and_runtime_the_dumper_still_names_the_operator(
    lines: Lines, tmp_path: Path, capsys: Capture
) -> None:
    data = diagnosed(without(lines, LAUNCH, b"] RUNTIME("), tmp_path, capsys)
    failure = data["failure"]
    assert (failure["phase"], failure["kernel"], failure["how"]) == ("sync", None, "none")
    assert (failure["op"], failure["stream_id"], failure["task_id"]) == ("GatherV2", 2, 6)
    assert evidence_of(data)["exception_dump"] != []
    assert "runtime_silent" in evidence_of(data)


@pytest.mark.parametrize(
    ("case", "op", "op_type", "how"),
    [
        ("08", "AddCustom", "AddCustom", "family"),
        ("09", "FlashAttentionScore", "FlashAttentionScore", "family"),
        ("13", "GatherV3", "GatherV3", "family"),
        ("17", "GatherV3AiCore", "GatherV3", "fault_name"),
        ("21", "GatherV2", None, "fault_name"),
        ("28", "GatherV2", None, "fault_name"),
        ("30", "GatherV21", None, "fault_name"),
        ("76", "Add_35", None, "fault_name"),
        ("146", "GetNext", "GetNext", "family"),
        ("205", "GatherV2", "GatherV2", "fault_name"),
    ],
)
def test_the_operator_is_read_from_the_name_of_the_fault(
    case: str, op: str, op_type: str | None, how: str, cases: Path, capsys: Capture
) -> None:
    [path] = (cases / "real").glob(f"{case}-*")
    assert main(["diagnose", str(path), "--json"]) == 1
    failure = json.loads(capsys.readouterr().out)["data"]["failure"]
    assert (failure["kernel"], failure["op"], failure["op_type"], failure["how"]) == (None, op, op_type, how)
