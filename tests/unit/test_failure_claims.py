"""What a diagnosis must not claim: effects that nothing ties to the failure, one process where there may be two."""

from pathlib import Path

import pytest
from handmade import HandLog
from handmade_failures import ERROR, failure_of, ge, launch, line

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.cascade import Tie
from getrace.analysis.failure.folders import folder_of
from getrace.analysis.failure.model import Failure, How
from getrace.analysis.places import HEAD_LIMIT, TEXT_LIMIT, place, text_of
from getrace.clock import NS_PER_SECOND
from getrace.events.device import SyncFailed, TaskException
from getrace.events.markers import KernelEnd
from getrace.replay import open_store

_LAUNCH = (
    "[INFO] GE(370,shop):2026-03-05-10:11:12.000.{at:03d} [executor_tracer.cc:61]9 "
    "OnExecuteEvent:[KernelTrace][LaunchKernelWithFlag_{node}_4]stream_id=2, task_id={task}, flip_num=0, "
    "flip_task_id={task}\n"
)
_FAULT = (
    "[ERROR] RUNTIME(370,shop):2026-03-05-10:11:12.000.{at:03d} [engine.cc:1377]9 ReportExceptProc:Task exception! "
    "device_id=0, stream_id=2, task_id={task}, type=0(KERNEL_AICORE), failuremode =0, retCode=0x26, "
    "[aicore exception]\n"
)


def rules_of(diagnosis: Diagnosis) -> dict[str, str]:
    return {finding.rule: finding.message for finding in diagnosis.findings}


def lines(spots: tuple[object, ...]) -> list[int | None]:
    return [line(spot) for spot in spots]


def fault(stream: int, task: int) -> TaskException:
    return TaskException(0, stream, task, 0, "KERNEL_AICORE", 0, 0x26, "aicore exception")


def test_a_record_of_another_thread_long_after_the_failure_is_not_called_its_effect() -> None:
    log = HandLog()
    at = log.say(KernelEnd(), "Tiling_a_1", level=ERROR)
    caller = log.say(ge("Failed to execute rt v2 model for graph g, model_id 1."), level=ERROR)
    other = log.say(ge("shop: basket is empty"), level=ERROR, tid=77, step_ns=20 * NS_PER_SECOND)
    diagnosis = diagnose(log.store())
    failure = diagnosis.failure
    assert failure is not None
    assert (line(failure.at), lines(failure.tied), lines(failure.untied)) == (at, [caller], [other])
    assert [link.tie for link in failure.tree] == [Tie.CALLER, Tie.PROCESS]
    said = rules_of(diagnosis)
    assert said["consequences"].endswith("(1), tied to it by the same thread, at once (1).")
    assert said["untied_errors"] == "Later ERROR records have only the process in common with the failure: 1."


def test_a_record_of_another_thread_at_once_is_tied_by_its_moment() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_1", level=ERROR)
    after = log.say(ge("shop failed"), level=ERROR, tid=77, step_ns=2_000_000)
    failure = failure_of(log)
    assert (lines(failure.tied), [link.tie for link in failure.tree]) == ([after], [Tie.MOMENT])


def test_lines_before_the_line_that_tells_the_cause_are_no_effects_unless_their_words_are_known() -> None:
    log = HandLog()
    log.say(ge("_devmm_mem_remote_map ioctl error", module="DRV"), level=ERROR)
    known = log.say(ge("[Invoke][aclrtSynchronizeStreamWithTimeout] failed"), level=ERROR)
    root = log.say(ge("Alloc sq cq fail, stream_id=7, retCode=0x7020023.", module="RUNTIME"), level=ERROR)
    diagnosis = diagnose(log.store())
    failure = diagnosis.failure
    assert failure is not None
    assert (failure.how, line(failure.error), lines(failure.consequences)) == (How.WORDS, root, [known])
    assert rules_of(diagnosis)["earlier_errors"].endswith(": 1.")


def test_a_number_of_effects_that_was_cut_is_a_lower_bound() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_1", level=ERROR)
    for _ in range(1_200):
        log.say(ge("failed again"), level=ERROR)
    assert "(at least 1000)" in rules_of(diagnose(log.store()))["consequences"]


def test_a_second_task_that_fails_is_named() -> None:
    log = HandLog()
    launch(log, "LaunchKernelWithFlag_a_1", 2, 6)
    launch(log, "LaunchKernelWithFlag_b_1", 2, 9)
    log.say(fault(2, 6), level=ERROR, module="RUNTIME")
    log.say(fault(2, 6), level=ERROR, module="RUNTIME")
    assert "further_tasks" not in rules_of(diagnose(log.store()))
    log.say(fault(2, 9), level=ERROR, module="RUNTIME")
    assert rules_of(diagnose(log.store()))["further_tasks"].endswith("(1): stream 2, task 9.")


@pytest.mark.parametrize(("task", "effects"), [(6, 2), (9, 1)], ids=["the same task", "another task"])
def test_what_follows_the_fault_of_another_task_is_no_effect_of_the_first(task: int, effects: int) -> None:
    log = HandLog()
    launch(log, "LaunchKernelWithFlag_a_1", 2, 6)
    launch(log, "LaunchKernelWithFlag_b_1", 2, 9)
    log.say(fault(2, 6), level=ERROR, module="RUNTIME")
    log.say(ge("Assert ((rt_ret) == 0) failed"), level=ERROR)
    log.say(fault(2, task), level=ERROR, module="RUNTIME")
    log.say(ge("Assert ((rt_ret) == 0) failed"), level=ERROR)
    assert len(failure_of(log).consequences) == effects


def test_a_failure_of_the_host_is_not_said_to_lack_the_lines_of_a_task() -> None:
    log = HandLog()
    log.say(ge("shop is closed"), level=ERROR)
    assert "runtime_silent" not in rules_of(diagnose(log.store()))
    log = HandLog()
    log.say(SyncFailed(2, 0x26, "aicore exception"), level=ERROR, module="RUNTIME")
    assert "runtime_silent" in rules_of(diagnose(log.store()))


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("w0/debug/plog/plog-370_1.log", "w0"),
        ("w0/run/plog/plog-370_1.log", "w0"),
        ("w0/debug/device-3/device-370_1.log", "w0"),
        ("/data/w0/plog-370_1.log", "/data/w0"),
        ("debug/plog/plog-370_1.log", ""),
        ("plog-370_1.log", ""),
        ("w0/bugdebug/plog-370_1.log", "w0/bugdebug"),
    ],
)
def test_all_logs_of_a_process_are_of_one_folder(path: str, folder: str) -> None:
    assert folder_of(path) == folder


def _two_hosts(root: Path, first: str, second: str) -> Diagnosis:
    for name, text in (("w0", first), ("w1", second)):
        folder = root / name / "debug" / "plog"
        folder.mkdir(parents=True)
        (folder / "plog-370_20260305101112000.log").write_text(text, encoding="utf-8")
    return diagnose(open_store([str(root)]))


def _failure(diagnosis: Diagnosis) -> Failure:
    assert diagnosis.failure is not None
    return diagnosis.failure


def test_a_launch_of_another_host_with_the_same_process_number_is_doubted(tmp_path: Path) -> None:
    diagnosis = _two_hosts(tmp_path, _FAULT.format(at=90, task=6), _LAUNCH.format(at=10, node="pay", task=6))
    failure = _failure(diagnosis)
    assert (failure.op, failure.confidence) == ("pay", Confidence.MEDIUM)
    assert "another folder" in failure.evidence
    assert "process number 370" in rules_of(diagnosis)["shared_pid"]


def test_a_launch_of_the_faults_own_folder_is_preferred_to_a_nearer_one(tmp_path: Path) -> None:
    own = _LAUNCH.format(at=10, node="own", task=6) + _FAULT.format(at=90, task=6)
    assert _failure(_two_hosts(tmp_path, own, _LAUNCH.format(at=50, node="other", task=6))).op == "own"


def test_a_line_of_megabytes_is_read_in_part_and_shown_without_its_carriage_return(tmp_path: Path) -> None:
    log = tmp_path / "plog-370_1.log"
    head = "[ERROR] GE(370,shop):2026-03-05-10:11:12.000.001 [a.cc:1]9 Foo: "
    log.write_bytes(f"{head}{'x' * 3_000_000}\n{head}short\r\n".encode())
    store = open_store([str(log)])
    assert (len(text_of(store, 0)), text_of(store, 0)[-1]) == (TEXT_LIMIT, "…")
    assert len(place(store, 0).head) == HEAD_LIMIT
    assert place(store, 1).head == f"{head}short"
