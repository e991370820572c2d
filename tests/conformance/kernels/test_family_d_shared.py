"""Memory that is not one kernel's alone: of other streams, FFTS+ threads, a session, the pieces of a tensor."""

import numpy as np
from kernel_runs import Workbench
from two_allocators import two_streams

from getrace.events import Event
from getrace.events.allocators import FixedBase
from getrace.events.memory import (
    BirthRecycle,
    FftsAlloc,
    FftsAllocator,
    FftsBatchAlloc,
    FftsBatchFree,
    FftsFree,
    FixedAlloc,
    FixedFree,
    LocalRecycle,
    MemWander,
    SpecifiedAlloc,
    SpecifiedFree,
)
from runtime.kernels.context import Cell
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Placement

HBM = Placement.DEVICE_HBM
PAGE = 65536


def said(bench: Workbench, *kinds: type[Event]) -> list[Event]:
    return [event for event in bench.recorder.events() if isinstance(event, kinds)]


def test_a_block_belongs_to_both_streams_behind_access_mem_cross_stream() -> None:
    streams = two_streams()
    source = GertTensorData()
    source.own(streams.block(0), HBM, 0)
    context = streams.bench.context("AccessMemCrossStream", source, 1)
    streams.said()
    assert streams.bench.run(context) == 0
    seen: GertTensorData = context.output(0)
    assert (seen.addr, seen.stream, seen.block) == (source.addr, 1, source.block)
    address = source.addr
    source.free()
    assert streams.said() == [MemWander(0, 1, address), LocalRecycle(0, address, 0)]


def test_ffts_memory_lies_side_by_side_for_each_thread() -> None:
    bench = Workbench()
    home = bench.allocator()
    made = bench.context("CreateFftsMemAllocator", home, 3)
    assert [bench.run(made), bench.run(made)] == [0, 0]
    assert said(bench, FftsAllocator) == [FftsAllocator("create", 3), FftsAllocator("reuse", 3)]
    one = bench.context("AllocateFftsMem", made.output(0), 100)
    assert bench.run(one) == 0
    base = one.output(0).addresses[0]
    assert one.output(0).addresses == [base, base + PAGE, base + 2 * PAGE]
    info = f"[ window_size:3, block_size:65536, Addrs: 0x{base:x} 0x{base + PAGE:x} 0x{base + 2 * PAGE:x}  ]"
    assert bench.run(bench.context("FreeFftsMem", one.output(0), outputs=0)) == 0
    assert said(bench, FftsAlloc, FftsFree) == [FftsAlloc(info), FftsFree(info)]


def test_ffts_memory_in_a_batch_goes_back_to_level_1_when_it_is_recycled() -> None:
    bench = Workbench()
    home = bench.allocator()
    made = bench.context("CreateFftsMemAllocator", home, 2)
    assert bench.run(made) == 0
    batch = bench.context("AllocateBatchFftsMems", made.output(0), [100, 2 * PAGE])
    assert bench.run(batch) == 0
    infos = [block.info for block in batch.output(0)]
    assert len(set(infos)) == 2
    assert bench.run(bench.context("FreeBatchFftsMems", batch.output(0), outputs=0)) == 0
    wanted = [*map(FftsBatchAlloc, infos), *map(FftsBatchFree, infos)]
    assert said(bench, FftsBatchAlloc, FftsBatchFree) == wanted
    allocator = made.output(0)
    assert allocator.pool.tally.device.occupied == 2 * (PAGE + 2 * PAGE)
    assert bench.run(bench.context("RecycleFftsMems", allocator, outputs=0)) == 0
    assert allocator.pool.tally.device.occupied == 0
    assert bench.run(bench.context("AllocateBatchFftsMems", allocator, [1] * 9)) == 1343225857
    assert bench.said() == ["The alloc count 9 more than output capacity 8"]


def test_fixed_feature_memory_comes_from_the_allocator_of_the_session() -> None:
    bench = Workbench()
    chosen = bench.context("GetUserAllocatorOrFixedBaseAllocator", HBM, 7, bench.stream)
    assert bench.run(chosen) == 0
    memory = bench.context("AllocFixedFeatureMemory", chosen.output(0), 3000, bench.allocator())
    assert bench.run(memory) == 0
    data: GertTensorData = memory.output(0)
    block = data.block
    assert block is not None
    address, handle = data.addr, block.handle
    assert data.size == 3000
    assert bench.run(bench.context("FreeFixedFeatureMemory", data, outputs=0)) == 0
    assert said(bench, FixedBase, FixedAlloc, FixedFree, BirthRecycle) == [
        FixedBase(0, 7, "DeviceHbm"),
        FixedAlloc(handle, address, 3000),
        FixedFree(address),
        BirthRecycle(0, address),
    ]


def test_each_piece_of_a_split_tensor_has_a_block_of_its_own() -> None:
    bench = Workbench()
    home = bench.allocator()
    made = bench.context("AllocSpecifiedMem", home, np.array([100, 70000]).tolist())
    assert bench.run(made) == 0
    pieces: list[GertTensorData] = made.output(0)
    addresses = [piece.addr for piece in pieces]
    assert bench.run(bench.context("FreeSpecifiedMem", Cell(pieces), outputs=0)) == 0
    allocs = [event for event in said(bench, SpecifiedAlloc) if isinstance(event, SpecifiedAlloc)]
    assert [(event.addr, event.size, event.index) for event in allocs] == [
        (addresses[0], PAGE, 0),
        (addresses[1], 2 * PAGE, 1),
    ]
    assert said(bench, SpecifiedFree) == [SpecifiedFree(0, addresses[0]), SpecifiedFree(1, addresses[1])]
    assert said(bench, BirthRecycle) == [BirthRecycle(0, address) for address in addresses]
