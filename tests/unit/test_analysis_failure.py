"""The first failure: found by the best evidence there is, never by a thread, a source line or a level alone."""

from dataclasses import dataclass

import pytest
from handmade import HandLog

from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.model import Confidence, Failure, How, Verdict
from getrace.events import Level
from getrace.events.device import (
    ApiFailed,
    CoreError,
    DumpPrepared,
    ErrorDetected,
    KernelFault,
    KernelLaunched,
    StreamMade,
    SyncFailed,
    TaskException,
    TaskFinished,
    TaskListed,
    TaskSubmitted,
)
from getrace.events.launch import GuideLaunch, TaskIds
from getrace.events.markers import KernelEnd, KernelFailed, ModelEnd, ModelStart
from getrace.events.memory import GuideAlloc
from getrace.events.shapes import NodeType, ShapeResult
from getrace.events.text import LogLine
from getrace.events.tiling import GuideTiling

ERROR = Level.ERROR


def failure_of(log: HandLog) -> Failure:
    failure = diagnose(log.store()).failure
    assert failure is not None
    return failure


def line(spot: object) -> int | None:
    return getattr(spot, "line", None)


def ge(text: str, func: str = "Execute", module: str = "GE") -> LogLine:
    return LogLine(module=module, file="x.cc", line=1, func=func, text=text)


@dataclass
class DeviceLog:
    """A run whose last kernel fails on the device, with the lines that a test wants to point at."""

    log: HandLog
    launch: int
    sign: int
    error: int
    cascade: list[int]


def launch(log: HandLog, kernel: str, stream: int, task: int) -> int:
    return log.say(TaskIds(rt_stream=stream, task=task, flip=0, flip_task=task), kernel)


def device_log(node: str = "GatherV2", stream: int = 2, task: int = 6, *, trace_task: bool = True) -> DeviceLog:
    """The shape of a real failure: an earlier good task, the failing launch, the fault, the cascade."""
    log = HandLog()
    kernel = f"LaunchKernelWithFlag_{node}_308"
    log.say(StreamMade("created", stream), module="RUNTIME")
    log.say(ModelStart())
    log.say(NodeType("GatherV2"), f"InferShape_{node}_226")
    launch(log, "AicpuLaunchTfKernel_Unique_168", stream, task - 2)
    log.say(TaskFinished(0, stream, task - 2, 1, "KERNEL_AICPU", 21), module="RUNTIME")
    log.say(KernelLaunched(stream, task, 0, f"2_0_11_{node}", 336), module="RUNTIME")
    at = launch(log, kernel, stream, task) if trace_task else 0
    log.say(KernelEnd(), f"FreeMemory_{node}_294")
    log.say(ModelEnd())
    sign = log.say(ErrorDetected("First", stream, task, 0x26), module="RUNTIME")
    error = log.say(
        TaskException(0, stream, task, 0, "KERNEL_AICORE", 0, 0x26, "aicore exception"), level=ERROR, module="RUNTIME"
    )
    log.say(ge("report error module_type=5", module="RUNTIME"), level=ERROR)
    log.say(CoreError(0, 367, "aicore", 0, 0x10, "pc start"), level=ERROR, module="RUNTIME", tid=1534205)
    fault = KernelFault("Aicore", 0, stream, stream, task, 0, f"2_0_11_{node}", "")
    log.say(fault, level=ERROR, module="RUNTIME")
    cascade = [log.say(SyncFailed(stream, 0x26, "aicore exception"), level=ERROR, module="RUNTIME")]
    log.say(fault, level=ERROR, module="RUNTIME")
    log.say(ge("Stream synchronize failed", module="RUNTIME"), level=ERROR)
    cascade.append(log.say(ApiFailed(507015, "aicore exception", 0x7150026), level=ERROR, module="RUNTIME"))
    cascade.append(log.say(ge("Assert ((rt_ret) == 0) failed", "DoRtStreamSyncWithTimeout"), level=ERROR))
    cascade.append(log.say(ge("DoRunAsync Failed", module="FMK"), level=ERROR))
    return DeviceLog(log, at, sign, error, cascade)


@pytest.mark.parametrize(("node", "stream", "task"), [("GatherV2", 2, 6), ("my_layer_7", 135, 41), ("a", 0, 2)])
def test_a_device_fault_is_joined_to_the_launch_that_printed_its_task(node: str, stream: int, task: int) -> None:
    made = device_log(node, stream, task)
    failure = failure_of(made.log)
    assert (failure.kernel, failure.kernel_type) == (f"LaunchKernelWithFlag_{node}_308", "LaunchKernelWithFlag")
    assert (failure.op, failure.op_type) == (node, "GatherV2")
    assert (failure.stream_id, failure.task_id, failure.phase) == (stream, task, "device")
    assert (failure.how, failure.confidence) == (How.TASK_JOIN, Confidence.HIGH)
    assert (line(failure.at), line(failure.error), line(failure.first_sign)) == (made.launch, made.error, made.sign)


def test_the_cascade_is_one_record_per_step_without_the_words_of_the_report() -> None:
    made = device_log()
    assert [spot.line for spot in failure_of(made.log).consequences] == made.cascade


def test_the_device_error_code_stands_in_the_findings_although_its_thread_is_another() -> None:
    findings = {finding.rule: finding for finding in diagnose(device_log().log.store()).findings}
    assert "0x10" in findings["device_error"].message
    assert [spot.line for spot in findings["device_error"].evidence] == [13]


def test_the_last_good_kernel_is_the_last_launch_that_was_known_to_be_done() -> None:
    good = failure_of(device_log().log).last_good
    assert good is not None
    assert (good.kernel, good.place.line) == ("AicpuLaunchTfKernel_Unique_168", 4)


def test_without_the_launchs_task_the_runtimes_name_gives_the_operator_with_less_confidence() -> None:
    failure = failure_of(device_log(trace_task=False).log)
    assert (failure.op, failure.op_type, failure.how, failure.confidence) == (
        "GatherV2",
        "GatherV2",
        How.FAULT_NAME,
        Confidence.MEDIUM,
    )
    assert failure.kernel is None


def test_a_later_life_of_the_stream_does_not_take_the_fault() -> None:
    made = device_log()
    made.log.say(StreamMade("destroyed", 2), module="RUNTIME")
    made.log.say(StreamMade("created", 2), module="RUNTIME")
    launch(made.log, "LaunchKernelWithFlag_Other_400", 2, 6)
    assert line(failure_of(made.log).at) == made.launch


def test_an_earlier_life_of_the_stream_does_not_take_the_fault() -> None:
    log = HandLog()
    log.say(StreamMade("created", 2), module="RUNTIME")
    launch(log, "LaunchKernelWithFlag_Old_1", 2, 6)
    log.say(StreamMade("destroyed", 2), module="RUNTIME")
    log.say(StreamMade("created", 2), module="RUNTIME")
    log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.kernel, failure.how) == (None, How.NONE)


def test_the_nearest_launch_before_the_fault_counts_when_a_task_number_comes_again() -> None:
    log = HandLog()
    launch(log, "LaunchKernelWithFlag_a_1", 2, 6)
    near = launch(log, "LaunchKernelWithFlag_b_2", 2, 6)
    log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    launch(log, "LaunchKernelWithFlag_c_3", 2, 6)
    assert line(failure_of(log).at) == near


def test_the_id_in_the_streams_list_is_trusted_over_the_submitted_one() -> None:
    log = HandLog()
    log.say(StreamMade("created", 2), module="RUNTIME")
    log.say(TaskSubmitted(2, 11, 0, "KERNEL_AICORE"), module="RUNTIME")
    log.say(TaskListed(2, 1, 0, "KERNEL_AICORE", 0, 2), module="RUNTIME")
    at = launch(log, "LaunchKernelWithFlag_a_1", 2, 11)
    log.say(TaskException(0, 2, 1, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    assert line(failure_of(log).at) == at


def test_the_note_of_the_exception_dumper_names_the_operator() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_my_op_3")
    log.say(DumpPrepared("my_op", 6, 2))
    log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.op, failure.how) == ("my_op", How.FAULT_NAME)


def test_the_longest_known_node_wins_in_a_fault_name() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_op_3")
    log.say(KernelEnd(), "Tiling_my_op_3")
    log.say(KernelFault("Aicore", 0, 2, 2, 6, 0, "2_0_11_my_op", ""), level=ERROR, module="RUNTIME")
    assert failure_of(log).op == "my_op"


@pytest.mark.parametrize(
    "name",
    ["te_gatherv2_657cb48fa1743a43209d7bc779fe8c29_1__kernel0", "GatherV2_ab1b6750d7f510985325b603cb06dc8b_0"],
)
def test_a_compiled_kernels_name_names_the_only_operator_of_its_family(name: str) -> None:
    log = HandLog()
    log.say(NodeType("GatherV2"), "InferShape_lookup_3")
    log.say(KernelFault("Aicore", 0, 2, 2, 6, 0, name, ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.op, failure.how, failure.confidence) == ("lookup", How.FAMILY, Confidence.LOW)


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


def test_the_end_of_the_data_is_no_failure() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(ModelEnd())
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(ge("End of sequence, model id = 1."))
    assert diagnose(log.store()).verdict is Verdict.CLEAN


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


def test_an_unknown_fault_is_told_without_a_kernel() -> None:
    log = HandLog()
    log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.phase, failure.kernel, failure.op, failure.task_id) == ("device", None, None, 6)
