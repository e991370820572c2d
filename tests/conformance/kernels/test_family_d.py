"""Family D, memory: allocations, frees and model outputs (spec/lowering.md 11.D, execution.md 5.9 and 8.3)."""

from typing import Any

import pytest
from kernel_runs import Workbench

from getrace.events import Event
from getrace.events.memory import (
    BatchAlloc,
    BatchFree,
    BirthRecycle,
    MemAlloc,
    MemFree,
    OutputAlloc,
    OutputTensor,
    PlacedOutputAlloc,
    TensorFree,
    ZeroCopy,
)
from runtime.kernels.context import KernelContext
from runtime.memory.tensor_data import GertTensorData, release
from runtime.values import Placement, StorageShape, Tensor, TensorData

HBM, HOST = Placement.DEVICE_HBM, Placement.HOST
FAILED, PARAM_INVALID = 4294967295, 1343225857
MEMORY_EVENTS = (
    BatchAlloc | BatchFree | BirthRecycle | MemAlloc | MemFree | OutputAlloc | OutputTensor | PlacedOutputAlloc
    | TensorFree | ZeroCopy
)  # fmt: skip


def said(bench: Workbench) -> list[Event]:
    return [event for event in bench.recorder.events() if isinstance(event, MEMORY_EVENTS)]


def allocated(bench: Workbench, kernel: str = "AllocMemHbm", size: int = 100) -> KernelContext:
    context = bench.context(kernel, bench.allocator(HOST if kernel == "AllocMemHost" else HBM), size)
    assert bench.run(context) == 0
    return context


@pytest.mark.parametrize(
    ("kernel", "placement", "size"),
    [("AllocMemHbm", HBM, 65536), ("AllocMemory", HBM, 65536), ("AllocMemHost", HOST, 100)],
)
def test_memory_of_a_size_is_said_with_the_size_of_the_block(kernel: str, placement: Placement, size: int) -> None:
    bench = Workbench()
    data: GertTensorData = allocated(bench, kernel).output(0)
    assert data.block is not None
    assert (data.placement, data.size) == (placement, size)
    assert said(bench) == [MemAlloc(data.block.handle, data.addr, size, 0, 100, 1)]


def test_a_size_of_nothing_gives_no_memory_and_no_line() -> None:
    bench = Workbench()
    data: GertTensorData = allocated(bench, size=0).output(0)
    assert (data.addr, data.size, data.placement, data.block) == (0, 0, HBM, None)
    assert said(bench) == []


@pytest.mark.parametrize(
    ("kernel", "keeps"),
    [("FreeMemory", False), ("FreeMemHbm", False), ("FreeMemoryHoldAddr", True), ("FreeMemHbmHoldAddr", True)],
)
def test_the_last_owner_frees_and_recycles(kernel: str, *, keeps: bool) -> None:
    bench = Workbench()
    data: GertTensorData = allocated(bench).output(0)
    address = data.addr
    assert bench.run(bench.context(kernel, data, outputs=0)) == 0
    assert said(bench)[1:] == [MemFree(address, 0), BirthRecycle(0, address)]
    assert data.addr == (address if keeps else 0)
    assert data.block is None


@pytest.mark.parametrize(
    ("alloc", "free", "keeps"),
    [
        ("AllocBatchHbm", "FreeBatchHbm", False),
        ("AllocBatchHbm", "FreeBatchHbmHoldAddr", True),
        ("AllocCopyFlowHbm", "FreeBatchHbm", False),
    ],
)
def test_a_batch_has_a_block_per_size_that_is_not_0(alloc: str, free: str, *, keeps: bool) -> None:
    bench = Workbench()
    context = bench.context(alloc, bench.allocator(), [512, 0])
    assert bench.run(context) == 0
    first, none = context.output(0)
    address = first.addr
    assert said(bench) == [BatchAlloc(0, first.block.handle, address, 512, 0)]
    assert none.addr == 0
    assert bench.run(bench.context(free, context.output(0), outputs=0)) == 0
    assert said(bench)[1:] == [BatchFree(0, address, 0), BirthRecycle(0, address), BatchFree(-1, 0, 1)]
    assert first.addr == (address if keeps else 0)


def test_a_holder_without_memory_is_made_when_the_executor_is_built() -> None:
    bench = Workbench()
    context = bench.context("EmptyTensorData")
    assert bench.run(context) == 0
    assert context.output(0) == GertTensorData()


def test_a_built_tensor_lets_go_of_its_bytes() -> None:
    bench = Workbench()
    tensor = Tensor(StorageShape.same((4,)), data=TensorData(0x1230, 16, HOST), handle=0xAA0)
    assert bench.run(bench.context("FreeTensorMemory", tensor, outputs=0)) == 0
    assert said(bench) == [TensorFree(-1, 0x1230, 0xAA0)]
    assert bench.run(bench.context("FreeTensorMemory", None, outputs=0)) == FAILED
    assert bench.said() == ["[FreeTensorMemory][k]Get nullptr tensor"]


def model_output(bench: Workbench, output: Tensor | None, size: int = 100) -> KernelContext:
    context = bench.context("AllocModelOutTensor", bench.allocator(), size, output)
    assert bench.run(context) == 0
    return context


def test_an_output_without_memory_gets_some_that_outlives_the_kernels() -> None:
    bench = Workbench()
    output = Tensor(StorageShape.same((25,)))
    data: GertTensorData = model_output(bench, output).output(0)
    assert output.data is not None
    assert data.block is not None
    assert (output.data.addr, output.data.size, output.data.placement) == (data.addr, 100, HBM)
    assert said(bench) == [OutputAlloc(data.block.handle, data.addr, 100, 0)]
    address = data.addr
    data.free()
    assert said(bench)[1:] == [BirthRecycle(0, address)]
    assert bench.machine.device.hbm.read(address, 100) == bytes(100)
    release(output.data)
    assert output.data.addr == 0


def test_an_output_that_is_missing_is_made_first() -> None:
    bench = Workbench()
    context = model_output(bench, None)
    made: Tensor = context.input(2)
    assert made.data is not None
    assert made.data.addr == context.output(0).addr
    assert said(bench)[0] == OutputTensor(made.handle)
    assert isinstance(said(bench)[1], OutputAlloc)


def test_an_output_in_the_right_place_is_written_without_a_look_at_its_size() -> None:
    bench = Workbench()
    output = Tensor(StorageShape.same((25,)), data=TensorData(0x12C000, 4, HBM))
    data: GertTensorData = model_output(bench, output).output(0)
    assert (data.addr, data.size, data.block) == (0x12C000, 4, None)
    assert said(bench) == [ZeroCopy(0x12C000)]


def test_an_output_in_another_place_is_computed_elsewhere_first() -> None:
    bench = Workbench()
    output = Tensor(StorageShape.same((25,)), data=TensorData(0xAAAB0, 400, HOST))
    data: GertTensorData = model_output(bench, output).output(0)
    assert data.block is not None
    assert said(bench) == [PlacedOutputAlloc(0, data.block.handle, data.addr, 100, "DeviceHbm", "HostDDR")]
    assert data.addr != 0xAAAB0


def test_an_output_that_no_memory_is_left_for_says_its_size() -> None:
    bench = Workbench()
    home = bench.allocator()
    home.level1 = None
    assert bench.run(bench.context("AllocModelOutTensor", home, 100, Tensor(StorageShape.same(())))) == PARAM_INVALID
    assert bench.said() == ["Failed to alloc model output, alloc size 100", "alloc memory failed."]


@pytest.mark.parametrize(("home", "what"), [(None, "gert_allocator"), ("home", "tensor_data")])
def test_an_output_without_allocator_or_place_is_refused(home: Any, what: str) -> None:
    bench = Workbench()
    context = bench.context("AllocModelOutTensor", home, 100, None)
    if home is not None:
        context.set(0, None)
    assert bench.run(context) == PARAM_INVALID
    assert bench.said() == [f"Assert (({what}) != nullptr) failed"]
