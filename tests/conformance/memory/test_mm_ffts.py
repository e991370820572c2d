"""The kernels for memory of FFTS+ threads: one block for each thread of a window (spec/execution.md 5.9)."""

from typing import Any

from kernel_runs import Workbench

from getrace.events.memory import FftsAlloc, FftsAllocator, FftsBatchAlloc, FftsBatchFree, FftsFree
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.ffts import FftsMemAllocator, FftsMemBlock

PARAM_INVALID = 1343225857
PAGE = 64 << 10


def run(bench: Workbench, kernel: str, *inputs: Any) -> Any:
    context = bench.context(kernel, *inputs)
    assert bench.run(context) == 0
    return context.output(0)


def test_the_blocks_of_a_window_lie_side_by_side_and_go_back_at_a_recycle() -> None:
    bench = Workbench()
    home = bench.allocator()
    assert isinstance(home.level1, CachingMemAllocator)
    allocator: FftsMemAllocator = run(bench, "CreateFftsMemAllocator", home, 3)
    block: FftsMemBlock = run(bench, "AllocateFftsMem", allocator, 100)
    first = block.addresses[0]
    assert block.addresses == [first, first + PAGE, first + 2 * PAGE]
    run(bench, "FreeFftsMem", block)
    held = len(home.level1.pool.tally.occupied)
    run(bench, "RecycleFftsMems", allocator)
    assert (held, len(home.level1.pool.tally.occupied)) == (1, 0)
    events = [event for event in bench.recorder.events() if isinstance(event, FftsAllocator | FftsAlloc | FftsFree)]
    assert [type(event) for event in events] == [FftsAllocator, FftsAlloc, FftsFree]
    assert events[0] == FftsAllocator("create", 3)


def test_an_allocator_of_the_same_window_is_kept_and_another_one_made_anew() -> None:
    bench = Workbench()
    context = bench.context("CreateFftsMemAllocator", bench.allocator(), 2)
    assert bench.run(context) == 0
    first = context.output(0)
    assert bench.run(context) == 0
    assert context.output(0) is first
    context.inputs[1].value = 4
    assert bench.run(context) == 0
    assert context.output(0) is not first
    said = [event.how for event in bench.recorder.events() if isinstance(event, FftsAllocator)]
    assert said == ["create", "reuse", "create"]


def test_a_batch_has_eight_blocks_at_most() -> None:
    bench = Workbench()
    allocator = run(bench, "CreateFftsMemAllocator", bench.allocator(), 2)
    blocks: list[FftsMemBlock] = run(bench, "AllocateBatchFftsMems", allocator, [16] * 8)
    addresses = [address for block in blocks for address in block.addresses]
    assert (len(addresses), len(set(addresses))) == (16, 16)
    run(bench, "FreeBatchFftsMems", blocks)
    assert blocks == []
    kinds = [type(event) for event in bench.recorder.events() if isinstance(event, FftsBatchAlloc | FftsBatchFree)]
    assert kinds == [FftsBatchAlloc] * 8 + [FftsBatchFree] * 8
    refused = bench.context("AllocateBatchFftsMems", allocator, [16] * 9)
    assert bench.run(refused) == PARAM_INVALID
    assert bench.said() == ["The alloc count 9 more than output capacity 8"]
