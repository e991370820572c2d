"""Several files as one log: parts of a rotated log, processes and ranks by time, clocks of devices."""

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest
from plog_generator import write_plog

from getrace.ingest.names import series_of
from getrace.replay import open_store
from getrace.store.clock_offset import ClockOffset
from getrace.store.columns import COLUMNS
from getrace.store.store import Store

PLACES = {"source", "line", "offset"}
"""Columns that say where a record stands: in another file it stands elsewhere."""


def event_hash(store: Store) -> str:
    """Give a digest of all that the records of a store say, in their order."""
    digest = hashlib.sha256()
    for name in sorted(set(COLUMNS) - PLACES - {"kernel", "module"}):
        digest.update(np.ascontiguousarray(store.column(name)).tobytes())
    for row in range(store.rows):
        digest.update(f"{store.names.text(int(store.column('module')[row]))} {store.kernel(row)}\n".encode())
    return digest.hexdigest()


def late_threads(path: Path) -> list[bytes]:
    """Write a log in which every 50th record reached the file after younger ones, and give its lines."""
    write_plog(path, 400_000, 0.5)
    lines = path.read_bytes().splitlines(keepends=True)
    for at in range(50, len(lines) - 3, 50):
        lines[at : at + 3] = [lines[at + 1], lines[at + 2], lines[at]]
    path.write_bytes(b"".join(lines))
    return lines


@pytest.mark.parametrize("name", ["plog-1_2026030510111200{}.log.gz", "app.log.{}.gz", "big.part{}.gz"])
def test_one_log_in_seven_packed_parts_has_the_events_of_the_whole(tmp_path: Path, name: str) -> None:
    whole = tmp_path / "whole.log"
    lines = late_threads(whole)
    folder = tmp_path / "parts"
    folder.mkdir()
    size = len(lines) // 7
    for part in range(7):
        end = None if part == 6 else (part + 1) * size + 1  # one more than 50 n: a late record stands at a border
        start = 0 if part == 0 else part * size + 1
        (folder / name.format(part)).write_bytes(gzip.compress(b"".join(lines[start:end]), 1))
    one, seven = open_store([str(whole)]), open_store([str(folder)])
    assert (len(seven.sources), seven.rows) == (7, one.rows)
    assert event_hash(seven) == event_hash(one)
    assert [seven.text(row) for row in range(0, one.rows, 97)] == [one.text(row) for row in range(0, one.rows, 97)]


def line(micros: int, text: str, pid: int = 1, tid: int = 5) -> str:
    return f"[INFO] GE({pid},p):2026-03-05-10:11:12.{micros // 1000:03d}.{micros % 1000:03d} [a.cc:1]{tid} F:{text}"


def test_a_message_that_was_split_over_two_files_is_joined(tmp_path: Path) -> None:
    name = "LaunchKernelWithHandle_add1_71"
    words = "".join(f"{word:#x} " for word in range(1, 300))
    size = 859 - len(name)
    pieces = [
        f"[INFO] GE(1,p):2026-03-05-10:11:12.000.00{at} [a.cc:74]5 OnExecuteEvent:[KernelTrace][{name}]{text}"
        for at, text in ((1, words[:size]), (2, words[size:]))
    ]
    (tmp_path / "plog-1_20260305101112001.log").write_text(pieces[0] + "\n")
    (tmp_path / "plog-1_20260305101112002.log").write_text(pieces[1] + "\n")
    store = open_store([str(tmp_path)])
    assert store.pieces == {0: [1]}
    assert [store.kind(row).kind for row in range(2)] == ["arg_words", "note"]


def test_parts_that_a_tool_numbered_backwards_are_ordered_by_their_times(tmp_path: Path) -> None:
    for number, first in ((2, 0), (1, 10), (0, 20)):
        ending = f".{number}" if number else ""
        (tmp_path / f"app.log{ending}").write_text("\n".join(line(first + at, "x") for at in (1, 3, 2)) + "\n")
    store = open_store([str(tmp_path)])
    assert [Path(store.sources[int(number)].path).name for number in store.column("source")] == [
        *["app.log.2"] * 3,
        *["app.log.1"] * 3,
        *["app.log"] * 3,
    ]


def test_logs_of_two_processes_with_numbered_names_are_no_parts_of_one(tmp_path: Path) -> None:
    (tmp_path / "rank-0.log").write_text("\n".join(line(at, "x") for at in (1, 3, 5)))
    (tmp_path / "rank-1.log").write_text("\n".join(line(at, "x", pid=2) for at in (2, 4, 6)))
    assert open_store([str(tmp_path)]).column("pid").tolist() == [1, 2, 1, 2, 1, 2]


def test_a_record_without_a_time_stays_behind_the_one_before_it(tmp_path: Path) -> None:
    (tmp_path / "plog-1_1.log").write_text(f"{line(2, 'x')}\n[KernelTrace][Tiling] tiling key: 1, workspace: 2\n")
    (tmp_path / "plog-2_1.log").write_text("\n".join(line(at, "x", pid=2) for at in (1, 3)))
    store = open_store([str(tmp_path)])
    assert [int(number) for number in store.column("source")] == [1, 0, 0, 1]


@pytest.mark.parametrize(
    ("path", "series"),
    [
        ("plog-370_20230101000000000.log", ("", "plog-370")),
        ("a/plog-370_20230101000000001.log.gz", ("a", "plog-370")),
        ("a.tar.gz/b/plog-370_20230101000000001.log", ("a.tar.gz/b", "plog-370")),
        ("device-0_20250507195454620.log", ("", "device-0")),
        ("app.log", ("", "app")),
        ("app.log.12.zst", ("", "app")),
        ("big.log.part3.gz", ("", "big")),
        ("rank-7.log", ("", "rank")),
        ("notes", ("", "notes")),
    ],
)
def test_the_series_of_a_name(path: str, series: tuple[str, str]) -> None:
    assert series_of(path) == series


HOST = """\
[INFO] TDT(7,python3):2026-03-05-10:11:12.000.000 [a.cpp:1][OpenProcess][tid:7] wait sub process start respond
[INFO] TDT(7,python3):2026-03-05-10:11:12.200.000 [a.cpp:2][OpenProcess][tid:7] start hccp and computer process success
[ERROR] RUNTIME(7,python3):2026-03-05-10:11:13.000.000 [a.cc:3]7 ProcLogicCqReport:Task run failed, device_id=0, \
stream_id=2, task_id=9, sqe_type=0(ffts)
"""
DEVICE = """\
[INFO] CCECPU(9,aicpu):2026-03-05-10:11:12.{start:03d}.000 [main.cpp:317][main][tid:9] Start para. deviceId=0, hostPid=7
[INFO] TDT(9,aicpu):2026-03-05-10:11:12.{ready:03d}.000 [t.cpp:2][TsdStartupResponse][tid:9] [TsdEventClient] \
TsdStartupResponseProc to dev[0] pid[4] hostpid[7] vfId[0] is running.
"""
FIRMWARE = """\
[ERROR] TSCH(-1,null):2026-03-05-10:11:{fault} 28 (dieid:0,cpuid:0) [s.c:3942] proc: stream_id=2, task_id=9, \
sqe_type=0, pid=7, vf_id=0
"""


def opened(folder: Path, device: str) -> Store:
    (folder / "plog-7_1.log").write_text(HOST)
    (folder / "device-7_1.log").write_text(device)
    return open_store([str(folder)])


@pytest.mark.parametrize(
    ("device", "low", "high", "proven"),
    [
        (DEVICE.format(start=150, ready=300), 100_000_000, 150_000_000, 100_000_000),
        (DEVICE.format(start=50, ready=150), -50_000_000, 50_000_000, 0),
        (FIRMWARE.format(fault="13.128.001"), 128_001_000, None, 128_001_000),
        (FIRMWARE.format(fault="12.500.000"), -500_000_000, None, 0),
        (DEVICE.format(start=50, ready=550), 350_000_000, 50_000_000, 0),
    ],
)
def test_the_offset_of_a_device_clock(tmp_path: Path, device: str, low: int, high: int | None, proven: int) -> None:
    clocks = {Path(source.path).name: source.clock for source in opened(tmp_path, device).sources}
    pairs = 1 if high is None else 2
    assert clocks["plog-7_1.log"] is None
    found = clocks["device-7_1.log"]
    assert found == ClockOffset(low, high, pairs, str(tmp_path / "plog-7_1.log"))
    assert found.proven_ns == proven


def test_a_fault_of_the_device_stands_before_the_host_s_report_of_it(tmp_path: Path) -> None:
    store = opened(tmp_path, FIRMWARE.format(fault="13.128.001"))
    modules = [store.names.text(int(number)) for number in store.column("module")]
    assert modules == ["TDT", "TDT", "TSCH", "RUNTIME"]
    assert int(store.column("time")[2]) % 1_000_000_000 == 128_001_000


def test_a_fault_of_another_process_proves_nothing(tmp_path: Path) -> None:
    store = opened(tmp_path, FIRMWARE.format(fault="13.128.001").replace("pid=7", "pid=8"))
    assert [source.clock for source in store.sources] == [None, None]


def test_two_tasks_are_paired_with_their_own_reports(tmp_path: Path) -> None:
    second = HOST.splitlines()[-1].replace("12.", "13.").replace("13.000", "13.010").replace("task_id=9", "task_id=10")
    (tmp_path / "plog-7_1.log").write_text(HOST + second + "\n")
    fault = FIRMWARE.format(fault="13.128.000")
    (tmp_path / "device-7_1.log").write_text(fault + fault.replace("128.000", "140.000").replace("=9,", "=10,"))
    clock = next(source.clock for source in open_store([str(tmp_path)]).sources if source.clock is not None)
    assert (clock.low_ns, clock.pairs) == (130_000_000, 2)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (128, None, "is at least 128 ms ahead of"),
        (119, 172, "is at least 119 ms, at most 172 ms ahead of"),
        (-5, 20, "is between 5 ms behind and 20 ms ahead of"),
        (None, 20, "is at most 20 ms ahead of"),
        (-5, None, "is at most 5 ms behind"),
        (None, -5, "is at least 5 ms behind"),
        (-9, -5, "is at least 5 ms, at most 9 ms behind"),
        (9, 5, "has pairs that no single offset fits, as if a clock was set in between, against"),
    ],
)
def test_an_offset_in_words(low: int | None, high: int | None, said: str) -> None:
    clock = ClockOffset(low, high, 1, "a.log")
    assert clock.distance(lambda number: f"{number} ms") == said


@pytest.mark.parametrize(("parts", "warned"), [(9, False), (10, True)])
def test_as_many_parts_as_ge_keeps_may_not_be_all(tmp_path: Path, parts: int, *, warned: bool) -> None:
    for part in range(parts):
        (tmp_path / f"plog-1_2026030510111200{part:02d}.log").write_text(line(part, "x") + "\n")
    warnings = open_store([str(tmp_path)]).sources[0].warnings
    said = f"{tmp_path}/plog-1_202603051011120000.log and 9 more are as many files of a process as GE keeps"
    assert [warning.startswith(said) for warning in warnings] == [True] * warned


def test_of_many_logs_that_may_have_lost_parts_one_is_named(tmp_path: Path) -> None:
    for pid in (1, 2, 3):
        for part in range(10):
            path = tmp_path / f"plog-{pid}_2026030510111200{part:02d}.log"
            path.write_text(line(part, "x").replace("(1,", f"({pid},") + "\n")
    warnings = open_store([str(tmp_path)]).sources[0].warnings
    assert len(warnings) == 1
    assert warnings[0].endswith("(ASCEND_HOST_LOG_FILE_NUM sets how many), and so it is with 2 other logs")
