"""Scenarios MM of spec/execution.md 8.4: the kernels that give memory, take it back and choose allocators."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kernel_runs import Workbench
from simulated_runs import const_model, floats, open_process
from two_allocators import two_streams

from getrace.errors import InternalError
from getrace.events import Event
from getrace.events.allocators import ExternalFixedBase, FixedBase, L1Selected
from getrace.events.memory import BatchAlloc, BirthRecycle, FixedAlloc, FixedFree, MemAlloc, MemFree, MemWander
from runtime.device.tasks import Task
from runtime.engines.options import LoweringOptions
from runtime.executors.arguments import ModelExecuteArg
from runtime.lowering.pipeline import lower_model
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.external import AllocatorDesc, ExternalAllocator
from runtime.memory.host import HostMemAllocator
from runtime.memory.l2_single import SingleStreamL2Allocator
from runtime.memory.large_pages import FixedBaseExpandableAllocator
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, Placement

SUCCESS, FAILED, PARAM_INVALID = 0, 4294967295, 1343225857
HBM, HOST, END = Placement.DEVICE_HBM, Placement.HOST, Placement.END
MIB = 1 << 20


def said(bench: Workbench, *kinds: type[Event]) -> list[Event]:
    return [event for event in bench.recorder.events() if isinstance(event, kinds)]


def test_MM_42_each_size_has_its_data_and_a_size_of_0_has_none() -> None:
    bench = Workbench()
    context = bench.context("AllocMemHbm", bench.allocator(), 100, 0, 200, outputs=3)
    assert bench.run(context) == SUCCESS
    data: list[GertTensorData] = [context.output(index) for index in range(3)]
    assert [item.block is not None for item in data] == [True, False, True]
    assert (data[1].addr, data[1].size, data[1].placement, data[1].stream) == (0, 0, HBM, 0)
    lines = [event for event in said(bench, MemAlloc) if isinstance(event, MemAlloc)]
    assert [(line.size, line.asked, line.index) for line in lines] == [(65536, 100, 1), (65536, 200, 3)]


def test_MM_43_a_second_batch_releases_the_first() -> None:
    bench = Workbench()
    home = bench.allocator()
    context = bench.context("AllocBatchHbm", home, [100, 200])
    assert bench.run(context) == SUCCESS
    first = [data.addr for data in context.output(0)]
    assert bench.run(context) == SUCCESS
    assert sorted(data.addr for data in context.output(0)) == sorted(first)
    level1 = home.level1
    assert isinstance(level1, CachingMemAllocator)
    assert len(level1.pool.tally.occupied) == 2
    lines = [event for event in said(bench, BatchAlloc) if isinstance(event, BatchAlloc)]
    assert [(line.size, line.index) for line in lines] == [(100, 0), (200, 1)] * 2
    assert said(bench, MemFree) == []
    assert [type(event) for event in said(bench, BirthRecycle)] == [BirthRecycle, BirthRecycle]


def test_MM_44_seventeen_workspaces_are_too_many() -> None:
    bench = Workbench()
    context = bench.context("AllocBatchHbm", bench.allocator(), [100] * 17)
    assert bench.run(context) == FAILED
    assert bench.said() == ["[AllocBatchHbm] The alloc count 17 more than output capacity 16"]
    assert said(bench, BatchAlloc) == []


def test_MM_45_a_copy_flow_has_as_many_copies_as_it_was_made_for() -> None:
    bench = Workbench()
    home = bench.allocator()
    context = bench.context("AllocCopyFlowHbm", home, [100, 200, 300])
    context.attrs = {"copy_flow_count": 2}
    assert bench.run(context) == PARAM_INVALID
    assert bench.said() == ["copy flow size count 3 does not match capacity 2"]
    assert said(bench, BatchAlloc) == []
    context.inputs[1].value = [100, 200]
    assert bench.run(context) == SUCCESS
    assert [data.block is not None for data in context.output(0)] == [True, True]


def test_MM_47_nothing_to_free_is_an_error() -> None:
    bench = Workbench()
    assert bench.run(bench.context("FreeMemory", None, outputs=0)) == FAILED
    assert bench.said() == ["[FreeMemory][k]Get nullptr gert_tensor_data"]


def test_MM_48_the_callers_memory_is_not_freed() -> None:
    bench = Workbench()
    data = GertTensorData(0x1000, 64, HBM, 0)
    assert bench.run(bench.context("FreeMemory", data, outputs=0)) == SUCCESS
    assert data.addr == 0x1000
    assert said(bench, MemFree) == [MemFree(0x1000, -1)]


def test_MM_50_host_memory_is_shared_without_a_line() -> None:
    bench = Workbench()
    home = bench.allocator(HOST)
    alloc = bench.context("AllocMemHost", home, 64)
    assert bench.run(alloc) == SUCCESS
    source: GertTensorData = alloc.output(0)
    context = bench.context("AccessMemCrossStream", source, 1)
    assert bench.run(context) == SUCCESS
    seen: GertTensorData = context.output(0)
    assert (seen.addr, seen.block, seen.stream) == (source.addr, source.block, 0)
    assert said(bench, MemWander) == []
    source.free()
    assert home.level1 is not None
    assert seen.block is not None


def test_MM_51_memory_does_not_wander_to_its_own_stream() -> None:
    streams = two_streams()
    block = streams.block(1)
    source = GertTensorData()
    source.own(block, HBM, 1)
    context = streams.bench.context("AccessMemCrossStream", source, 1)
    assert streams.bench.run(context) == FAILED
    assert streams.bench.said() == ["Failed to wander for tensor data (nil), the same stream 1"]
    assert block.counts == [0, 1]


def test_memory_of_an_aborted_run_is_released_behind_the_line_of_the_new_one() -> None:
    streams = two_streams()
    old, new = GertTensorData(), GertTensorData()
    old.own(streams.block(0), HBM, 0)
    new.own(streams.block(0), HBM, 0)
    context = streams.bench.context("AccessMemCrossStream", old, 1)
    assert streams.bench.run(context) == SUCCESS
    address = old.addr
    old.free()
    streams.said()
    context.inputs[0].value = new
    assert streams.bench.run(context) == SUCCESS
    kinds = [type(event).__name__ for event in streams.said()]
    assert kinds == ["MemWander", "LocalRecycle"]
    assert context.output(0).addr == new.addr != address


def select(bench: Workbench, external: Any, created: Any, placement: Placement = HBM) -> Any:
    return bench.context("SelectL1Allocator", placement, external, created, bench.stream)


@pytest.mark.parametrize(("given", "chosen"), [("present", "external"), ("none", "created"), ("other", "created")])
def test_MM_52_the_callers_allocator_of_the_place_comes_first(given: str, chosen: str) -> None:
    bench = Workbench()
    machine = bench.machine
    own, theirs = (CachingMemAllocator(machine.memory, machine.synchronize, machine.caching) for _ in range(2))
    external = {"present": {HBM: theirs}, "none": None, "other": {HOST: theirs}}[given]
    context = select(bench, external, own)
    assert bench.run(context) == SUCCESS
    assert context.output(0) is {"external": theirs, "created": own}[chosen]


def test_MM_53_a_caching_allocator_of_the_caller_is_bound_to_the_stream() -> None:
    bench = Workbench()
    machine = bench.machine
    theirs = CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)
    assert bench.run(select(bench, {HBM: theirs}, None)) == SUCCESS
    assert theirs.stream == bench.stream
    line = L1Selected("caching_mem_allocator", theirs.handle, bench.stream, "DeviceHbm")
    assert said(bench, L1Selected) == [line]


def test_MM_54_a_stream_without_an_allocator_is_refused() -> None:
    bench = Workbench()
    home = bench.allocator()
    context = bench.context("SelectL2Allocator", 1, bench.stream, home.level1, [home])
    assert bench.run(context) == PARAM_INVALID
    assert bench.said() == ["Failed to select allocator, invalid stream id 1, should be less than 1"]


def test_MM_55_workspace_and_output_come_from_the_one_external_allocator() -> None:
    process = open_process()
    machine = process.machine
    theirs = CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)
    assert process.executor.load(process.arg) == SUCCESS
    process.arg = replace(process.arg, external_allocator={HBM: theirs})
    status, value = process.step(floats(1, 2), floats(3, 4))
    assert status == SUCCESS
    assert value is not None
    assert value.tolist() == [4, 6]
    (own,) = (one for one in machine.caching if one is not theirs)
    assert own.pool.tally.allocs == 0
    assert theirs.pool.tally.allocs > 0


def test_MM_56_a_model_that_makes_no_allocators_cannot_be_loaded_without_one() -> None:
    root = lower_model(const_model(), LoweringOptions(always_external_allocator=True)).root
    process = open_process(lowered=root)
    assert process.executor.load(process.arg) == PARAM_INVALID
    machine = process.machine
    theirs = CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)
    assert process.executor.load(replace(process.arg, external_allocator={HBM: theirs})) == SUCCESS


def test_MM_57_data_behind_a_tensor_counts_as_host_memory() -> None:
    bench = Workbench()
    tensor = bench.host_tensor(np.arange(4, dtype=np.float32), DType.FLOAT)
    assert tensor.data is not None
    tensor.data.placement = Placement.FOLLOWING
    context = bench.context("SplitDataTensor", tensor, bench.allocator(), outputs=2)
    assert bench.run(context) == SUCCESS
    assert context.output(1).placement is HOST


def test_MM_59_a_request_takes_whole_physical_pages_until_recycle() -> None:
    bench = Workbench()
    allocator = FixedBaseExpandableAllocator(bench.machine.memory)
    block = allocator.malloc(15 * MIB)
    assert block is not None
    assert allocator.source.physical == 16 * MIB
    address = block.addr
    allocator.free(block)
    assert allocator.source.physical == 16 * MIB
    again = allocator.malloc(15 * MIB)
    assert again is not None
    assert again.addr == address
    allocator.free(again)
    allocator.pool.recycle()
    assert allocator.source.physical == 0
    assert bench.machine.device.hbm.used == 0


def test_MM_60_a_driver_without_memory_fails_the_step_and_unload_works() -> None:
    process = open_process()
    assert process.executor.load(process.arg) == SUCCESS
    process.machine.device.hbm.capacity = 0
    status, value = process.step(floats(1, 2), floats(3, 4))
    assert (status, value) != (SUCCESS, None)
    assert status in (FAILED, PARAM_INVALID)
    assert process.executor.unload() == SUCCESS


def test_the_session_shares_one_fixed_base_allocator() -> None:
    bench = Workbench()
    contexts = [bench.context("GetUserAllocatorOrFixedBaseAllocator", HBM, 3, bench.stream) for _ in range(2)]
    assert [bench.run(context) for context in contexts] == [SUCCESS, SUCCESS]
    assert contexts[0].output(0) is contexts[1].output(0)
    assert said(bench, FixedBase) == [FixedBase(0, 3, "DeviceHbm")] * 2
    theirs = CachingMemAllocator(bench.machine.memory, bench.machine.synchronize, bench.machine.caching)
    bench.machine.user.by_stream[bench.stream] = theirs
    assert bench.run(contexts[0]) == SUCCESS
    assert contexts[0].output(0) is theirs
    assert said(bench, ExternalFixedBase) == [ExternalFixedBase(bench.stream)]
    refused = bench.context("GetUserAllocatorOrFixedBaseAllocator", HOST, 3, bench.stream)
    assert bench.run(refused) == PARAM_INVALID
    assert bench.said() == ["placement[HostDDR] is invalid, only support DeviceHbm and DeviceP2p"]


def test_fixed_feature_memory_is_owned_like_any_other() -> None:
    bench = Workbench()
    shared = FixedBaseExpandableAllocator(bench.machine.memory)
    context = bench.context("AllocFixedFeatureMemory", shared, 1000, bench.allocator())
    assert bench.run(context) == SUCCESS
    data: GertTensorData = context.output(0)
    assert data.block is not None
    block, addr = data.block.handle, data.addr
    assert bench.run(bench.context("FreeFixedFeatureMemory", data, outputs=0)) == SUCCESS
    wanted = [FixedAlloc(block, addr, 1000), FixedFree(addr), BirthRecycle(0, addr)]
    assert said(bench, FixedAlloc, FixedFree, BirthRecycle) == wanted
    assert shared.pool.tally.occupied == {}
    assert bench.machine.device.hbm.used > 0
    assert bench.machine.memory.finalize()
    assert bench.machine.device.hbm.used == 0


def external(bench: Workbench, log: list[tuple[str, Any]], *, gives: bool = True) -> ExternalAllocator:
    def alloc(obj: Any, size: int) -> Any:
        log.append(("alloc", size))
        return {"addr": 0x5000, "obj": obj} if gives else None

    desc = AllocatorDesc("mine", alloc, lambda _obj, raw: log.append(("free", raw["obj"])), lambda raw: raw["addr"])
    return ExternalAllocator(desc, bench.machine.memory, bench.machine.device.is_settled)


def test_functions_of_the_caller_are_an_allocator() -> None:
    bench = Workbench()
    log: list[tuple[str, Any]] = []
    allocator = external(bench, log)
    block = allocator.malloc_advise(100, 0x5000)  # without a function for it, as GE would hang
    assert block is not None
    assert (block.addr, block.size) == (0x5000, 100)
    home = SingleStreamL2Allocator(bench.machine.journal, bench.machine.device)
    home.level1 = allocator
    wrapped = home.share_from(allocator, block)
    wrapped.free(0)
    assert log == [("alloc", 100)]
    allocator.free(block)
    assert log == [("alloc", 100), ("free", "mine")]
    assert external(bench, log, gives=False).malloc(7) is None


def test_an_allocator_of_functions_ends_behind_its_stream_and_without_blocks() -> None:
    bench = Workbench()
    allocator = external(bench, [])
    allocator.set_stream(bench.stream)
    block = allocator.malloc(100)
    assert block is not None
    with pytest.raises(InternalError, match="ended with 1 blocks in use"):
        allocator.close()
    allocator.free(block)
    device = bench.machine.device
    device.launch(device.stream(bench.stream), Task("work", lambda: None, 10))
    with pytest.raises(InternalError, match="before its stream"):
        allocator.close()
    assert device.synchronize(bench.stream) == 0
    allocator.close()


def test_host_memory_goes_back_with_its_last_owner() -> None:
    bench = Workbench()
    home = bench.allocator(HOST)
    level1 = home.level1
    assert isinstance(level1, HostMemAllocator)
    used = bench.machine.device.host.used
    block = home.malloc(100)
    assert block is not None
    block.share(0)
    block.free(0)
    assert bench.machine.device.host.used > used
    block.free(0)
    assert bench.machine.device.host.used == used


def test_an_allocator_of_the_caller_serves_another_stream_only_behind_a_synchronise() -> None:
    process = open_process(const_model())
    machine = process.machine
    theirs = CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)
    given = {HBM: theirs}
    first = ModelExecuteArg(process.arg.stream, given)
    second = ModelExecuteArg(machine.device.create_stream().handle, given)
    assert process.executor.load(first) == SUCCESS
    tensors = process.inputs(floats(1, 2, 3, 4))
    outputs = [type(tensors[0])(tensors[0].shape)]
    assert process.executor.execute(first, tensors, outputs) == SUCCESS
    assert process.executor.execute(second, tensors, [type(tensors[0])(tensors[0].shape)]) == PARAM_INVALID
    assert machine.device.synchronize(first.stream) == 0
    assert process.executor.execute(second, tensors, [type(tensors[0])(tensors[0].shape)]) == SUCCESS
