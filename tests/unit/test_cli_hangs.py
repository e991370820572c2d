"""``getrace diagnose`` of hangs: a simulated lost event, the section of the text, and the fields of the JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from getrace.cli import main
from getrace.events.streams import EventSent
from getrace.replay import open_store

Capture = pytest.CaptureFixture[str]


def run(model: str, fault: str, root: Path, capsys: Capture, executor: str = "sequential") -> Path:
    """Run a model on two streams with a fault; gives the folder."""
    words = ["run", model, "--multi-stream", "--executor", executor, "--fault", fault, "--out", str(root), "--json"]
    main(words)
    capsys.readouterr()
    return root


def diagnosed(path: Path, capsys: Capture, *more: str) -> dict[str, Any]:
    main(["diagnose", *more, str(path), "--json"])
    data: dict[str, Any] = json.loads(capsys.readouterr().out)["data"]
    return data


@pytest.mark.parametrize(
    ("model", "number", "executor", "stream", "kernel", "recorder"),
    [
        ("two_streams", 1, "sequential", 25, "WaitEvents_second_349", "SendEvents_x_114"),
        ("two_streams", 2, "topological", 24, "WaitEvents_sum_457", "SendEvents_second_353"),
        ("two_streams", 3, "sequential", 24, "LastWaitEvents_80", "LastSendEvents_93"),
        ("mixed_engines", 1, "multithread", 25, "WaitEvents_length_472", "SendEvents_dims_381"),
        ("mixed_engines", 2, "priority", 24, "WaitEvents_row_505", "SendEvents_length_476"),
    ],
)
def test_the_lost_event_of_a_simulated_run_is_the_root(
    model: str, number: int, executor: str, stream: int, kernel: str, recorder: str, tmp_path: Path, capsys: Capture
) -> None:
    root = run(model, f"lost-event#{number}", tmp_path / "b", capsys, executor)
    data = diagnosed(root, capsys)
    assert (data["failure"]["kernel"], data["failure"]["how"], data["failure"]["phase"]) == (kernel, "wait", "sync")
    (hang,) = [hang for hang in data["hangs"] if hang["root"]]
    assert (hang["stream"]["rt"], hang["stream"]["model"], hang["kernel"]) == (stream, None, kernel)
    assert (hang["wait"]["kind"], hang["wait"]["number"], hang["why"]) == ("event", number - 1, "signal_lost")
    assert hang["recorder"]["kernel"] == recorder
    store = open_store([str(root)])
    sent = store.rows_of(EventSent)[number - 1]
    assert hang["recorder"]["at"]["line"] == int(store.column("line")[sent])


def test_the_text_tells_who_waits_for_whom_the_root_first(tmp_path: Path, capsys: Capture) -> None:
    root = run("two_streams", "lost-event#1", tmp_path / "b", capsys)
    assert main(["diagnose", str(root)]) == 1
    text = capsys.readouterr().out
    section = text[text.index("waits:") : text.index("info:")].splitlines()
    assert section[:5] == [
        "waits:",
        "  rt stream 25 (logical stream 1) waits for event 0 at task 0, WaitEvents_second_349  <- root",
        "    recorder  SendEvents_x_114 on rt stream 24 (logical stream 0), task 0  :196",
        "    it has not happened: it ran, and its signal did not arrive",
        "    cannot tell: none of its tasks is known to be done, so it may have come further",
    ]
    assert (
        "  the host (process 56340) waits for rt stream 24 (logical stream 0) to end, 10.000 s of 10 s allowed"
        in section
    )


def test_a_clean_run_has_no_section_and_empty_fields(tmp_path: Path, capsys: Capture) -> None:
    main(["run", "two_streams", "--multi-stream", "--out", str(tmp_path / "b"), "--json"])
    capsys.readouterr()
    data = diagnosed(tmp_path / "b", capsys)
    assert (data["hangs"], data["ranks"]) == ([], None)
    main(["diagnose", str(tmp_path / "b")])
    assert "waits:" not in capsys.readouterr().out


def test_a_fault_of_a_kernel_is_no_hang(tmp_path: Path, capsys: Capture) -> None:
    root = run("two_streams", "timeout@sum", tmp_path / "b", capsys)
    data = diagnosed(root, capsys)
    assert (data["failure"]["kernel"], data["hangs"]) == ("LaunchKernelWithHandle_sum_451", [])


def test_a_stream_behind_a_kernel_that_ran_out_of_time_waits_for_it(tmp_path: Path, capsys: Capture) -> None:
    root = run("two_streams", "timeout@second", tmp_path / "b", capsys)
    data = diagnosed(root, capsys)
    assert data["failure"]["op"] == "second"
    waiting, failed = data["hangs"][:2]
    assert (waiting["stream"]["rt"], waiting["why"], waiting["recorder"]["kernel"]) == (
        24,
        "stream_failed",
        "SendEvents_second_353",
    )
    assert (failed["stream"]["rt"], failed["kernel"], failed["root"]) == (
        25,
        "LaunchKernelWithHandle_second_343",
        True,
    )


def test_a_text_without_records_tells_of_ranks_too(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "page.txt"
    path.write_text(
        "EI0002: [PID: 31] 2025-03-26-13:49:01.670.614 The wait execution of the Notify register times out. Reason: "
        "The Notify register has not received the Notify record from remote rank: [3]. base information: "
        "[streamID:[29], "
        "taskID[9], tag[Broadcast_g], AlgType(level 0-1-2):[ring].]. group information: [group:[g], user define "
        "information[], rankSize[8], rankId[6].]\n",
        encoding="utf-8",
    )
    data = diagnosed(path, capsys, "--text")
    (group,) = data["ranks"]["groups"]
    assert (group["group"], group["size"], group["cycles"]) == ("g", 8, [])
    (edge,) = group["edges"]
    assert (edge["from"], edge["to"], edge["what"], edge["stated"]) == ("rank 6", "rank 3", "Broadcast", True)
    assert [(each["line"], edge["evidence"][0]["file"]) for each in edge["evidence"]] == [(1, str(path))]
    (hang,) = data["hangs"]
    assert (hang["stream"], hang["task"]) == ({"rt": None, "logical": None, "model": None, "printed": 29}, 9)


HASHES = "#" * 64


def queue(stream: int, head: int, tail: int) -> str:
    """Spell the first line of a dumped queue of process 77."""
    state = "is_model=0, model_id=65535, exe_times=65535, sq_en=1, swap_in=0, cq_head=1, cq_tail=1, pid=77, vf_id=0"
    return f"stream_id={stream}, rtsq_id={stream}, sq_fsm=0x9, cur_wait_time=1, head={head}, tail={tail}, {state}"


def dump(head_of_recorder: int) -> str:
    """Spell a dump of two queues: stream 6 waits for event 3, which stream 9 records at position 1."""
    lines = (
        (
            "[ERROR] TSCH(-1,null):2024-02-08-01:41:14.977.406 3986 (dieid:0,cpuid:0) stars_timewheel.c:90 "
            "stars_wait_sqe_is_timeout: Timeout: sq_pid=77, sq_id=6, is_need_process=1, exe_time=21, time_out=20, "
            "stream_id=6, task_id=5, cur_head=5, wait_sqe_head=5."
        ),
        HASHES,
        queue(6, 5, 7),
        "pos=4: stream_id=6, task_id=4, sqe_type=4, Event Record, event_id=2, isSync=0",
        "pos=5: stream_id=6, task_id=5, sqe_type=5, Event Wait, event_id=3",
        "pos=6: stream_id=6, task_id=6, sqe_type=0, FFTS",
        HASHES,
        queue(9, head_of_recorder, 2),
        "pos=0: stream_id=9, task_id=0, sqe_type=0, FFTS",
        "pos=1: stream_id=9, task_id=1, sqe_type=4, Event Record, event_id=3, isSync=0",
        HASHES,
    )
    return "".join(f"{line}\n" for line in lines)


def test_a_dump_leads_from_the_wait_to_the_stream_that_stands(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "schedule_tracer_0.txt"
    path.write_text(dump(0), encoding="utf-8")
    waiting, standing = diagnosed(path, capsys)["hangs"]
    assert (waiting["pid"], waiting["stream"]["rt"], waiting["wait"]["number"], waiting["task"]) == (77, 6, 3, 5)
    assert (waiting["wait"]["waited_s"], waiting["wait"]["limit_s"]) == (21, 20)
    assert waiting["queue"] == {"head": 5, "tail": 7, "pending": 2}
    assert (waiting["recorder"]["stream"]["rt"], waiting["recorder"]["task"]) == (9, 1)
    assert waiting["recorder"]["at"]["line"] == 10
    assert (waiting["why"], waiting["confidence"], waiting["root"], waiting["on"]) == ("stream_busy", "high", False, 1)
    assert (standing["stream"]["rt"], standing["task"], standing["wait"]["kind"], standing["root"]) == (
        9,
        0,
        "task",
        True,
    )
    assert [spot["line"] for spot in standing["evidence"]] == [8, 9]


def test_a_dump_whose_record_is_done_says_that_the_signal_is_lost(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "schedule_tracer_0.txt"
    path.write_text(dump(2), encoding="utf-8")
    (waiting,) = diagnosed(path, capsys)["hangs"]
    assert (waiting["why"], waiting["root"]) == ("signal_lost", True)
