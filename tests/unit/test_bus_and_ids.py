"""The small things that every room shares: the bus, names, times."""

import pytest

from getrace.bus import Bus
from getrace.clock import iso_time, parse_plog_second, parse_time, plog_time
from getrace.events import Event, Level, Origin
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.ids import KernelName, split_kernel_name

ORIGIN = Origin(1, "demo", 2)


class Heard:
    """A sink that keeps what it hears."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.times: list[int] = []

    def __call__(self, time_ns: int, _origin: Origin, _level: Level, _kernel: str | None, event: Event, /) -> None:
        self.times.append(time_ns)
        self.events.append(event)


def test_sinks_hear_events_in_order_with_one_stamp_for_all() -> None:
    ticks = iter(range(100))
    bus = Bus(now=lambda: next(ticks))
    first, second = Heard(), Heard()
    bus.subscribe(first)
    bus.subscribe(second)
    bus.publish(ORIGIN, Level.INFO, None, ModelStart())
    bus.publish(ORIGIN, Level.INFO, None, ModelEnd())
    assert first.events == second.events == [ModelStart(), ModelEnd()]
    assert first.times == second.times == [0, 1]


def test_who_leaves_hears_nothing_more_and_may_leave_twice() -> None:
    bus = Bus(now=lambda: 0)
    stays, goes = Heard(), Heard()
    bus.subscribe(stays)
    leave = bus.subscribe(goes)
    bus.publish(ORIGIN, Level.INFO, None, KernelEnd())
    leave()
    leave()
    bus.publish(ORIGIN, Level.INFO, None, KernelEnd())
    assert (len(stays.events), len(goes.events)) == (2, 1)


def test_a_sink_that_raises_is_detached_and_reported_and_the_others_go_on() -> None:
    bus = Bus(now=lambda: 0)
    after = Heard()

    def broken(*_: object) -> None:
        raise RuntimeError("no room")

    bus.subscribe(broken)
    bus.subscribe(after)
    bus.publish(ORIGIN, Level.INFO, None, ModelStart())
    bus.publish(ORIGIN, Level.INFO, None, ModelEnd())
    assert after.events == [ModelStart(), ModelEnd()]
    assert [(str(failure.error), failure.event) for failure in bus.failures] == [("no room", ModelStart())]


def test_tracing_follows_the_level_of_ge_at_once() -> None:
    bus = Bus(now=lambda: 0)
    seen = [bus.traces]
    bus.set_level("GE", Level.WARNING)
    seen.append(bus.traces)
    bus.set_level("GE", Level.DEBUG)
    seen.append(bus.traces)
    assert seen == [True, False, True]
    assert not Bus(now=lambda: 0, levels={}).traces


def test_a_level_of_one_module_leaves_the_others() -> None:
    bus = Bus(now=lambda: 0)
    before = bus.admits("RUNTIME", Level.INFO)
    bus.set_level("RUNTIME", Level.DEBUG)
    assert (before, bus.admits("RUNTIME", Level.INFO)) == (False, True)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("AllocMemHbm_bert/encoder/layer_0/add_1_1432", ("AllocMemHbm", "bert/encoder/layer_0/add_1", 1432)),
        ("SplitRtStreams_19", ("SplitRtStreams", "", 19)),
        ("LaunchKernelWithHandle", ("LaunchKernelWithHandle", "", -1)),
        ("", ("", "", -1)),
        ("FindInferShapeFunc_add1_122_Replaced_NoOp", ("NoOp", "add1", 122)),
        ("PartitionedCall_51_pre_noop", ("NoOp", "", 51)),
        ("CEM_NoOp_0", ("NoOp", "", 0)),
        ("CopyFlowLaunch_To_LaunchKernelWithHandle_add1_274", ("CopyFlowLaunch", "add1", 274)),
        ("Const_CopyFlowLaunch_To_LaunchKernelWithHandle_add1_243_Num", ("Const", "add1", 243)),
        ("FreeMemoryHoldAddr_FreeMemory_add1_70", ("FreeMemoryHoldAddr", "add1", 70)),
        ("AicpuLaunchTfKernel_u_8_FuseHostInputs", ("AicpuFuseHost", "u", 8)),
        ("MakeSureTensorAtDevice_x_Split_2_120_Split_0_LaunchH2DCopy", ("LaunchH2DCopy", "x_Split_2", 120)),
        ("CopyH2D_x_7_Split_11_AllocMemHbm", ("AllocMemHbm", "x", 7)),
        ("CopyFlowLaunch_To_LaunchKernelWithHandle_a_9_CalcAllocSizes", ("CalcCopyFlowAllocSizes", "a", 9)),
        ("CopyFlowLaunch_To_LaunchKernelWithHandle_a_9_AllocCopyFlowHbm", ("AllocCopyFlowHbm", "a", 9)),
        ("CopyFlowLaunch_To_LaunchKernelWithHandle_a_9_LaunchCopyFlowH2D", ("LaunchCopyFlowH2D", "a", 9)),
    ],
)
def test_a_kernel_name_splits_into_type_operator_and_id(name: str, parts: tuple[str, str, int]) -> None:
    assert split_kernel_name(name) == KernelName(*parts)


def test_a_time_is_the_text_that_was_read() -> None:
    moment = parse_plog_second("2026-03-05-10:11:12") * 1_000_000_000 + 130_001_000
    assert plog_time(moment) == "2026-03-05-10:11:12.130.001"
    assert iso_time(moment) == "2026-03-05T10:11:12.130001"
    for text in ("2026-03-05T10:11:12.130001", "2026-03-05 10:11:12.130001", "2026-03-05-10:11:12.130.001"):
        assert parse_time(text) == moment


def test_a_day_and_a_time_with_z_are_times_too() -> None:
    assert parse_time("2026-01-01") == parse_time("2026-01-01T00:00:00Z") == 1_767_225_600_000_000_000


_OUTSIDE = ("1960-01-01T00:00:00", "9999-12-31T23:59:59", "2026-01-01T00:00:00+08:00")


@pytest.mark.parametrize("text", ["yesterday", "", "2026-13-01T00:00:00", "2026-03-05T10:11:12.x", *_OUTSIDE])
def test_a_text_that_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_time(text)
