"""When the only launch that fits a failed task is doubted, and when it is not the one."""

from handmade import HandLog
from handmade_failures import ERROR, failure_of, ge, launch

from getrace.analysis.confidence import Confidence
from getrace.analysis.failure import diagnose
from getrace.analysis.failure.model import Failure, How, Verdict
from getrace.events.device import KernelFault, TaskException, TaskFinished, TaskListed, TaskSubmitted
from getrace.events.launch import TaskIds
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart

A, B = "LaunchKernelWithHandle_a_1", "LaunchKernelWithHandle_b_2"


def died(log: HandLog, task: int, *, device: int = 0, stream: int = 2) -> None:
    dead = TaskException(device, stream, task, 0, "KERNEL_AICORE", 0, 0x26, "aicore exception")
    log.say(dead, level=ERROR, module="RUNTIME")


def named(log: HandLog, task: int, name: str) -> None:
    log.say(KernelFault("Aicore", 0, 2, 2, task, 0, f"1_0_{task}_{name}", ""), level=ERROR, module="RUNTIME")


def told(failure: Failure) -> tuple[str | None, Confidence]:
    return failure.op, failure.confidence


def test_a_launch_that_nothing_speaks_against_is_the_failed_one() -> None:
    log = HandLog()
    launch(log, A, 2, 6)
    launch(log, B, 2, 7)
    died(log, 6)
    assert told(failure_of(log)) == ("a", Confidence.HIGH)


def test_numbers_that_begin_again_after_a_launch_make_it_doubtful() -> None:
    log = HandLog()
    launch(log, A, 2, 5)
    launch(log, A, 2, 6)
    launch(log, B, 2, 5)
    died(log, 6)
    failure = failure_of(log)
    assert told(failure) == ("a", Confidence.MEDIUM)
    assert failure.evidence.endswith("but the stream's task numbers have begun again since that launch")


def test_a_higher_flip_after_a_launch_makes_it_doubtful() -> None:
    log = HandLog()
    launch(log, A, 2, 6)
    log.say(TaskIds(rt_stream=2, task=3, flip=1, flip_task=65_539), B)
    died(log, 6)
    assert told(failure_of(log)) == ("a", Confidence.MEDIUM)


def test_a_record_of_16_bits_finds_the_launch_of_the_whole_number() -> None:
    log = HandLog()
    log.say(TaskIds(rt_stream=2, task=6, flip=1, flip_task=65_542), A)
    died(log, 6)
    assert told(failure_of(log)) == ("a", Confidence.HIGH)


def test_a_later_run_makes_a_launch_doubtful() -> None:
    log = HandLog()
    for kernel in ("AllocMemHbm_a_3", "AllocMemHbm_b_4"):
        log.say(ModelStart())
        log.say(KernelEnd(), kernel)
        if kernel.endswith("3"):
            launch(log, A, 2, 6)
        log.say(ModelEnd())
    died(log, 6)
    assert told(failure_of(log)) == ("a", Confidence.MEDIUM)


def test_a_process_of_two_devices_makes_a_launch_doubtful_unless_the_fault_names_it() -> None:
    for name, sure in (("", Confidence.MEDIUM), ("a", Confidence.HIGH)):
        log = HandLog()
        log.say(TaskFinished(1, 2, 5, 0, "KERNEL_AICORE", 1), module="RUNTIME")
        launch(log, A, 2, 6)
        died(log, 6)
        if name:
            named(log, 6, name)
        assert told(failure_of(log)) == ("a", sure)


def test_a_launch_of_another_operator_than_the_fault_names_is_not_the_one() -> None:
    log = HandLog()
    launch(log, B, 2, 3)
    launch(log, A, 2, 6)
    died(log, 6)
    named(log, 6, "b")
    failure = failure_of(log)
    assert (failure.op, failure.how, failure.confidence) == ("b", How.FAULT_NAME, Confidence.MEDIUM)


def test_a_run_that_did_not_end_is_not_clean_whoever_ran_its_kernels() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "CreateL2Allocators_1")
    log.say(ModelEnd())
    log.say(ModelStart())
    log.say(KernelEnd(), "InferShape_a_1", tid=50)
    answer = diagnose(log.store())
    assert answer.verdict is Verdict.UNKNOWN
    assert answer.failure is not None
    assert answer.failure.confidence is Confidence.LOW


def test_an_error_of_a_run_by_workers_is_survived_when_the_run_ends() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "CreateL2Allocators_1")
    log.say(ModelEnd())
    log.say(ModelStart())
    log.say(KernelEnd(), "AllocMemHbm_a_1", tid=50)
    log.say(ge("aclrtMalloc failed, tried again"), level=ERROR, tid=51)
    log.say(ModelEnd())
    assert diagnose(log.store()).verdict is Verdict.CLEAN


def test_the_list_line_of_another_task_renames_none() -> None:
    log = HandLog()
    log.say(TaskSubmitted(2, 5, 0, "KERNEL_AICORE"), module="RUNTIME")
    launch(log, A, 2, 5)
    for kernel in ("FreeMemory_a_3", "Tiling_b_4", "AllocMemHbm_b_5"):
        log.say(KernelEnd(), kernel)
    log.say(TaskListed(2, 6, 0, "KERNEL_AICORE", 0, 7), module="RUNTIME")
    died(log, 6)
    assert failure_of(log).kernel is None


def test_the_low_16_bits_are_what_a_short_record_is_compared_by() -> None:
    log = HandLog()
    log.say(TaskIds(rt_stream=2, task=65_542, flip=0, flip_task=65_542), A)
    died(log, 6)
    assert failure_of(log).op == "a"


def test_a_run_that_has_only_begun_is_not_clean() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "CreateL2Allocators_1")
    log.say(ModelEnd())
    log.say(ModelStart())
    assert diagnose(log.store()).verdict is Verdict.UNKNOWN


def test_of_a_kernels_error_and_a_fault_the_earlier_one_is_the_failure() -> None:
    log = HandLog()
    launch(log, A, 2, 6)
    log.say(KernelEnd(), "Tiling_b_4", level=ERROR)
    died(log, 6)
    assert (failure_of(log).op, failure_of(log).how) == ("b", How.ERROR_LINE)
