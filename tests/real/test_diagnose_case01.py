"""The first failure of a real log, and of logs made from it: the answer follows the evidence, whatever it is called."""

import json
from pathlib import Path
from typing import Any

import pytest

from getrace.cli import main

pytestmark = pytest.mark.real

Capture = pytest.CaptureFixture[str]
Json = dict[str, Any]

GUIDE = """案例：算子执行失败定位

步骤 1: 启用 KernelTrace
export GERT_KERNEL_TRACE_ENABLE=1

步骤 2: 执行模型，观察日志
[KernelTrace][InferShape] infer shape result: [2, 1024]  ← Shape 推导正常
[KernelTrace][Tiling] tiling key: 12345, workspace: 4096  ← Tiling 正常
[KernelTrace][AllocMemory] [MEM]Alloc memory... size 4096  ← 内存分配正常
[KernelTrace][LaunchKernelWithHandle] kernel launched, task_id=123  ← Kernel 启动
<无后续日志>  ← Launch 后无输出，说明 Launch 失败

步骤 3: 定位 LaunchKernelWithHandle 内核
检查 runtime/v2/engine/aicore/kernel/launch_kernel_with_handle.cc
"""  # noqa: RUF001 - pasted as it stands in the article


def diagnosed(path: Path, capsys: Capture, code: int = 1) -> Json:
    assert main(["diagnose", str(path), "--json"]) == code
    data: Json = json.loads(capsys.readouterr().out)["data"]
    return data


def written(tmp_path: Path, lines: list[bytes]) -> Path:
    path = tmp_path / "plog-370_20230713074107907.log"
    path.write_bytes(b"\n".join(lines))
    return path


def test_the_failing_kernel_is_named_with_all_its_evidence(case_01: Path, capsys: Capture) -> None:
    data = diagnosed(case_01, capsys)
    failure = data["failure"]
    assert data["verdict"] == "failed"
    assert {
        name: failure[name]
        for name in (
            "phase",
            "kernel",
            "kernel_type",
            "op",
            "op_type",
            "stream_id",
            "task_id",
            "line",
            "how",
            "confidence",
        )
    } == {
        "phase": "device",
        "kernel": "LaunchKernelWithFlag_GatherV2_308",
        "kernel_type": "LaunchKernelWithFlag",
        "op": "GatherV2",
        "op_type": "GatherV2",
        "stream_id": 2,
        "task_id": 6,
        "line": 8332,
        "how": "task_join",
        "confidence": "high",
    }
    assert (failure["file"], failure["time"]) == (str(case_01), "2023-07-13T07:42:40.496290")
    assert (failure["error"]["line"], failure["first_sign"]["line"]) == (8363, 8360)
    assert failure["consequences"] == [8427, 8435, 8440, 8442, 8444, 8447]
    assert (failure["last_good"]["kernel"], failure["last_good"]["line"]) == ("AicpuLaunchTfKernel_Unique_168", 8287)


def test_the_device_error_stands_in_the_evidence(case_01: Path, capsys: Capture) -> None:
    findings = {finding["rule"]: finding for finding in diagnosed(case_01, capsys)["findings"]}
    assert "0x10" in findings["device_error"]["message"]
    [evidence] = findings["device_error"]["evidence"]
    assert evidence["line"] == 8368
    assert "error code = 0x10" in evidence["text"]


def test_other_names_and_another_task_lead_to_the_same_place(case_01: Path, tmp_path: Path, capsys: Capture) -> None:
    text = case_01.read_bytes()
    for old, new in (
        (b"GatherV2", b"my_Lookup_7"),
        (b"stream_id=2,", b"stream_id=77,"),
        (b"stream id:2\n", b"stream id:77\n"),
        (b"stream_id=2\n", b"stream_id=77\n"),
        (b"task_id=6,", b"task_id=4321,"),
        (b"task id:6,", b"task id:4321,"),
        (b"flip_task_id=6\n", b"flip_task_id=4321\n"),
    ):
        text = text.replace(old, new)
    failure = diagnosed(written(tmp_path, text.split(b"\n")), capsys)["failure"]
    assert (failure["kernel"], failure["op"]) == ("LaunchKernelWithFlag_my_Lookup_7_308", "my_Lookup_7")
    assert (failure["stream_id"], failure["task_id"]) == (77, 4321)
    assert (failure["line"], failure["how"], failure["error"]["line"]) == (8332, "task_join", 8363)
    assert failure["consequences"] == [8427, 8435, 8440, 8442, 8444, 8447]


def test_without_the_launchs_task_the_operator_is_still_known_but_with_less_confidence(
    case_01: Path, tmp_path: Path, capsys: Capture
) -> None:
    lines = case_01.read_bytes().split(b"\n")
    assert b"stream_id=2, task_id=6" in lines.pop(8331)
    failure = diagnosed(written(tmp_path, lines), capsys)["failure"]
    assert (failure["op"], failure["how"], failure["confidence"]) == ("GatherV2", "fault_name", "medium")
    assert (failure["kernel"], failure["line"]) == ("LaunchKernelWithFlag_GatherV2_308", 8331)
    assert (failure["stream_id"], failure["task_id"], failure["error"]["line"]) == (2, 6, 8362)


def test_the_runtimes_name_alone_gives_the_operator(case_01: Path, tmp_path: Path, capsys: Capture) -> None:
    lines = case_01.read_bytes().split(b"\n")
    kept = [line for line in lines if b"PrepareExceptionDump" not in line and b"flip_task_id=6" not in line]
    failure = diagnosed(written(tmp_path, kept), capsys)["failure"]
    assert (failure["op"], failure["how"]) == ("GatherV2", "fault_name")


def test_without_the_runtime_only_the_synchronise_is_seen_to_fail(
    case_01: Path, tmp_path: Path, capsys: Capture
) -> None:
    lines = [line for line in case_01.read_bytes().split(b"\n") if b"] RUNTIME(" not in line]
    data = diagnosed(written(tmp_path, lines), capsys)
    failure = data["failure"]
    assert (failure["phase"], failure["kernel"], failure["how"], failure["confidence"]) == ("sync", None, "none", "low")
    assert "DoRtStreamSyncWithTimeout" in failure["error"]["text"]
    steps = {finding["rule"]: finding["next_step"] for finding in data["findings"]}
    assert "ASCEND_MODULE_LOG_LEVEL=GE=1:RUNTIME=1" in steps["runtime_silent"]


def test_a_later_life_of_the_stream_with_the_same_task_changes_nothing(
    case_01: Path, tmp_path: Path, capsys: Capture
) -> None:
    lines = case_01.read_bytes().split(b"\n")
    again = [line.replace(b"GatherV2_308", b"Later_400") for line in lines[8324:8338]]
    lines[8680:8680] = again
    failure = diagnosed(written(tmp_path, lines), capsys)["failure"]
    assert (failure["kernel"], failure["line"]) == ("LaunchKernelWithFlag_GatherV2_308", 8332)


def test_a_fault_in_a_later_life_is_not_blamed_on_the_first(case_01: Path, tmp_path: Path, capsys: Capture) -> None:
    lines = case_01.read_bytes().split(b"\n")
    fault = lines[8362]
    healthy = [line for line in lines[:8690] if b"[ERROR]" not in line]
    place = next(number for number, line in enumerate(healthy) if b"StreamCreate: Succ, flag=0, stream_id=2" in line)
    healthy.insert(place + 2, fault)
    failure = diagnosed(written(tmp_path, healthy), capsys)["failure"]
    assert (failure["kernel"], failure["how"], failure["task_id"]) == (None, "none", 6)


def test_the_sample_of_the_article_is_a_silence_after_the_launch(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "pasted.txt"
    path.write_text(GUIDE, encoding="utf-8")
    failure = diagnosed(path, capsys)["failure"]
    assert (failure["kernel"], failure["how"], failure["confidence"]) == ("LaunchKernelWithHandle", "silence", "low")
    assert (failure["phase"], failure["task_id"], failure["line"]) == ("launch", 123, 10)
    assert (failure["error"], failure["consequences"]) == (None, [])


def test_the_same_log_gives_the_same_bytes(case_01: Path, capsys: Capture) -> None:
    texts = set()
    for _ in range(2):
        main(["diagnose", str(case_01), "--json"])
        texts.add(capsys.readouterr().out)
    assert len(texts) == 1
