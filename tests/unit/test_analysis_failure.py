"""The first failure: found by the best evidence there is, never by a thread, a source line or a level alone."""

import pytest
from handmade import HandLog
from handmade_failures import ERROR, failure_of, ge, launch, line

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import How, Verdict
from getrace.events import Event, Level
from getrace.events.device import SyncStarted, TaskException, TaskFinished, TaskSubmitted
from getrace.events.launch import GuideLaunch
from getrace.events.markers import KernelEnd, KernelFailed, ModelEnd, ModelStart
from getrace.events.memory import GuideAlloc, MemFree
from getrace.events.shapes import ShapeResult
from getrace.events.tiling import GuideTiling


def test_without_any_line_of_the_runtime_only_the_synchronise_is_seen_to_fail() -> None:
    log = HandLog()
    log.say(ModelStart())
    launch(log, "LaunchKernelWithFlag_a_1", 2, 6)
    log.say(ModelEnd())
    error = log.say(ge("Assert ((rt_ret) == 0) failed", "DoRtStreamSyncWithTimeout"), level=ERROR)
    after = log.say(ge("Assert ((DoRtStreamSyncWithTimeout(s)) == ge::SUCCESS) failed"), level=ERROR)
    diagnosis = diagnose(log.store())
    failure = diagnosis.failure
    assert failure is not None
    assert (failure.phase, failure.kernel, failure.how) == ("sync", None, How.NONE)
    assert (line(failure.error), [spot.line for spot in failure.consequences]) == (error, [after])
    steps = {finding.rule: finding.next_step for finding in diagnosis.findings}
    assert "ASCEND_MODULE_LOG_LEVEL=GE=1:RUNTIME=1" in steps["runtime_silent"]


@pytest.mark.parametrize(
    ("kernel", "phase"),
    [
        ("InferShape_a_1", "infer_shape"),
        ("CacheableTiling_a_1", "tiling"),
        ("AllocMemHbm_a_1", "alloc"),
        ("LaunchKernelWithHandle_a_1", "launch"),
        ("SyncStream_a_1", "sync"),
        ("IncreaseStepId_a_1", "execute"),
    ],
)
def test_a_kernels_own_error_record_says_kernel_and_phase(kernel: str, phase: str) -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "SelectAllocator_a_0")
    sign = log.say(ge("report error_message, error_code:E19999", "ReportInterErrMessage"))
    callee = log.say(ge("Assert ((x) != nullptr) failed", "Callee"), level=ERROR)
    at = log.say(KernelEnd(), kernel, level=ERROR)
    after = log.say(ge("Failed to execute rt v2 model for graph g, model_id 1."), level=ERROR)
    failure = failure_of(log)
    assert (failure.kernel, failure.phase, failure.how) == (kernel, phase, How.ERROR_LINE)
    assert (line(failure.at), line(failure.error), line(failure.first_sign)) == (at, callee, sign)
    assert [spot.line for spot in failure.consequences] == [after]
    assert failure.last_good is not None
    assert failure.last_good.kernel == "SelectAllocator_a_0"


def test_an_error_before_the_kernel_before_is_no_part_of_the_stack() -> None:
    log = HandLog()
    log.say(ge("something else failed"), level=ERROR)
    log.say(KernelEnd(), "SelectAllocator_a_0")
    at = log.say(KernelEnd(), "InferShape_a_1", level=ERROR)
    assert line(failure_of(log).error) == at


def test_the_kernel_that_followed_in_an_earlier_iteration_was_to_be_expected() -> None:
    log = HandLog()
    for level in (Level.INFO, ERROR):
        log.say(ModelStart())
        log.say(KernelEnd(), "InferShape_a_1", level=level)
        log.say(KernelEnd(), "Tiling_a_2")
        log.say(ModelEnd())
    expected = failure_of(log).expected_next
    assert expected is not None
    assert (expected.kernel, expected.place.line) == ("Tiling_a_2", 3)


def test_the_multi_thread_executor_tells_the_real_kernel_type() -> None:
    log = HandLog()
    log.say(KernelEnd(), "AllocMemHbm_out_9", level=ERROR)
    log.say(KernelFailed("AllocMemHbm_out_9", "AllocModelOutTensor"), level=ERROR)
    assert failure_of(log).kernel_type == "AllocModelOutTensor"


def test_the_earlier_of_two_causes_is_the_first_failure() -> None:
    log = HandLog()
    launch(log, "LaunchKernelWithFlag_a_1", 2, 6)
    error = log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    log.say(KernelEnd(), "LaunchKernelWithFlag_b_2", level=ERROR)
    diagnosis = diagnose(log.store())
    assert diagnosis.failure is not None
    assert line(diagnosis.failure.error) == error
    assert "further_failures" in [finding.rule for finding in diagnosis.findings]


def test_errors_that_say_they_can_be_ignored_are_no_failure() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(ge("rtMalloc Failed to apply for memory. the above error log can be ignored. Try again"), level=ERROR)
    log.say(ModelEnd())
    diagnosis = diagnose(log.store())
    assert diagnosis.verdict is Verdict.CLEAN
    assert [finding.rule for finding in diagnosis.findings] == ["ignorable_errors"]


def test_an_error_line_after_which_a_graph_ran_to_its_end_stopped_nothing() -> None:
    log = HandLog()
    early = log.say(ge("Failed to find the plugin", "Load"), level=ERROR)
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(ModelEnd())
    diagnosis = diagnose(log.store())
    assert diagnosis.verdict is Verdict.CLEAN
    [finding] = diagnosis.findings
    assert (finding.rule, [spot.line for spot in finding.evidence]) == ("errors_without_effect", [early])


def test_an_error_line_of_another_process_is_not_excused_by_our_success() -> None:
    log = HandLog()
    error = log.say(ge("Failed to find the plugin", "Load"), level=ERROR, pid=1)
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(ModelEnd())
    failure = failure_of(log)
    assert (line(failure.error), failure.phase) == (error, "load")


def test_a_synchronise_that_failed_counts_although_the_next_step_ran() -> None:
    log = HandLog()
    error = log.say(ge("Assert ((rt_ret) == 0) failed", "DoRtStreamSyncWithTimeout"), level=ERROR)
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(ModelEnd())
    assert line(failure_of(log).error) == error


def guide_log() -> HandLog:
    """The sample of the seed article, section 5.3."""
    log = HandLog(dialects=("guide",))
    log.say(ShapeResult((2, 1024)), "InferShape")
    log.say(GuideTiling(12345, 4096), "Tiling")
    log.say(GuideAlloc(4096), "AllocMemory")
    log.say(GuideLaunch(123), "LaunchKernelWithHandle")
    return log


def test_a_launch_that_nothing_follows_is_blamed_for_the_silence() -> None:
    failure = failure_of(guide_log())
    assert (failure.kernel, failure.how, failure.confidence) == (
        "LaunchKernelWithHandle",
        How.SILENCE,
        Confidence.LOW,
    )
    assert (failure.phase, failure.task_id, failure.error, line(failure.at)) == ("launch", 123, None, 4)


def test_a_log_without_markers_that_ends_in_another_kernel_tells_nothing() -> None:
    log = guide_log()
    log.say(GuideAlloc(64), "AllocMemory")
    assert diagnose(log.store()).verdict is Verdict.UNKNOWN


def test_an_open_run_that_stops_after_an_end_blames_what_usually_comes_next() -> None:
    log = HandLog()
    for end in (True, False):
        log.say(ModelStart())
        log.say(KernelEnd(), "InferShape_a_1")
        if end:
            log.say(KernelEnd(), "Tiling_a_2")
            log.say(ModelEnd())
    failure = failure_of(log)
    assert (failure.kernel, failure.how, failure.at) == ("Tiling_a_2", How.SILENCE, None)
    assert failure.last_good is not None
    assert failure.last_good.place.line == 6


def test_a_log_that_only_stops_inside_a_run_cannot_tell_a_failure_from_a_cut() -> None:
    log = HandLog()
    log.say(ModelStart())
    launch(log, "LaunchKernelWithHandle_a_1", 2, 6)
    diagnosis = diagnose(log.store())
    assert diagnosis.failure is not None
    assert (diagnosis.verdict, diagnosis.failure.kernel) == (Verdict.UNKNOWN, "LaunchKernelWithHandle_a_1")
    assert [finding.rule for finding in diagnosis.findings if finding.rule in ("silence", "waiting")] == ["silence"]


@pytest.mark.parametrize(("seconds", "count"), [(299, 2), (301, 1)])
def test_a_record_after_a_long_silence_is_no_consequence(seconds: int, count: int) -> None:
    log = HandLog()
    log.say(ge("malloc failed"), level=ERROR)
    log.say(ge("so this failed"), level=ERROR)
    log.say(ge("and this"), level=ERROR, step_ns=seconds * 10**9)
    assert len(failure_of(log).consequences) == count


def test_the_end_of_the_data_is_no_failure() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(ModelEnd())
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(ge("End of sequence, model id = 1."))
    assert diagnose(log.store()).verdict is Verdict.CLEAN


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        ((), Verdict.UNKNOWN),
        ((TaskSubmitted(2, 8, 2, "EVENT_RECORD"),), Verdict.UNKNOWN),
        ((TaskSubmitted(2, 8, 2, "EVENT_RECORD"), TaskFinished(0, 2, 7, 5, "MEMCPY_ASYNC", 3)), Verdict.UNKNOWN),
        ((TaskSubmitted(2, 8, 2, "EVENT_RECORD"), TaskFinished(0, 2, 8, 2, "EVENT_RECORD", 3)), Verdict.CLEAN),
        ((ge("anything"),), Verdict.CLEAN),
    ],
    ids=["at-once", "given", "another-done", "done", "gone-on"],
)
def test_a_log_that_stops_while_the_host_waits_for_a_stream_cannot_tell(
    after: tuple[Event, ...], verdict: Verdict
) -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(ModelEnd())
    wait = log.say(SyncStarted(2), module="RUNTIME")
    for event in after:
        log.say(event, module="RUNTIME")
    diagnosis = diagnose(log.store())
    assert diagnosis.verdict is verdict
    if verdict is Verdict.UNKNOWN:
        assert diagnosis.failure is not None
        expected = diagnosis.failure.expected_next
        assert expected is not None
        assert (expected.kernel, expected.place.line, diagnosis.failure.stream_id) == ("StreamSynchronize", wait, 2)


def test_frees_without_a_run_before_them_are_no_success() -> None:
    log = HandLog()
    log.say(ge("Unload simple executor", "Unload"))
    log.say(MemFree(addr=16), "FreeMemory_a_1")
    assert diagnose(log.store()).verdict is Verdict.UNKNOWN


def test_records_of_another_process_are_neither_consequence_nor_evidence() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1", level=ERROR)
    other = log.say(KernelEnd(), "InferShape_b_2", level=ERROR, pid=1)
    log.say(ge("another thing failed"), level=ERROR, pid=1)
    after = log.say(ge("Failed to execute rt v2 model for graph g, model_id 1."), level=ERROR)
    diagnosis = diagnose(log.store())
    assert diagnosis.failure is not None
    assert (diagnosis.failure.pid, [spot.line for spot in diagnosis.failure.consequences]) == (370, [after])
    evidence = {finding.rule: [spot.line for spot in finding.evidence] for finding in diagnosis.findings}
    assert evidence == {"kernel_error": [2], "consequences": [after], "other_processes": [other]}


def test_complete_runs_without_errors_are_clean() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(ModelEnd())
    assert diagnose(log.store()) == Diagnosis(Verdict.CLEAN)


def test_an_empty_log_tells_nothing_and_names_the_switch() -> None:
    diagnosis = diagnose(HandLog().store())
    assert diagnosis.verdict is Verdict.UNKNOWN
    assert "ASCEND_MODULE_LOG_LEVEL=GE=1" in diagnosis.findings[0].next_step
