"""What the words of lines tell: who is the cause, who only hands it on, and which facts stand where."""

from pathlib import Path

import pytest
from handmade import PID, HandLog
from handmade_failures import ERROR, failure_of, ge

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure import diagnose
from getrace.analysis.failure.causes import Cause
from getrace.analysis.failure.model import How, Verdict
from getrace.analysis.failure.plain import diagnose_text
from getrace.analysis.rules.telling import Telling
from getrace.events import Level
from getrace.replay import open_store


def told_by(line: str) -> Cause | None:
    """The cause that a line tells for itself."""
    return next(iter(diagnose_text("out.txt", [line]).causes), None)


@pytest.mark.parametrize(
    ("line", "name", "weight", "facts"),
    [
        ("Alloc chan failed. (devid=1; cur_sq_num=9)", "stream_resources", Telling.REASON, {}),
        ("Call rtMalloc fail, purpose: cache, size:64", "device_memory", Telling.REASON, {}),
        (
            "mixer(Mul) index[1] mem size out of range! Expected size: 8",
            "tensor_size",
            Telling.REASON,
            {"op": "mixer", "op_type": "Mul"},
        ),
        ('OpName:[Blend] "[3, 4] can not broadcast to [5, 4]"', "shape_rule", Telling.REASON, {"op": "Blend"}),
        ("In op[Flip], attr[axis], has wrong value[7]", "shape_rule", Telling.REASON, {"op": "Flip"}),
        ("crimer rank [192.0.2.7/3] status[LOST] by informer", "rank_lost", Telling.REASON, {"rank": "192.0.2.7/3"}),
        ("|  192.0.2.1(4)  |  192.0.2.2(0)  |  client  | no connect |", "link_down", Telling.REASON, {"rank": "4"}),
        ("invalid device, set device=12, valid range", "device_number", Telling.REASON, {"device": "12"}),
        (
            "The error from device(0), core id is 3, error code = 0x20, dump",
            "core_fault",
            Telling.FAULT,
            {"code": "0x20"},
        ),
        ("type:NOTIFY WAIT, localRank:1, remoteRank:5, taskId:2", "notify_wait", Telling.WAIT, {"rank": "5"}),
        ("rtX execution failed, error code is 507015", "device_code", Telling.CODE, {"code": "507015"}),
    ],
)
def test_a_line_of_a_family_tells_its_facts(line: str, name: str, weight: Telling, facts: dict[str, str]) -> None:
    told = told_by(line)
    assert told is not None
    assert (told.what, told.weight) == (name, weight)
    assert {fact: told.fact(fact) for fact in facts} == facts


@pytest.mark.parametrize(
    "line",
    [
        "all is well",
        "type:NOTIFY WAIT, localRank:1, remoteRank:4294967295, taskId:2",
        "halMemAlloc failed, this can be ignored",
        "Report: error_code: W11001, arg path is not there",
        "",
    ],
)
def test_other_lines_tell_nothing(line: str) -> None:
    assert told_by(line) is None


def test_a_warning_quoted_at_level_error_is_no_failure() -> None:
    log = HandLog()
    log.say(ge("error_code: W11001, arg path is not there"), level=ERROR)
    assert diagnose(log.store()).verdict is Verdict.UNKNOWN


def test_a_reason_that_comes_late_is_the_root_and_a_code_handed_on_before_it_is_an_effect() -> None:
    log = HandLog()
    code = "wait for compute device to finish failed, runtime result = 507011"
    first = log.say(ge(code, module="ASCENDCL"), level=ERROR)
    reason = log.say(ge("halMemAlloc failed: size=64, device_id=3", module="DRV"), level=ERROR)
    last = log.say(ge("Execute model failed"), level=ERROR)
    failure = failure_of(log)
    assert failure.error is not None
    assert failure.cause is not None
    assert (failure.error.line, failure.phase, failure.how) == (reason, "alloc", How.WORDS)
    assert [spot.line for spot in failure.consequences] == [first, last]
    assert (failure.confidence, failure.cause.fact("device")) == (Confidence.LOW, "3")


def test_a_root_that_is_info_is_found_behind_the_time_out_of_its_rank() -> None:
    log = HandLog()
    root = log.say(ge("rank [192.0.2.1/0]: rank [192.0.2.9/4] status[LOST] by rank [192.0.2.1/2]", module="HCCL"))
    log.say(ge("EI0002 wait of the notify register times out", module="HCCL"), level=ERROR, step_ns=600_000_000_000)
    failure = failure_of(log)
    assert failure.error is not None
    assert failure.cause is not None
    assert (failure.error.line, failure.cause.what, failure.cause.fact("rank")) == (root, "rank_lost", "192.0.2.9/4")


def test_a_line_that_takes_back_the_one_before_it_leaves_no_cause() -> None:
    log = HandLog()
    log.say(ge("halMemAlloc failed: size=64", module="DRV"), level=ERROR)
    log.say(ge("the queue was closed, you can ignore the above error"), level=Level.WARNING)
    log.say(ge("EI0006 Getting socket times out", module="HCCL"), level=ERROR)
    failure = failure_of(log)
    assert failure.cause is not None
    assert failure.cause.what == "socket_timeout"


def test_each_process_has_its_own_cause() -> None:
    log = HandLog()
    log.say(ge("halMemAlloc failed: size=64", module="DRV"), level=ERROR, pid=PID)
    log.say(ge("EI0006 Getting socket times out", module="HCCL"), level=ERROR, pid=7)
    told = diagnose(log.store())
    assert [(cause.pid, cause.what) for cause in told.causes] == [(PID, "device_memory"), (7, "socket_timeout")]


def test_a_text_without_records_is_read_line_by_line() -> None:
    told = diagnose_text(
        "out.txt", ["Traceback", "NPU error, error code is 107001", "EE1001: [PID: 41] invalid device, set device=9"]
    )
    assert told.failure is not None
    assert told.failure.error is not None
    assert (told.failure.error.line, told.failure.phase, told.failure.pid) == (3, "init", 41)
    assert told.failure.confidence is Confidence.LOW


def test_facts_of_a_task_are_not_taken_from_the_lines_around_a_reason() -> None:
    told = diagnose_text("out.txt", ["copy failed, stream_id=3, task_id=2", "halMemAlloc failed, device_id=1"])
    assert told.failure is not None
    assert (told.failure.stream_id, told.failure.task_id) == (None, None)


def test_a_text_that_tells_nothing_is_unknown() -> None:
    assert diagnose_text("out.txt", ["step 1", "step 2"]).verdict is Verdict.UNKNOWN


def test_text_in_front_of_the_first_record_tells_in_its_first_line(tmp_path: Path) -> None:
    log = tmp_path / "plog-7_20260301100000000.log"
    log.write_text(
        "E89999: op[Flip] op dtype is not same, type1:DT_FLOAT, type2:DT_INT64\n"
        "[WARNING] GE(7,shop):2026-03-01-10:00:00.001.000 [shop.cc:1]7 open: the shop is open\n",
        encoding="utf-8",
    )
    failure = diagnose(open_store([str(log)])).failure
    assert failure is not None
    assert failure.error is not None
    assert (failure.error.line, failure.phase, failure.op) == (1, "infer_shape", "Flip")
