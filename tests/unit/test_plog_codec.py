"""From a record to its event."""

import pytest

from getrace.events.launch import GuideLaunch, TaskIds
from getrace.events.markers import KernelEnd, ModelStart
from getrace.events.memory import BirthRecycle, CopyAlloc, GuideAlloc, MemAlloc, MemFree
from getrace.events.shapes import ShapeResult
from getrace.events.text import LogLine, Note
from getrace.events.tiling import GuideTiling
from getrace.plog.codec import claim, spell, split_trace
from getrace.plog.table import read_record

PREFIX = "[INFO] GE(4711,demo):2026-03-05-10:11:12.130.001 [executor_tracer.cc:74]4718 OnExecuteEvent:"


@pytest.mark.parametrize(
    ("text", "kernel", "event"),
    [
        ("[KernelTrace] Start model tracing.", None, ModelStart()),
        ("[KernelTrace][FreeMemory_add1_74]", "FreeMemory_add1_74", KernelEnd()),
        (
            "[KernelTrace][][MEM]Recycle memory at stream 0, address 0x12c041200000",
            "",
            BirthRecycle(stream=0, addr=0x12C041200000),
        ),
        (
            "[KernelTrace][LaunchKernelWithHandle_a/b:c_71]stream_id=3, task_id=17, flip_num=0, flip_task_id=17",
            "LaunchKernelWithHandle_a/b:c_71",
            TaskIds(rt_stream=3, task=17, flip=0, flip_task=17),
        ),
        ("[KernelTrace][MyKernel_1]something of my own", "MyKernel_1", Note("something of my own")),
    ],
)
def test_a_trace_message_becomes_its_event(text: str, kernel: str | None, event: object) -> None:
    record = read_record(PREFIX + text)
    assert record is not None
    found = claim(record)
    assert (found.kernel, found.event) == (kernel, event)


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("[KernelTrace][InferShape] infer shape result: [2, 1024]  ← Shape 推导正常", ShapeResult((2, 1024))),
        ("[KernelTrace][Tiling] tiling key: 12345, workspace: 4096  ← Tiling 正常", GuideTiling(12345, 4096)),
        ("[KernelTrace][AllocMemory] [MEM]Alloc memory... size 4096  ← 内存分配正常", GuideAlloc(4096)),
        (
            "[KernelTrace][AllocMemHbm_Add_2] [MEM]Alloc memory at stream 0, block 0x7f..., address 0x7f..., size 8192",
            CopyAlloc(block=None, addr=None, size=8192, stream=0),
        ),
        (
            "[KernelTrace][AllocMemHbm_Add_2] [MEM]Alloc memory at stream 0, block 0x7f0, address 0x7f8, size 8192",
            CopyAlloc(block=0x7F0, addr=0x7F8, size=8192, stream=0),
        ),
        (
            "[KernelTrace][FreeMemory_Add_3] [MEM]Free memory at stream 0, address 0x7f...",
            MemFree(addr=None, stream=0),
        ),
        (
            "[KernelTrace][LaunchKernelWithHandle] kernel launched, task_id=123  ← Kernel 启动",
            GuideLaunch(task=123),
        ),
        (
            "[KernelTrace][LaunchKernelWithHandle] kernel launched, task_id=123, stream_id=0",
            GuideLaunch(task=123, rt_stream=0),
        ),
    ],
)
def test_a_sample_line_of_a_guide_is_read_without_a_prefix_and_with_its_remark(line: str, event: object) -> None:
    record = read_record(line)
    assert record is not None
    assert claim(record).event == event


def test_a_line_that_quotes_a_trace_message_is_no_trace_message() -> None:
    record = read_record(PREFIX + "saw [KernelTrace][A_1] in the log")
    assert record is not None
    assert isinstance(claim(record).event, LogLine)


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("[KernelTrace][A_b_1]x", ("A_b_1", "x")),
        ("[KernelTrace][A_b[0]_1]x]y", ("A_b[0]_1", "x]y")),
        ("[KernelTrace][A_x]y_2]z", ("A_x]y_2", "z")),
        ("[KernelTrace][Const_NetOutput_249_Replaced_NoOp]", ("Const_NetOutput_249_Replaced_NoOp", "")),
        ("[KernelTrace][][MEM]x", ("", "[MEM]x")),
        ("[KernelTrace] End model tracing.", (None, " End model tracing.")),
        ("no trace", None),
    ],
)
def test_a_name_may_hold_a_bracket(text: str, split: tuple[str | None, str] | None) -> None:
    assert split_trace(text) == split


def test_the_2023_spelling_of_an_event_differs_from_that_of_2026() -> None:
    old = MemAlloc(block=0xFFF4, addr=0x1240, size=65536)
    new = MemAlloc(block=0xFFF4, addr=0x1240, size=65536, stream=0, asked=288, index=1)
    assert spell(old, "AllocMemHbm_a_1", "rt2-2023")[1] == (
        "[KernelTrace][AllocMemHbm_a_1][MEM]Alloc memory block 0xfff4, address 0x1240, size = 65536"
    )
    assert spell(new, "AllocMemHbm_a_1", "rt2-2026")[1] == (
        "[KernelTrace][AllocMemHbm_a_1][MEM]Alloc memory at stream 0, block 0xfff4, address 0x1240, size 65536, "
        "tensor size 288, index 1"
    )


def test_an_event_without_words_in_a_dialect_is_written_as_a_note() -> None:
    row, text = spell(MemAlloc(block=1, addr=2, size=3), "A_1", "rt2-2026")
    assert row is None
    assert text.startswith("[KernelTrace][A_1]MemAlloc(")
