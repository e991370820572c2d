# ruff: noqa: RUF001 - Chinese has its own marks
"""How a failed run is told: names with brackets, commands that can be typed, waits and addresses in Chinese."""

import json
from pathlib import Path

import pytest

from getrace.analysis.failure.sayings import phrase
from getrace.analysis.hangs.model import STATE_WORDS, WORDS, Why
from getrace.analysis.rules.model import Language
from getrace.cli import main

Capture = pytest.CaptureFixture[str]


def failed(root: Path, capsys: Capture, model: str, fault: str) -> Path:
    """Run with a fault and give the log."""
    main(["run", model, "--fault", fault, "--out", str(root)])
    capsys.readouterr()
    (log,) = (root / "debug" / "plog").glob("*.log")
    return log


def told(capsys: Capture, *words: str) -> str:
    main(["diagnose", *words])
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["su]m", "[sum]", "sum]", "]sum", "sum]x[", "s[0]"])
def test_a_task_is_joined_to_a_kernel_whose_name_has_brackets(name: str, tmp_path: Path, capsys: Capture) -> None:
    log = failed(tmp_path / "b", capsys, "mixed_engines", "aicore@sum")
    text = log.read_text(encoding="utf-8")
    plain = json.loads(told(capsys, str(log), "--json"))["data"]["failure"]
    other = tmp_path / "other.log"
    other.write_text(text.replace("_sum_", f"_{name}_"), encoding="utf-8")
    failure = json.loads(told(capsys, str(other), "--json"))["data"]["failure"]
    assert (plain["op"], plain["how"], plain["confidence"]) == ("sum", "task_join", "high")
    assert (failure["op"], failure["how"], failure["confidence"]) == (name, "task_join", "high")
    assert failure["kernel"] == plain["kernel"].replace("_sum_", f"_{name}_")


def test_the_next_step_names_the_log_and_an_address_of_the_launch(tmp_path: Path, capsys: Capture) -> None:
    log = failed(tmp_path / "b b", capsys, "mixed_engines", "aicore@sum")
    text = told(capsys, str(log))
    assert f"getrace memory '{log}' --addr 0x12c0413d0000\n" in text  # the input that was given again
    assert "PATH" not in text
    assert main(["memory", str(log), "--addr", "0x12c0413d0000"]) == 0


def test_without_an_address_the_next_step_names_the_log_at_least(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "x.log"
    head = "[ERROR] RUNTIME(7,shop):2026-01-02-03:04:05.000.000 [engine.cc:1377]7 "
    log.write_text(
        f"{head}ReportExceptProc:Task exception! device_id=0, stream_id=3, task_id=4, type=0(KERNEL_AICORE), "
        "failuremode =0, retCode=0x26, [aicore exception]\n"
        f"{head}PrintCoreErrorInfo:The error from device(0), serial number is 1, there is an aicore error, "
        "core id is 0, error code = 0x10, dump info: pc start: 0x1000\n",
        encoding="utf-8",
    )
    assert f"getrace memory {log} --addr ADDRESS" in told(capsys, str(log))


def test_waits_are_told_in_chinese(tmp_path: Path, capsys: Capture) -> None:
    log = failed(tmp_path / "b", capsys, "two_streams", "lost-event#2")
    lines = told(capsys, str(log), "--lang", "zh").splitlines()
    start = lines.index("等待：")
    assert lines[start + 1 : start + 9] == [
        "  rt stream 24 (logical stream 0) 等待 event 1，停在 task 3, WaitEvents_sum_457  <- 根源",
        "    记录者 SendEvents_second_353，位于 rt stream 25 (logical stream 1), task 2  :335",
        "    最后完成 LaunchKernelWithHandle_first_243  :230",
        "    未发生: 已执行，但信号没有到达",
        "    依据 行 339, 338, 400 … (可信度中)",
        "  主机侧（进程 56340） 等待 rt stream 24 (logical stream 0) 结束, 10.000 s，上限 10 s",
        "    不再前进: 其 stream 自身被阻塞",
        "    依据 行 405, 397 (可信度中)",
    ]


def test_addresses_are_told_in_chinese(tmp_path: Path, capsys: Capture) -> None:
    log = failed(tmp_path / "b", capsys, "mixed_engines", "aicore@sum")
    lines = told(capsys, str(log), "--lang", "zh").splitlines()
    (second,) = [line for line in lines if line.startswith("  input 1")]
    assert second.split(maxsplit=2)[2] == (
        "0x12c0413d0000（来自 CopyFlowLaunch_To_LaunchKernelWithHandle_sum_223） "
        "(下发之后、发现失败之前被再次分配), 64 KiB"
    )


@pytest.mark.parametrize(
    "words", [*(text for why, text in WORDS.items() if why is not Why.UNKNOWN), *STATE_WORDS.values()]
)
def test_each_reason_of_a_wait_and_state_of_a_rank_has_chinese_words(words: str) -> None:
    assert phrase(words, Language.ZH) != words
    assert phrase(words, Language.EN) == words


@pytest.mark.parametrize(
    ("fault", "code", "reason"),
    [
        ("stream#2", 207005, "driver error:resource alloc fail"),
        ("event#1", 207007, "driver error:no event resource"),
    ],
)
def test_a_refused_resource_is_told_as_runtime_tells_it(
    fault: str, code: int, reason: str, tmp_path: Path, capsys: Capture
) -> None:
    log = failed(tmp_path / "b", capsys, "two_streams", fault)
    assert f"ErrCode={code}, desc=[{reason}]" in log.read_text(encoding="utf-8")
    answer = json.loads(told(capsys, str(log), "--json"))
    assert (answer["data"]["failure"]["phase"], answer["warnings"]) == ("stream", [])


@pytest.mark.parametrize(("fault", "printed"), [("timeout@sum", False), ("aicore@sum", True)])
def test_a_core_that_ran_out_of_time_has_no_error_code(
    fault: str, printed: bool, tmp_path: Path, capsys: Capture
) -> None:
    log = failed(tmp_path / "b", capsys, "mixed_engines", fault)
    assert ("error code = 0x10" in log.read_text(encoding="utf-8")) is printed


STATED = (
    "[ERROR] TSCH(-1,null):2026-01-02-03:04:05.000.000 7 (dieid:0,cpuid:0) sqe.c:795 wait_sqe_is_timeout: Timeout: "
    "sq_pid=7, sq_id=1, exe_time=61, time_out=60, stream_id=5, task_id=9\n"
)
SPOKEN = "[INFO] GE(7,shop):2026-01-02-03:04:04.000.000 [shop.cc:7]7 Open: the shop is open\n"


@pytest.mark.parametrize(
    ("folders", "confidence", "why"),
    [
        (("one/debug/plog", "one/run/plog"), "high", "the line names neither what is waited for"),
        (("one/debug/plog", "two/debug/plog"), "low", "logs of several folders have this process number"),
    ],
)
def test_a_wait_of_two_hosts_with_one_process_number_is_doubted(
    folders: tuple[str, str], confidence: str, why: str, tmp_path: Path, capsys: Capture
) -> None:
    for folder, text in zip(folders, (SPOKEN + STATED, SPOKEN), strict=True):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "plog-7_20260102030405000.log").write_text(text, encoding="utf-8")
    hangs = json.loads(told(capsys, str(tmp_path), "--json"))["data"]["hangs"]
    (wait,) = [hang for hang in hangs if hang["stream"]["rt"] == 5]
    assert (wait["pid"], wait["confidence"]) == (7, confidence)
    assert why in wait["cannot_tell"]
