"""The verbs that read logs: their data, their text, their exit codes."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from handmade import START_NS, HandLog

from getrace.cli import main
from getrace.errors import InputError
from getrace.events import Level
from getrace.events.device import TaskException
from getrace.events.launch import TaskIds
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import CopyAlloc, MemAlloc, MemFree
from getrace.events.pools import DriverMalloc, SpanAlloc, SpanFree
from getrace.events.text import Foreign, LogLine, Note
from getrace.store.columns import CUT
from getrace.store.store import Source, Store

Capture = pytest.CaptureFixture[str]
ADDR = 0x124080054000


def failing_log() -> HandLog:
    log = HandLog()
    log.say(ModelStart())
    log.say(SpanAlloc(device=0, asked=64, size=65_536, addr=ADDR))
    log.say(MemAlloc(block=255, addr=ADDR, size=65_536), "AllocMemHbm_a_1")
    log.say(TaskIds(2, 6, 0, 6), "LaunchKernelWithFlag_a_2")
    log.say(MemFree(addr=ADDR), "FreeMemory_a_3")
    log.say(SpanFree(device=0, size=65_536, addr=ADDR))
    log.say(ModelEnd())
    log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 38, "aicore"), level=Level.ERROR, module="RUNTIME")
    log.say(LogLine("GE", "x.cc", 1, "F", "Assert ((rt_ret) == 0) failed"), level=Level.ERROR)
    return log


def clean_log() -> HandLog:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "Tiling_a_1")
    log.say(ModelEnd())
    return log


def run(log: HandLog, *arguments: str) -> int:
    def opener(_paths: Sequence[str]) -> Store:
        return log.store()

    return main(arguments, opener)


def answer(log: HandLog, capsys: Capture, *arguments: str) -> tuple[int, dict[str, Any]]:
    code = run(log, *arguments, "--json")
    whole: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert whole["schema"] == f"getrace/{arguments[0]}/1"
    return code, whole


def test_diagnose_tells_the_failure_in_json(capsys: Capture) -> None:
    code, whole = answer(failing_log(), capsys, "diagnose", "hand.log")
    data = whole["data"]
    assert (code, data["verdict"]) == (1, "failed")
    failure = data["failure"]
    assert failure.pop("error")["line"] == 8
    assert failure.pop("first_sign")["line"] == 8
    assert failure.pop("owner_unknown")["because"] == "no line of the failing thread names its graph or model"
    assert failure == {
        "phase": "device",
        "kernel": "LaunchKernelWithFlag_a_2",
        "kernel_type": "LaunchKernelWithFlag",
        "op": "a",
        "op_type": None,
        "stream_id": 2,
        "task_id": 6,
        "file": "hand.log",
        "line": 4,
        "time_ns": START_NS + 4_000,
        "time": "2023-11-14T22:13:20.000004",
        "confidence": "high",
        "how": "task_join",
        "evidence": "the failed task joined to its launch",
        "pid": 370,
        "cause": None,
        "graph": None,
        "graph_evidence": None,
        "model": None,
        "model_evidence": None,
        "stage": "main",
        "iteration": 1,
        "addresses": [],
        "tiling": None,
        "tree": [{"line": 9, "under": 8, "tie": "the same thread, at once"}],
        "consequences": [9],
        "last_good": None,
        "expected_next": None,
        "op_node": None,
    }
    assert [finding["rule"] for finding in data["findings"]] == ["task_join", "consequences", "ge.assert"]


def test_diagnose_prints_the_answer_first_then_evidence_with_places(capsys: Capture) -> None:
    assert run(failing_log(), "diagnose", "hand.log") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "FAILED  LaunchKernelWithFlag_a_2  at device"
    place = lines.index("  kernel at     :4  2023-11-14T22:13:20.000004")
    assert lines[place + 1] == "                [INFO] [KernelTrace][LaunchKernelWithFlag_a_2]task_ids"
    assert "  only effects  lines 9" in lines
    assert lines[lines.index("also in the log:") - 2] == "    -> Ignore them until the first failure is solved."
    assert lines[-1].startswith("    :9  1 line, effect: A caller checks what it was given")


def test_diagnose_of_a_clean_log_is_fine(capsys: Capture) -> None:
    code, whole = answer(clean_log(), capsys, "diagnose", "hand.log")
    shapes = whole["data"].pop("shapes")
    clean: dict[str, object] = {"verdict": "clean", "failure": None, "findings": [], "hangs": [], "ranks": None}
    assert (code, whole["data"]) == (0, clean)
    assert shapes == {
        "graphs": [],
        "dynamic": [],
        "steps": [],
        "new_shapes": [],
        "compiled": [],
        "gears": [],
        "mismatch": None,
        "other_mismatches": [],
        "cannot_tell": [],
        "left_out": {},
    }


def test_diagnose_of_a_log_that_tells_nothing_ends_with_3(capsys: Capture) -> None:
    code, whole = answer(HandLog(), capsys, "diagnose", "hand.log")
    assert (code, whole["data"]["verdict"]) == (3, "unknown")


def test_check_of_a_whole_log_is_fine(capsys: Capture) -> None:
    code, whole = answer(clean_log(), capsys, "check", "hand.log")
    data = whole["data"]
    assert code == 0
    assert {name: data[name] for name in list(data)[:11]} == {
        "dialects": ["rt2-2023"],
        "lines": 3,
        "records": 3,
        "continuation_lines": 0,
        "kerneltrace_lines": 3,
        "events": 3,
        "by_kind": {"kernel_end": 1, "model_end": 1, "model_start": 1},
        "other_kinds": {},
        "unclaimed": 0,
        "unclaimed_lines": [],
        "cut_lines": [],
    }
    assert data["analyses"]["kernels"] == {"state": "possible", "missing": []}


def test_check_of_a_log_without_a_trace_line_does_not_say_that_lines_were_claimed(capsys: Capture) -> None:
    log = HandLog()
    log.say(LogLine("GE", "x.cc", 1, "F", "x"))
    assert run(log, "check", "hand.log") == 0
    headline = capsys.readouterr().out.splitlines()[0]
    assert headline == "WHOLE  every line was read; the log holds no KernelTrace line"
    assert run(clean_log(), "check", "hand.log") == 0
    assert capsys.readouterr().out.splitlines()[0] == "WHOLE  every line was read and claimed"


def test_check_of_several_logs_says_of_which_a_cut_line_is(capsys: Capture) -> None:
    def opener(_paths: Sequence[str]) -> Store:
        store = clean_log().store()
        store.sources.append(Source("other.log"))
        store.columns.put("source", [2], [1])
        store.columns.put("flags", [1, 2], [CUT, CUT])
        return store

    assert main(["check", "hand.log", "other.log", "--json"], opener) == 1
    data = json.loads(capsys.readouterr().out)["data"]
    assert data["cut_lines"] == [2, 3]
    assert data["cut_places"] == [{"file": "hand.log", "line": 2}, {"file": "other.log", "line": 3}]
    assert main(["check", "hand.log", "other.log"], opener) == 1
    assert "  cut lines     2: 2 of hand.log; 3 of other.log" in capsys.readouterr().out.splitlines()


def test_check_points_at_a_line_that_no_row_claims(capsys: Capture) -> None:
    log = clean_log()
    log.say(Note("odd"), "Tiling_a_1")
    code, whole = answer(log, capsys, "check", "hand.log")
    assert code == 1
    assert whole["data"]["unclaimed_lines"] == [
        {"file": "hand.log", "line": 4, "text": "[INFO] [KernelTrace][Tiling_a_1]note"}
    ]


def test_check_of_what_is_no_log_ends_with_3(capsys: Capture) -> None:
    log = HandLog()
    log.say(Foreign("hello"))

    def opener(_paths: Sequence[str]) -> Store:
        store = log.store()
        store.sources[0].records = 0
        return store

    assert main(["check", "x"], opener) == 3
    assert capsys.readouterr().out.startswith("UNREADABLE")


def test_memory_tells_both_ends_of_each_block(capsys: Capture) -> None:
    code, whole = answer(failing_log(), capsys, "memory", "hand.log")
    data = whole["data"]
    assert code == 0
    assert (data["allocs"], data["frees"], data["recycles"], data["peak_bytes"]) == (1, 1, 1, 65_536)
    assert (data["peak_at_ns"], data["live_at_end"], data["leaks"]) == (START_NS + 3_000, 0, [])
    [block] = data["blocks"]
    assert [block[end]["line"] for end in ("alloc", "free", "recycle")] == [3, 5, 6]
    assert (block["addr"], block["generation"], block["block"]) == ("0x124080054000", 1, "0xff")
    assert (block["size"], block["requested"], block["stream"]) == (65_536, 64, None)
    assert block["alloc"]["kernel"] == "AllocMemHbm_a_1"


def test_memory_tells_the_story_of_one_address(capsys: Capture) -> None:
    _, whole = answer(failing_log(), capsys, "memory", "hand.log", "--addr", "0x124080054000")
    story = [(item["line"], item["kind"]) for item in whole["data"]["history"]]
    assert story == [(2, "span_alloc"), (3, "mem_alloc"), (5, "mem_free"), (6, "span_free")]


def test_memory_says_of_which_log_a_growth_of_the_pool_is(capsys: Capture) -> None:
    log = failing_log()
    log.say(DriverMalloc(func="aclrtMalloc", size=100, purpose="page caching"))
    _, whole = answer(log, capsys, "memory", "hand.log")
    assert whole["data"]["pool"]["growth"] == [{"seq": 9, "file": "hand.log", "line": 10, "bytes": 100}]


def test_memory_of_an_excerpt_without_markers_does_not_call_a_live_block_a_leak(capsys: Capture) -> None:
    log = HandLog()
    log.say(MemAlloc(block=255, addr=ADDR, size=65_536), "AllocMemHbm_a_1")
    assert run(log, "memory", "hand.log") == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == (
        "UNDECIDED  1 blocks are alive at the end of the log, which does not show whether they went back later"
    )
    assert "may still go back" in err
    _, whole = answer(log, capsys, "memory", "hand.log")
    assert (whole["data"]["undecided"], whole["data"]["leaks"], whole["data"]["live_at_end"]) == (True, [], 1)


def test_memory_of_allocations_without_an_address_says_that_no_block_can_be_followed(capsys: Capture) -> None:
    log = HandLog()
    log.say(CopyAlloc(block=None, addr=None, size=8192, stream=0), "AllocMemHbm_Add_2")
    assert run(log, "memory", "hand.log") == 3
    out, err = capsys.readouterr()
    assert out == "NOTHING  the log shows no allocation with an address\n  log  hand.log\n"
    assert "none of the 1 allocations in the log has an address" in err


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("memory", lambda data: (data["peak_at_ns"], data["peak_at"]["time_ns"], data["blocks"][0]["alloc"]["time"])),
        ("diagnose", lambda data: (data["failure"]["time_ns"], data["failure"]["error"]["time_ns"], None)),
    ],
)
def test_a_record_without_a_time_has_null_in_json(
    verb: str, said: Callable[[dict[str, Any]], tuple[object, ...]], capsys: Capture
) -> None:
    log = HandLog()
    log.say(MemAlloc(block=255, addr=ADDR, size=65_536), "AllocMemHbm_a_1", timed=False)
    log.say(LogLine("GE", "x.cc", 1, "F", "Assert ((rt_ret) == 0) failed"), level=Level.ERROR, timed=False)
    _, whole = answer(log, capsys, verb, "hand.log")
    assert said(whole["data"]) == (None, None, None)
    assert "9223372036854775808" not in json.dumps(whole)


def test_memory_of_a_log_without_allocations_ends_with_3_and_names_the_switch(capsys: Capture) -> None:
    assert run(clean_log(), "memory", "hand.log") == 3
    assert "ASCEND_MODULE_LOG_LEVEL=GE=1" in capsys.readouterr().err


def test_stats_gives_durations_with_their_provenance(capsys: Capture) -> None:
    code, whole = answer(clean_log(), capsys, "stats", "hand.log")
    duration = {"ns": 1_000, "provenance": "inferred"}
    assert code == 0
    assert whole["data"] == {
        "by": "type",
        "rows": [{"name": "Tiling", "count": 1, "total": duration, "p50": duration, "p90": duration, "p99": duration}],
    }


def test_stats_without_kernels_ends_with_3(capsys: Capture) -> None:
    assert run(HandLog(), "stats", "hand.log") == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("diagnose",),
        ("stats", "--by", "kernel"),
        ("stats", "--by", "module"),
        ("memory",),
        ("memory", "--addr", "1"),
    ],
)
@pytest.mark.parametrize("form", [("--json",), ()])
def test_the_same_log_gives_the_same_bytes(arguments: tuple[str, ...], form: tuple[str, ...], capsys: Capture) -> None:
    texts = set()
    for _ in range(2):
        run(failing_log(), arguments[0], "hand.log", *arguments[1:], *form)
        texts.add(capsys.readouterr().out)
    assert len(texts) == 1
    assert texts != {""}


def test_bytes_that_are_no_text_do_not_break_the_answer(capsys: Capture) -> None:
    log = HandLog()
    log.say(LogLine("GE", "x.cc", 1, "F", "bad \udcff byte"), level=Level.ERROR)
    code, whole = answer(log, capsys, "diagnose", "hand.log")
    assert code == 1
    assert whole["data"]["failure"]["error"]["text"] == "[ERROR] F: bad \ufffd byte"
    assert run(log, "diagnose", "hand.log") == 1
    assert "F: bad \\udcff byte" in capsys.readouterr().out


def test_an_unreadable_file_is_a_sentence_and_exit_3(capsys: Capture) -> None:
    def opener(paths: Sequence[str]) -> Store:
        raise InputError(f"{paths[0]} is no log", "give a plog")

    assert main(["check", "x.bin"], opener) == 3
    assert capsys.readouterr() == ("", "getrace: x.bin is no log\n  -> give a plog\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("a.log", "b.log", "-o", "c.log"), "convert takes one PATH"),
        (("a.log", "-o", "c.log"), "a.log is not one log"),
        (("a.log",), "the following arguments are required: -o/--output"),
    ],
)
def test_convert_writes_one_log_again(arguments: tuple[str, ...], sentence: str, capsys: Capture) -> None:
    assert run(clean_log(), "convert", *arguments) == 2
    assert sentence in capsys.readouterr().err
