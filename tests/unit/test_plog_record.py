"""The envelope of a line: prefixes of the field, body layouts of the modules, and the way back."""

import pytest

from getrace.clock import parse_time
from getrace.events import Level
from getrace.plog.prefix import NO_TIME, read_prefix, spell_prefix
from getrace.plog.record import spell_body
from getrace.plog.table import read_record

TIME = "2026-03-05-10:11:12.130.001"

# (line, level, module, pid, process, whether its prefix is what GE writes)
PREFIXES = [
    (f"[INFO] GE(4711,demo):{TIME} [a.cc:1]4 F:x", Level.INFO, "GE", 4711, "demo", True),
    (f"[ERROR] GE(4711,ker_DP25.bin):{TIME} [a.cc:1]4 F:x", Level.ERROR, "GE", 4711, "ker_DP25.bin", True),
    (f"[INFO] GE(1,a)b (c):{TIME} [a.cc:1]4 F:x", Level.INFO, "GE", 1, "a)b (c", True),
    (f"[EVENT] GE(4711,None):{TIME} [a.cc:1]4 F:x", Level.EVENT, "GE", 4711, "None", True),
    (f"[INFO] RUNTIME(6651,):{TIME} x", Level.INFO, "RUNTIME", 6651, "", True),
    (f"[ERROR]HCCL(835695,all_reduce):{TIME}[b.cc:610][835695]x", Level.ERROR, "HCCL", 835695, "all_reduce", False),
    (f"EVENT] DVPP(7924,demo):{TIME} x", Level.EVENT, "DVPP", 7924, "demo", False),
    (f"plog-2950.log:17:[ERROR] OP(2950,ker):{TIME} x", Level.ERROR, "OP", 2950, "ker", False),
    (f"17480:[WARNING] GE(3,p):{TIME} x", Level.WARNING, "GE", 3, "p", False),
    (f"(train pid=3) [INFO] GE(3,p):{TIME} x", Level.INFO, "GE", 3, "p", False),
    (f"[2026-03-19 15:04:57] [ERROR] RUNTIME(6,p):{TIME} x", Level.ERROR, "RUNTIME", 6, "p", False),
    (f"[WARNING] ME(337:2814,MainProcess):{TIME} x", Level.WARNING, "ME", 337, "MainProcess", False),
    (f"[INFO] TSCH(-1,null):{TIME} x", Level.INFO, "TSCH", -1, "null", True),
    (f"[WARN] GE(3,p):{TIME} x", Level.WARNING, "GE", 3, "p", False),
    (f"[9] GE(3,p):{TIME} x", Level.UNKNOWN, "GE", 3, "p", False),
]

# (line without the prefix of its module, module, tid, function, message)
BODIES = [
    ("GE", "[memory_kernel.cc:385]4718 AllocHbmMem:[KernelTrace][A_1]x", 4718, "AllocHbmMem", "[KernelTrace][A_1]x"),
    ("GE", "[a.cc:7]5 F: ErrorNo: 4294967295(failed)Assert ((p)) failed", 5, "F", "Assert ((p)) failed"),
    ("GE", "[a.cc:7]5 F: ErrorNo: 4294967295(failed) [EXEC][EXEC]Assert (x) failed", 5, "F", "Assert (x) failed"),
    ("GE", "[s.cc:9]5 [allocator_1] Alloc:Malloc size:3.", 5, "Alloc", "Malloc size:3."),
    ("GE", "[s.cc:9]5 [rts_allocator_2] ge::Pool::Free:y", 5, "ge::Pool::Free", "y"),
    ("GE", "[status:INIT] [a.cc:1]4 F:msg", 4, "F", "msg"),
    ("GE", "[stream.cc:55]2001 [KernelTrace][SplitRtStreams] x", 2001, "", "[KernelTrace][SplitRtStreams] x"),
    ("RUNTIME", "[engine.cc:468] 1432 SubmitTask: stream_id=2", 1432, "SubmitTask", "stream_id=2"),
    ("RUNTIME", "[engine.cc:1377]1432 Report:[EXEC][EXEC]Task exception!", 1432, "Report", "Task exception!"),
    ("FE", '[f.cc:8]12 Optimize:"done"', 12, "Optimize", '"done"'),
    ("HCCL", "[h.cc:8][370][371]msg", 371, "", "msg"),
    ("DRV", "[ascend][curpid: 370, 1021][drv][tsdrv][F 438]msg", 1021, "", "[drv][tsdrv][F 438]msg"),
    ("PROFILING", "[p.cc:8] >>> (tid:77) msg", 77, "", " msg"),
    ("TEFUSION", "[t.cc:8]9 Func msg", 9, "Func", "msg"),
    ("OP", '[o.cc:8][OP_PROTO][GetConst][1432] OpName:[A] "m"', 1432, "GetConst", ' OpName:[A] "m"'),
    ("TDT", "[c.cpp:85][GetInstance][tid:1021] m", 1021, "GetInstance", " m"),
    ("AICPU", "[f.cc:3][AICPU][Init:353][tid:370]:m", 370, "Init:353", ":m"),
    ("DVPP", "[P.cpp:4][WRAP] [InitPara:41] [tid:370] m", 370, "InitPara:41", " m"),
    ("FMK", "[tf/a.cc:27][TF_ADAPTER] [tf/b.cc:5] m", None, "", "[TF_ADAPTER] [tf/b.cc:5] m"),
    ("TBE", "[../te/p.py:51][Policy] m", None, "", "[Policy] m"),
]


@pytest.mark.parametrize(("line", "level", "module", "pid", "process", "tidy"), PREFIXES)
def test_a_prefix_is_read_and_a_tidy_one_written_back(
    line: str, level: Level, module: str, pid: int, process: str, tidy: bool
) -> None:
    found = read_prefix(line)
    assert found is not None
    prefix, body = found
    assert (prefix.level, prefix.module, prefix.pid, prefix.process) == (level, module, pid, process)
    assert prefix.time_ns == parse_time("2026-03-05T10:11:12.130001")
    assert prefix.tidy is tidy
    if tidy:
        assert spell_prefix(prefix) + body == line


@pytest.mark.parametrize(("module", "body", "tid", "func", "message"), BODIES)
def test_a_body_is_split_by_its_module_and_written_back(
    module: str, body: str, tid: int | None, func: str, message: str
) -> None:
    record = read_record(f"[INFO] {module}(370,demo):{TIME} {body}")
    assert record is not None
    assert (record.tid, record.func, record.text) == (tid, func, message)
    assert spell_body(record, record.text) == body


def test_milliseconds_alone_are_a_time_too() -> None:
    found = read_prefix("[INFO] GE(100,p):2026-08-27-10:00:00.010 [a.cc:1]2 F:x")
    assert found is not None
    assert found[0].time_ns == parse_time("2026-08-27T10:00:00.010")
    assert spell_prefix(found[0]) == "[INFO] GE(100,p):2026-08-27-10:00:00.010 "


def test_the_placeholder_of_a_guide_is_a_record_without_a_time() -> None:
    found = read_prefix("[INFO] GE(22, ir_build):YYYY\u2011MM\u2011DD\u2011HH:MM:SS.fff.uuu [a.cc:1]2 F:x")
    assert found is not None
    assert found[0].time_ns == NO_TIME
    assert not found[0].tidy


@pytest.mark.parametrize(
    "line",
    [
        "",
        "plain text",
        "Traceback (most recent call last):",
        "[INFO] GE(4711,demo) without a time",
        "[INFO] GE(4711,demo):2026-13-45-10:11:12.130.001 x",
        '{"op": "[INFO] GE(1,p)"}',
    ],
)
def test_other_text_begins_no_record(line: str) -> None:
    assert read_record(line) is None
