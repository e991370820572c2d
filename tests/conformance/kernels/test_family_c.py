"""Family C, allocators: the types that one stream needs (spec/lowering.md 11.C, execution.md 5.9)."""

import pytest
from kernel_runs import Workbench

from getrace.events.allocators import (
    InitL2Bound,
    InitL2Created,
    L1Created,
    L1Selected,
    L2Counted,
    L2Created,
    L2Selected,
)
from runtime.memory.host import HostMemAllocator
from runtime.values import Placement

HBM, HOST = Placement.DEVICE_HBM, Placement.HOST
FAILED, PARAM_INVALID = 4294967295, 1343225857


def test_the_device_gets_a_caching_allocator_that_a_run_binds_to_its_stream() -> None:
    bench = Workbench()
    made = bench.context("CreateL1Allocator", HBM)
    assert bench.run(made) == 0
    selected = bench.context("SelectL1Allocator", HBM, None, made.output(0), bench.stream)
    assert bench.run(selected) == 0
    assert selected.output(0) is made.output(0)
    assert [event for event in bench.recorder.events() if isinstance(event, L1Created | L1Selected)] == [
        L1Created("DeviceHbm"),
        L1Selected("created_allocator", made.output(0).handle, bench.stream, "DeviceHbm"),
    ]


def test_the_host_gets_its_heap() -> None:
    bench = Workbench()
    made = bench.context("CreateL1Allocator", HOST)
    assert bench.run(made) == 0
    assert isinstance(made.output(0), HostMemAllocator)
    assert bench.recorder.events() == [L1Created("HostDDR")]


def test_an_allocator_of_the_caller_is_the_only_one_where_none_is_made() -> None:
    bench = Workbench()
    own = bench.allocator().level1
    context = bench.context("GetExternalL1Allocator", HBM, {HBM: own})
    assert bench.run(context) == 0
    assert context.output(0) is own


@pytest.mark.parametrize(
    ("placement", "external", "status", "text"),
    [
        (Placement.END, {}, FAILED, "Invalid placement or memory type, placement: 4"),
        (HBM, {}, PARAM_INVALID, "Assert ((allocator) != nullptr) failed"),
        (HBM, None, PARAM_INVALID, "Assert ((allocator) != nullptr) failed"),
    ],
)
def test_an_allocator_that_the_caller_does_not_bring_is_missed(
    placement: Placement, external: dict[Placement, object] | None, status: int, text: str
) -> None:
    bench = Workbench()
    assert bench.run(bench.context("GetExternalL1Allocator", placement, external)) == status
    assert bench.said() == [text]


def test_level_2_is_made_when_the_executor_is_built_and_bound_when_it_runs() -> None:
    bench = Workbench()
    level1 = bench.allocator().level1
    assert level1 is not None
    made = bench.context("CreateL2Allocators", 1, HBM, outputs=2)
    init = bench.context("CreateInitL2Allocator", level1, made.output(0), bench.stream, outputs=2)
    bench.recorder.heard[:] = [item for item in bench.recorder.heard if type(item.event) in (L2Counted, L2Created)]
    assert bench.recorder.events() == [L2Counted(1), L2Created(1, "DeviceHbm")]
    bench.recorder.heard.clear()
    assert bench.run(made) == bench.run(init) == 0
    assert bench.recorder.events() == [InitL2Bound("Device", init.output(0).handle, level1.handle)]
    assert init.output(0).malloc(64) is not None
    selected = bench.context("SelectL2Allocator", 0, bench.stream, level1, made.output(0))
    assert bench.run(selected) == 0
    assert selected.output(0) is made.output(0)[0]
    assert bench.recorder.events()[-1] == L2Selected("DeviceHbm")


def test_making_the_init_allocator_is_said_while_the_executor_is_built() -> None:
    bench = Workbench()
    bench.context("CreateInitL2Allocator", None, [bench.allocator()], bench.stream, outputs=2)
    assert InitL2Created(1, "DeviceHbm") in bench.recorder.events()


def test_host_tensors_have_an_allocator_of_their_own() -> None:
    bench = Workbench()
    level1 = bench.allocator(HOST).level1
    assert level1 is not None
    context = bench.context("CreateHostL2Allocator", level1)
    assert bench.run(context) == 0
    assert context.output(0).placement == HOST
    assert context.output(0).malloc(40).size == 40
    assert bench.recorder.events() == [InitL2Bound("Host", context.output(0).handle, level1.handle)]
