"""The evidence gate: what counts as read, as lost, as a hole, and which switch would help."""

import pytest
from handmade import HandLog

from getrace.analysis.evidence import Ability, Missing, State, evidence
from getrace.clock import NS_PER_SECOND
from getrace.events import Event, Level
from getrace.events.device import TaskFinished
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import MemAlloc, MemFree
from getrace.events.pools import SpanAlloc, SpanFree
from getrace.events.text import Foreign, LogLine, Note
from getrace.store.columns import CUT, JOINED

GE_SWITCH = "ASCEND_GLOBAL_LOG_LEVEL=1 or ASCEND_MODULE_LOG_LEVEL=GE=1"


def word(text: str = "x") -> LogLine:
    return LogLine(module="GE", file="x.cc", line=1, func="F", text=text)


def test_only_kernel_trace_records_are_counted_by_kind() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "Tiling_a_1")
    log.say(KernelEnd(), "Tiling_b_1")
    log.say(SpanAlloc(device=0, asked=1, size=2, addr=3))
    log.say(word())
    log.say(ModelEnd())
    report = evidence(log.store())
    assert (report.kerneltrace, report.events) == (4, 5)
    assert report.by_kind == {"kernel_end": 2, "model_end": 1, "model_start": 1}
    assert report.other_kinds == {"span_alloc": 1}


def test_a_note_is_a_line_that_no_row_claims() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_1")
    log.say(Note("what is this"), "Tiling_a_1")
    report = evidence(log.store())
    assert (report.kerneltrace, report.unclaimed, report.unclaimed_rows, report.whole) == (2, 1, (1,), False)


def test_a_later_piece_of_a_message_is_claimed_by_its_first() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_1")
    log.say(Note("rest"), "Tiling_a_1")
    store = log.store()
    store.columns.put("flags", [1], [JOINED])
    report = evidence(store)
    assert (report.joined, report.unclaimed, report.whole) == (1, 0, True)


def test_a_cut_record_makes_the_evidence_incomplete() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_1")
    store = log.store()
    store.columns.put("flags", [0], [CUT])
    assert (evidence(store).cut_rows, evidence(store).whole) == ((0,), False)


@pytest.mark.parametrize(("seconds", "holes"), [(59, 0), (60, 1)])
def test_a_minute_of_silence_inside_a_run_is_a_hole(seconds: int, holes: int) -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "Tiling_a_1", step_ns=seconds * NS_PER_SECOND)
    log.say(ModelEnd())
    assert len(evidence(log.store()).holes) == holes


def test_silence_between_runs_is_no_hole() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(ModelEnd())
    log.say(ModelStart(), step_ns=3600 * NS_PER_SECOND)
    log.say(ModelEnd())
    assert evidence(log.store()).holes == ()


def test_the_life_of_another_process_does_not_fill_a_hole() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(word(), pid=9, step_ns=40 * NS_PER_SECOND)
    log.say(ModelEnd(), step_ns=40 * NS_PER_SECOND)
    assert [hole.length_ns for hole in evidence(log.store()).holes] == [80 * NS_PER_SECOND]


def test_frees_of_deinit_without_markers_are_no_loss() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(ModelEnd())
    log.say(MemFree(addr=1), "FreeMemory_a_9", tid=5)
    report = evidence(log.store())
    assert (report.whole, report.open_runs) == (True, ())


def test_a_run_that_never_ends_is_named() -> None:
    log = HandLog()
    log.say(ModelStart())
    report = evidence(log.store())
    assert ([run.start for run in report.open_runs], report.whole) == ([0], False)


def test_nothing_but_foreign_text_is_not_readable() -> None:
    log = HandLog()
    log.say(Foreign("$ ls"))
    store = log.store()
    store.sources[0].records = 0
    assert not evidence(store).readable


def test_levels_are_counted_by_module() -> None:
    log = HandLog()
    log.say(word())
    log.say(word(), level=Level.ERROR)
    log.say(KernelEnd(), "Tiling_a_1")
    log.say(TaskFinished(0, 2, 6, 0, "KERNEL_AICORE", 1), module="RUNTIME")
    assert evidence(log.store()).levels == {"GE": {"INFO": 2, "ERROR": 1}, "RUNTIME": {"INFO": 1}}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (
            (),
            Ability(
                State.IMPOSSIBLE,
                (
                    Missing("allocations of kernels", GE_SWITCH),
                    Missing("returns to the pool", GE_SWITCH),
                    Missing("allocator lines with the size asked for", GE_SWITCH),
                ),
            ),
        ),
        (
            (MemAlloc(block=1, addr=1, size=1), SpanFree(device=0, size=1, addr=1)),
            Ability(State.PARTLY, (Missing("allocator lines with the size asked for", ""),)),
        ),
        (
            (
                SpanAlloc(device=0, asked=1, size=1, addr=1),
                MemAlloc(block=1, addr=1, size=1),
                SpanFree(device=0, size=1, addr=1),
            ),
            Ability(State.POSSIBLE),
        ),
    ],
)
def test_what_memory_can_do_depends_on_the_records(events: tuple[Event, ...], expected: Ability) -> None:
    log = HandLog()
    for event in events:
        log.say(event, "AllocMemHbm_a_1")
    assert evidence(log.store()).analyses["memory"] == expected


def test_the_device_needs_the_runtime_at_info() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_1")
    device = evidence(log.store()).analyses["device"]
    assert device.state is State.IMPOSSIBLE
    assert device.missing[0].switch == "ASCEND_GLOBAL_LOG_LEVEL=1 or ASCEND_MODULE_LOG_LEVEL=GE=1:RUNTIME=1"


def test_a_record_without_a_time_makes_no_hole_and_hides_none() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "Tiling_a_1", timed=False)
    log.say(KernelEnd(), "Tiling_a_1", step_ns=1_000)
    log.say(KernelEnd(), "Tiling_a_1", timed=False)
    log.say(ModelEnd(), step_ns=60 * NS_PER_SECOND)
    holes = evidence(log.store()).holes
    assert [(hole.before, hole.after, hole.length_ns) for hole in holes] == [(2, 4, 60 * NS_PER_SECOND + 1_000)]
