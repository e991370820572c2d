"""Counts and inferred times by group."""

import pytest
from handmade import HandLog

from getrace.analysis.stats import StatRow, stats
from getrace.events.launch import TaskIds
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import MemAlloc
from getrace.events.text import LogLine


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
