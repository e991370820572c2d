"""Counts and inferred times by group."""

import pytest
from handmade import HandLog

from getrace.analysis import stats as statistics
from getrace.analysis.stats import StatRow, stats
from getrace.events.launch import TaskIds
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import MemAlloc
from getrace.events.text import LogLine, Note
from getrace.ids import KernelName, split_kernel_name


def two_iterations() -> HandLog:
    """Two Main runs: Tiling_a takes 1,000 and 3,000 ns, the launch 2,000 and 2,000."""
    log = HandLog()
    for tiling in (1_000, 3_000):
        log.say(ModelStart())
        log.say(KernelEnd(), "Tiling_a_1", step_ns=tiling)
        log.say(TaskIds(2, 6, 0, 6), "LaunchKernelWithFlag_b_2", step_ns=2_000)
        log.say(ModelEnd())
    return log


TILING = (2, 4_000, 1_000, 3_000, 3_000)
LAUNCH = (2, 4_000, 2_000, 2_000, 2_000)
BOTH = (4, 8_000, 2_000, 3_000, 3_000)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("kernel", [StatRow("LaunchKernelWithFlag_b_2", *LAUNCH), StatRow("Tiling_a_1", *TILING)]),
        ("type", [StatRow("LaunchKernelWithFlag", *LAUNCH), StatRow("Tiling", *TILING)]),
        ("op", [StatRow("a", *TILING), StatRow("b", *LAUNCH)]),
        ("stream", [StatRow("rt stream 2", *LAUNCH), StatRow(None, *TILING)]),
        ("thread", [StatRow("370:1432", *BOTH)]),
        (
            "iteration",
            [StatRow("main 2", 2, 5_000, 2_000, 3_000, 3_000), StatRow("main 1", 2, 3_000, 1_000, 2_000, 2_000)],
        ),
    ],
)
def test_executions_are_grouped(by: str, expected: list[StatRow]) -> None:
    assert stats(two_iterations().store(), by) == expected


def test_modules_count_records_and_have_no_times() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_1")
    log.say(LogLine(module="RUNTIME", file="x.cc", line=1, func="F", text=""))
    log.say(LogLine(module="RUNTIME", file="x.cc", line=1, func="F", text=""))
    assert stats(log.store(), "module") == [StatRow("RUNTIME", 2), StatRow("GE", 1)]


def test_a_logical_stream_is_named_when_the_kernels_line_says_it() -> None:
    log = HandLog()
    log.say(MemAlloc(block=1, addr=1, size=1, stream=0), "AllocMemHbm_a_1")
    log.say(KernelEnd(), "AllocMemHbm_a_1")
    assert [row.name for row in stats(log.store(), "stream")] == ["stream 0"]


def test_a_kernel_whose_time_nobody_knows_is_counted_without_one() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_1")
    assert stats(log.store(), "type") == [StatRow("Tiling", 1)]


def test_percentiles_are_times_that_occurred() -> None:
    log = HandLog()
    log.say(ModelStart())
    for step in range(1, 101):
        log.say(KernelEnd(), "Tiling_a_1", step_ns=step)
    assert stats(log.store(), "type") == [StatRow("Tiling", 100, 5_050, 50, 90, 99)]


def test_an_empty_log_has_no_rows() -> None:
    assert stats(HandLog().store(), "kernel") == []


def iteration(log: HandLog, kernel: str, pid: int = 370) -> None:
    log.say(ModelStart(), pid=pid)
    log.say(KernelEnd(), kernel, pid=pid)
    log.say(ModelEnd(), pid=pid)


def counts(log: HandLog, by: str) -> dict[str | None, int]:
    return {row.name: row.count for row in stats(log.store(), by)}


def test_the_iterations_of_two_processes_are_not_one_group() -> None:
    log = HandLog()
    for pid in (7, 8, 8):
        iteration(log, "InferShape_a_1", pid)
    assert counts(log, "iteration") == {"main 1 of process 7": 1, "main 1 of process 8": 1, "main 2 of process 8": 1}


def test_the_iterations_of_two_models_are_told_apart_by_what_they_begin_with() -> None:
    log = HandLog()
    for kernel in ("CreateL1Allocator_1", "CreateL1Allocator_51", "InferShape_a_7", "InferShape_b_57"):
        iteration(log, kernel)
    iteration(log, "InferShape_a_7")
    assert counts(log, "iteration") == {
        "init from CreateL1Allocator_1": 1,
        "init from CreateL1Allocator_51": 1,
        "main 1 from InferShape_a_7": 1,
        "main 1 from InferShape_b_57": 1,
        "main 2 from InferShape_a_7": 1,
    }


def test_a_worker_of_another_thread_does_not_look_like_a_second_model() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "Tiling_b_9", tid=1)
    log.say(KernelEnd(), "InferShape_a_7")
    log.say(ModelEnd())
    iteration(log, "InferShape_a_7")
    assert counts(log, "iteration") == {"main 1": 2, "main 2": 1}


def test_the_streams_of_two_processes_are_not_one_group() -> None:
    log = HandLog()
    for pid in (7, 8):
        log.say(TaskIds(3, 1, 0, 1), "LaunchKernelWithHandle_A_1", pid=pid)
        log.say(MemAlloc(block=1, addr=1, size=1, stream=0), "AllocMemHbm_a_2", pid=pid)
    assert counts(log, "stream") == {
        "rt stream 3 of process 7": 1,
        "rt stream 3 of process 8": 1,
        "stream 0 of process 7": 1,
        "stream 0 of process 8": 1,
    }


def test_a_kernel_takes_its_stream_from_its_own_thread_when_another_runs_a_kernel_of_that_name() -> None:
    log = HandLog()
    log.say(Note("first message"), "LaunchKernelWithHandle_A_1", tid=1)
    log.say(TaskIds(4, 1, 0, 1), "LaunchKernelWithHandle_A_1", tid=2)
    log.say(TaskIds(3, 1, 0, 1), "LaunchKernelWithHandle_A_1", tid=1)
    log.say(KernelEnd(), "LaunchKernelWithHandle_A_1", tid=1)
    log.say(KernelEnd(), "LaunchKernelWithHandle_A_1", tid=2)
    assert counts(log, "stream") == {"rt stream 3": 1, "rt stream 4": 1}


def test_a_name_is_split_once_however_often_its_kernel_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    log = HandLog()
    for _ in range(20):
        iteration(log, "InferShape_a_1")
    asked = []

    def counted(name: str) -> KernelName:
        asked.append(name)
        return split_kernel_name(name)

    store = log.store()
    monkeypatch.setattr(statistics, "split_kernel_name", counted)
    assert [row.count for row in stats(store, "type")] == [20]
    assert asked == ["InferShape_a_1"]
