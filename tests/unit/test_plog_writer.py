"""What the writer writes: prefixes, layouts, split messages, cut lines, rotation."""

from dataclasses import replace
from pathlib import Path

import pytest

from getrace.clock import parse_time
from getrace.errors import UsageError
from getrace.events import Event, Level, Origin, Place
from getrace.events.device import SyncFailed, TaskSubmitted
from getrace.events.failures import AssertFailed
from getrace.events.launch import ArgWords, TaskIds
from getrace.events.markers import KernelEnd, ModelStart
from getrace.events.memory import MemFree
from getrace.events.pools import AllocRequest, DriverMallocFailed, MemoryPressure, SpanTry
from getrace.events.text import LogLine, Note
from getrace.plog.spelling import spell_lines
from getrace.plog.writer import PlogWriter
from getrace.replay import open_store

NOW = parse_time("2026-03-05T10:11:12.130001")
ORIGIN = Origin(4711, "demo", 4718)
HEAD = "(4711,demo):2026-03-05-10:11:12.130.001 "

LINES: list[tuple[Level, str | None, Event, str]] = [
    (
        Level.INFO,
        None,
        ModelStart(),
        "[INFO] GE" + HEAD + "[executor_tracer.cc:47]4718 OnExecuteEvent:[KernelTrace] Start model tracing.",
    ),
    (
        Level.INFO,
        "A_1",
        KernelEnd(),
        "[INFO] GE" + HEAD + "[executor_tracer.cc:64]4718 OnExecuteEvent:[KernelTrace][A_1]",
    ),
    (
        Level.ERROR,
        "A_1",
        KernelEnd(),
        "[ERROR] GE" + HEAD + "[executor_tracer.cc:64]4718 OnExecuteEvent: "
        "ErrorNo: 4294967295(failed)[KernelTrace][A_1]",
    ),
    (
        Level.INFO,
        "FreeMemory_add1_74",
        MemFree(stream=0, addr=0x12C041200000),
        "[INFO] GE" + HEAD + "[memory_kernel.cc:433]4718 FreeMemory:[KernelTrace][FreeMemory_add1_74]"
        "[MEM]Free memory at stream 0, address 0x12c041200000",
    ),
    (
        Level.INFO,
        None,
        SpanTry(tries=1, asked=600, size=65536, allocator="allocator_3"),
        "[INFO] GE" + HEAD + "[scalable_allocator.cc:438]4718 [allocator_3] AllocImp:"
        "try_count:1 size:600 block_size:65536",
    ),
    (
        Level.ERROR,
        None,
        DriverMallocFailed(ret=207001, device=0, size=65536),
        "[ERROR] GE" + HEAD + "[device_allocator.cc:72]4718 Alloc: ErrorNo: 1343225860(Internal errors)"
        "[Malloc][Memory] failed, rt_ret:207001, device_id:0, size:65536",
    ),
    (
        Level.INFO,
        None,
        AllocRequest(asked=600),
        "[INFO] GE" + HEAD + "[caching_mem_allocator.cc:68]4718 Malloc:Malloc size:600.",
    ),
    (
        Level.ERROR,
        None,
        MemoryPressure(
            what="Failed to apply for memory. We will try to free memory from memory pool, the above or this error log "
            "can be ignored. Try to free cached memory...",
            text="",
            allocator="allocator_4",
        ),
        "[ERROR] GE" + HEAD + "[caching_mem_allocator.cc:39]4718 AllocateWithTryRecycle: "
        "ErrorNo: 1343225856(Failed to allocate memory!)[allocator_4] Failed to apply for memory. We will try to free "
        "memory from memory pool, the above or this error log can be ignored. Try to free cached memory...",
    ),
    (
        Level.INFO,
        None,
        TaskSubmitted(rt_stream=2, task=6, type=0, type_name="KERNEL_AICORE"),
        "[INFO] RUNTIME" + HEAD + "[engine.cc:468] 4718 SubmitTask: stream_id=2, task_id=6, "
        "task_type=0 (KERNEL_AICORE)",
    ),
    (
        Level.ERROR,
        None,
        SyncFailed(rt_stream=2, ret=0x26, reason="aicore exception"),
        "[ERROR] RUNTIME" + HEAD + "[stream.cc:1190]4718 GetError:Stream Synchronize failed, stream_id=2, "
        "retCode=0x26, [aicore exception].",
    ),
    (
        Level.ERROR,
        None,
        LogLine("GE", "model_v2_executor.cc", 171, "Load", "Cannot load now", 1343225857),
        "[ERROR] GE" + HEAD + "[model_v2_executor.cc:171]4718 Load: ErrorNo: 1343225857(Parameter invalid!)"
        "Cannot load now",
    ),
    (
        Level.WARNING,
        None,
        LogLine("FE", "a.cc", 3, "F", "hm"),
        "[WARNING] FE" + HEAD + "[a.cc:3]4718 F:hm",
    ),
    (
        Level.INFO,
        "Mine_1",
        Note("two words"),
        "[INFO] GE" + HEAD + "[executor_tracer.cc:74]4718 OnExecuteEvent:[KernelTrace][Mine_1]two words",
    ),
    (
        Level.ERROR,
        None,
        AssertFailed("((x) != nullptr)"),
        "[ERROR] GE" + HEAD + "[model_v2_executor.cc:180]4718 Load: ErrorNo: 4294967295(failed)"
        "Assert ((x) != nullptr) failed",
    ),
]


@pytest.mark.parametrize(("level", "kernel", "event", "line"), LINES)
def test_an_event_is_written_as_its_line(level: Level, kernel: str | None, event: Event, line: str) -> None:
    assert spell_lines(NOW, ORIGIN, level, kernel, event) == [line]


def test_a_message_that_ge_prints_in_several_places_is_written_with_the_place_it_came_from() -> None:
    origin = replace(ORIGIN, place=Place("rts_caching_mem_allocator.cc", 98, "Malloc"))
    assert spell_lines(NOW, origin, Level.INFO, None, AllocRequest(asked=600)) == [
        "[INFO] GE" + HEAD + "[rts_caching_mem_allocator.cc:98]4718 Malloc:Malloc size:600."
    ]


def test_a_long_message_is_split_behind_headers_of_its_own() -> None:
    name = "LaunchKernelWithHandle_add1_71"
    words = tuple(range(1, 400))
    lines = spell_lines(NOW, ORIGIN, Level.INFO, name, ArgWords(words))
    header = f"[KernelTrace][{name}]"
    payloads = [line.split(header, 1)[1] for line in lines]
    assert len(lines) == 3
    assert [len(payload) for payload in payloads[:-1]] == [859 - len(name)] * 2
    assert "".join(payloads) == "".join(f"{word:#x} " for word in words)


def test_a_line_is_cut_at_1022_bytes_even_inside_a_letter() -> None:
    line = LogLine("GE", "a.cc", 1, "F", "é" * 800)
    (text,) = spell_lines(NOW, ORIGIN, Level.INFO, None, line)
    data = text.encode("utf-8", "surrogateescape")
    assert len(data) == 1022
    assert data.startswith(b"[INFO] GE(4711,demo):")


def test_files_turn_over_on_a_record_and_read_back_as_one_log(tmp_path: Path) -> None:
    with PlogWriter(tmp_path, max_bytes=1000) as writer:
        for number in range(30):
            writer(NOW + number * 1_000_000, ORIGIN, Level.INFO, "A_1", TaskIds(3, number, 0, number))
    assert len(writer.files) == 5
    assert all(path.stat().st_size <= 1000 for path in writer.files)
    assert writer.files[0].name == "plog-4711_20260305101112130.log"
    assert len({path.name for path in writer.files}) == 5
    store = open_store([str(tmp_path)])
    assert store.column("task").tolist() == list(range(30))


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "debug").write_text("a file")
    writer = PlogWriter(tmp_path)
    with pytest.raises(UsageError, match="cannot write the log"):
        writer(NOW, ORIGIN, Level.INFO, "A_1", KernelEnd())
