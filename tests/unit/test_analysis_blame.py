"""A device fault finds its kernel by the best evidence there is, never by a thread or a source line."""

import pytest
from handmade import HandLog
from handmade_failures import ERROR, device_log, failure_of, ge, launch, line

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure import diagnose
from getrace.analysis.failure.model import How
from getrace.analysis.operators import Family, Operators, family_of_fault
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
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
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


@pytest.mark.parametrize("kernel", ["AllocLaunchArg_my_op_211", "CopyFlowLaunch_To_LaunchKernelWithHandle_my_op_3"])
def test_a_kernel_that_launches_nothing_is_never_the_failing_launch(kernel: str) -> None:
    log = HandLog()
    log.say(KernelEnd(), kernel)
    log.say(KernelFault("Aicore", 0, 2, 2, 6, 0, "2_0_11_my_op", ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.kernel, failure.at, failure.op) == (None, None, "my_op")


@pytest.mark.parametrize(("again", "kernel"), [(True, "LaunchKernelWithHandle_my_op_3"), (False, None)])
def test_only_a_launch_of_the_run_that_failed_is_named(kernel: str | None, *, again: bool) -> None:
    log = HandLog()
    for launched in (True, again):
        log.say(ModelStart())
        log.say(KernelEnd(), "Tiling_my_op_2")
        if launched:
            log.say(KernelEnd(), "LaunchKernelWithHandle_my_op_3")
        log.say(ModelEnd())
    log.say(KernelFault("Aicore", 0, 2, 2, 6, 0, "2_0_11_my_op", ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.kernel, failure.op, failure.how) == (kernel, "my_op", How.FAULT_NAME)


def test_a_launch_that_was_written_after_the_fault_is_joined_by_its_time() -> None:
    log = HandLog()
    log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    late = log.say(TaskIds(rt_stream=2, task=6, flip=0, flip_task=6), "LaunchKernelWithFlag_a_1", step_ns=-500)
    failure = failure_of(log)
    assert failure.at is not None
    assert (failure.at.line, failure.at.row, failure.how) == (late, late - 1, How.TASK_JOIN)


def test_a_second_launch_that_fits_the_low_bits_of_the_task_takes_away_confidence() -> None:
    log = HandLog()
    log.say(TaskIds(rt_stream=2, task=6, flip=0, flip_task=6), "LaunchKernelWithFlag_a_1")
    log.say(TaskIds(rt_stream=2, task=6, flip=1, flip_task=65_542), "LaunchKernelWithFlag_b_2")
    log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    diagnosis = diagnose(log.store())
    assert diagnosis.failure is not None
    assert (diagnosis.failure.kernel, diagnosis.failure.confidence) == ("LaunchKernelWithFlag_b_2", Confidence.MEDIUM)
    [finding] = [finding for finding in diagnosis.findings if finding.rule == "task_join"]
    assert [spot.line for spot in finding.evidence] == [2, 1]


def test_a_record_that_prints_the_whole_task_number_leaves_no_doubt() -> None:
    log = HandLog()
    at = log.say(TaskIds(rt_stream=2, task=65_542, flip=1, flip_task=6), "LaunchKernelWithFlag_a_1")
    log.say(TaskIds(rt_stream=2, task=6, flip=2, flip_task=131_078), "LaunchKernelWithFlag_b_2")
    log.say(TaskException(0, 2, 65_542, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (line(failure.at), failure.confidence) == (at, Confidence.HIGH)


def test_the_nodes_of_another_process_are_no_candidates() -> None:
    log = HandLog()
    log.say(NodeType("GatherV2"), "InferShape_other_3", pid=1)
    log.say(KernelEnd(), "LaunchKernelWithHandle_other_4", pid=1)
    name = "GatherV2_ab1b6750d7f510985325b603cb06dc8b_0"
    log.say(KernelFault("Aicore", 0, 2, 2, 6, 0, name, ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.kernel, failure.op, failure.op_type, failure.how) == (None, "GatherV2", "GatherV2", How.FAMILY)


def test_of_several_nodes_of_a_type_none_is_picked() -> None:
    log = HandLog()
    for node in ("first", "second"):
        log.say(NodeType("GatherV2"), f"InferShape_{node}_3")
    name = "GatherV2_ab1b6750d7f510985325b603cb06dc8b_0"
    log.say(KernelFault("Aicore", 0, 2, 2, 6, 0, name, ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.op, failure.op_type, failure.how) == (None, "GatherV2", How.FAMILY)


FAULT = "device_id=0, stream_id=2, report_stream_id=2, task_id=6, flip_num=0, "
OLD_FAULT = "device_id=0, stream_id=2, task_id=6, "
AICPU = "fault so_name=libaicpu_kernels.so, fault kernel_name=GetNext, "


@pytest.mark.parametrize(
    ("text", "op"),
    [
        (f"fftsplus task execute failed, {FAULT}fault kernel_name=2_0_11_GatherV2, program id=1.", "GatherV2"),
        (f"aicore kernel execute failed, {OLD_FAULT}fault kernel_name=0_1_my_op, func_name=te_x", "my_op"),
        (f"Aicpu kernel execute failed, {OLD_FAULT}{AICPU}fault op_name=iterator_3, extend_info=.", "iterator_3"),
        (f"Aicpu kernel execute failed, {OLD_FAULT}{AICPU}fault op_name=, extend_info=.", "GetNext"),
    ],
    ids=["engine", "release", "op-name", "aicpu"],
)
def test_a_fault_in_other_words_is_a_fault_when_it_gives_task_and_kernel(text: str, op: str) -> None:
    log = HandLog()
    error = log.say(ge(text, "PrintErrorInfo", "RUNTIME"), level=ERROR)
    failure = failure_of(log)
    assert (failure.phase, failure.op, failure.stream_id, failure.task_id) == ("device", op, 2, 6)
    assert line(failure.error) == error


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("2_0_11_GatherV2", "GatherV2"),
        ("0/1_-1_0_GatherV21_tvmbin", "GatherV21"),
        ("16805736118314619649-1_0_1_Add_35", "Add_35"),
        ("12646006_1663210912148832_-1_0_while/rnn/Select", "while/rnn/Select"),
        ("AddCustom_ab1b6750d7f510985325b603cb06dc8b_0", None),
        ("aiv_all_reduce_***", None),
    ],
)
def test_the_node_stands_behind_the_numbers_of_a_fault_name(name: str, node: str | None) -> None:
    assert Operators(HandLog().store(), 370).node_of_fault(name) == node


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("AddCustom_ab1b6750d7f510985325b603cb06dc8b_0", Family("AddCustom", exact=True)),
        ("GatherV3_9e31943a1a48bf81ddff1fc6379e0be3_high_performance_10330", Family("GatherV3", exact=True)),
        ("te_gatherv2_657cb48fa1743a43209d7bc779fe8c29_1__kernel0", Family("gatherv2", exact=False)),
        ("add_13570952190744021808_0__kernel0", Family("add", exact=False)),
        ("2_0_11_GatherV2", None),
    ],
)
def test_a_compiled_kernels_name_begins_with_the_type(name: str, family: Family | None) -> None:
    assert family_of_fault(name) == family


def test_an_unknown_fault_is_told_without_a_kernel() -> None:
    log = HandLog()
    log.say(TaskException(0, 2, 6, 0, "KERNEL_AICORE", 0, 1, ""), level=ERROR, module="RUNTIME")
    failure = failure_of(log)
    assert (failure.phase, failure.kernel, failure.op, failure.task_id) == ("device", None, None, 6)
