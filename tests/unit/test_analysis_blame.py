"""A device fault finds its kernel by the best evidence there is, never by a thread or a source line."""

import pytest
from handmade import HandLog
from handmade_failures import ERROR, device_log, failure_of, launch, line

from getrace.analysis.failure import diagnose
from getrace.analysis.failure.model import Confidence, How
from getrace.events.device import (
    DumpPrepared,
    KernelFault,
    StreamCreated,
    StreamDestroyed,
    TaskException,
    TaskListed,
    TaskSubmitted,
)
from getrace.events.launch import TaskIds
from getrace.events.markers import KernelEnd
from getrace.events.shapes import NodeType


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


@pytest.mark.parametrize(("node", "inserted"), [("trans_TransData_170", True), ("transformer_1", False)])
def test_an_operator_that_the_compiler_inserted_is_told_as_such(node: str, *, inserted: bool) -> None:
    rules = [finding.rule for finding in diagnose(device_log(node).log.store()).findings]
    assert ("inserted_operator" in rules) is inserted


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
    made.log.say(StreamDestroyed(2), module="RUNTIME")
    made.log.say(StreamCreated(2, 0), module="RUNTIME")
    launch(made.log, "LaunchKernelWithFlag_Other_400", 2, 6)
    assert line(failure_of(made.log).at) == made.launch


def test_an_earlier_life_of_the_stream_does_not_take_the_fault() -> None:
    log = HandLog()
    log.say(StreamCreated(2, 0), module="RUNTIME")
    launch(log, "LaunchKernelWithFlag_Old_1", 2, 6)
    log.say(StreamDestroyed(2), module="RUNTIME")
    log.say(StreamCreated(2, 0), module="RUNTIME")
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
    log.say(StreamCreated(2, 0), module="RUNTIME")
    log.say(TaskSubmitted(2, 11, 0, "KERNEL_AICORE"), module="RUNTIME")
    log.say(TaskListed(2, 1, 0, "KERNEL_AICORE", 0, 2), module="RUNTIME")
    at = launch(log, "LaunchKernelWithFlag_a_1", 2, 11)
    log.say(TaskException(0, 2, 1, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    assert line(failure_of(log).at) == at


@pytest.mark.parametrize("reported", [4_464, 70_000])
def test_either_count_of_a_wrapped_task_id_joins(reported: int) -> None:
    log = HandLog()
    at = log.say(TaskIds(rt_stream=2, task=70_000, flip=1, flip_task=4_464), "LaunchKernelWithFlag_a_1")
    log.say(TaskException(0, 2, reported, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
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


def test_an_unknown_fault_is_told_without_a_kernel() -> None:
    log = HandLog()
    log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.phase, failure.kernel, failure.op, failure.task_id) == ("device", None, None, 6)
