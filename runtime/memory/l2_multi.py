"""Level 2 with several streams: what it means that a stream has finished with a block (spec/execution.md 5.7).

A stream frees a block when it has queued its last use of it. Three things can follow, by what this stream knows of the
others: the block goes back to the pool of its birth (Recycle), it stays here for this stream alone (Borrow-recycle),
or it waits until events have told who else is done (Local-recycle).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from getrace.errors import InternalError
from getrace.events import Level
from getrace.events.memory import BirthRecycle, BorrowRecycle, LocalRecycle
from getrace.events.pools import AllocatorMade, MemoryPressure
from getrace.events.text import LogLine
from runtime.memory.borrow import BorrowAllocator
from runtime.memory.device_order import DeviceOrder
from runtime.memory.journal import pointer_text
from runtime.memory.l2 import BlockSource, Level1
from runtime.memory.l2_pool import L2MemPool
from runtime.memory.local_recycle import LocalRecycleList, VersionBlock
from runtime.memory.mif import MAX_STREAMS
from runtime.memory.multi_block import BlockKind, MultiStreamMemBlock
from runtime.memory.process import ProcessMemory
from runtime.memory.span import MemBlock, PageSpan
from runtime.values import Placement

_ALLOCATOR_OBJECT = 0x1F0
_BLOCK_OBJECT = 0xF0
_DROPPED: Final = ("multi_stream_l2_allocator.cc", 0, "GetClearLocalRecycleBlocks")
_REINIT: Final = ("multi_stream_mem_block.cc", 0, "ReInit")
_PARAM_INVALID: Final = 50331649
"""``GRAPH_PARAM_INVALID``."""

CopyBlock = Callable[[int, int, int, int], None]
"""Queue a copy inside the device: stream of the runtime, target, source, bytes."""


class MultiStreamL2Allocator:
    """The allocator of logical stream ``stream`` among ``streams``.

    ``used_bytes`` is what blocks born here hold between Alloc and Recycle; callers' memory is no part of it.
    """

    def __init__(
        self,
        process: ProcessMemory,
        synchronize: Callable[[int], int],
        copy: CopyBlock,
        *,
        stream: int,
        streams: int,
        placement: Placement = Placement.DEVICE_HBM,
    ) -> None:
        if not 0 <= stream < streams <= MAX_STREAMS:
            raise InternalError(f"stream {stream} of {streams}: at most {MAX_STREAMS} streams have an allocator")
        self.handle = process.driver.pointer(_ALLOCATOR_OBJECT)
        self.stream = stream
        self.streams = streams
        self.placement = placement
        self.own = L2MemPool(process, synchronize)
        self.borrowed = BorrowAllocator()
        self.order = DeviceOrder(stream, streams)
        self.local = LocalRecycleList(stream, streams, self._dropped)
        self.peers: Sequence[MultiStreamL2Allocator] = ()
        self._journal = process.journal
        self._pointer = process.driver.pointer
        self._copy = copy
        self._resting: list[MultiStreamMemBlock] = []
        self.used_bytes = 0
        self._alive: dict[MultiStreamMemBlock, None] = {}
        self._spare: list[MultiStreamMemBlock] = []

    @property
    def level1(self) -> Level1 | None:
        """The level-1 allocator of this run, or None before the first."""
        return self.own.source.level1

    @property
    def rt_stream(self) -> int:
        """The stream of the runtime."""
        return self.own.source.rt_stream

    def meet(self, peers: "Sequence[MultiStreamL2Allocator]", pools: Sequence[L2MemPool]) -> None:
        """Learn the allocators of all streams, by stream, and the pools to ask when level 1 has nothing left."""
        self.peers = peers
        self.own.source.pools = pools

    def bind(self, level1: Level1, rt_stream: int) -> None:
        """Set level 1 and the stream of the runtime."""
        self.own.bind(level1, rt_stream)

    def malloc(self, size: int) -> MultiStreamMemBlock | None:
        """Give a block of the own pool, else the smallest borrowed one that is large enough, else None."""
        self._wake()
        span = self.own.malloc(size)
        if span is not None:
            self.used_bytes += span.size
            return self._wrap(self.own, span, BlockKind.NORM)
        self._journal.say(MemoryPressure("malloc memory not success, try to use borrow block", ""))
        block = self.borrowed.alloc(size, self.order)
        if block is not None:
            block.begin_again(self.stream)
        return block

    def share_from(self, level1: BlockSource, block: MemBlock) -> MultiStreamMemBlock:
        """Become one more owner of a caller's block, born on this stream."""
        level1.share(block)
        return self._wrap(level1, block, BlockKind.TENSOR_DATA)

    def free_at(self, stream: int, block: MultiStreamMemBlock) -> None:
        """Take one owner of a stream off, by the rules of that stream's allocator."""
        if stream == self.stream:
            self.free(block)
        else:
            self.peers[stream].free(block)

    def free(self, block: MultiStreamMemBlock) -> None:
        """Take one owner of this stream off; what follows depends on what this stream knows."""
        finished = False
        block.used[self.stream] = self.order.now
        if block.counts[self.stream] > 0:
            block.counts[self.stream] -= 1
            if block.counts[self.stream] == 0:
                finished = True
                block.mif.clear(self.stream, self.stream)
        if block.mif.is_clear(self.stream):
            if block.birth == self.stream:
                self.birth_recycle(block)
            else:
                self._borrow_recycle(block)
        elif finished:
            self._journal.say(LocalRecycle(self.stream, block.addr, block.birth), "")
            self.local.push(block)

    def birth_recycle(self, block: MultiStreamMemBlock) -> bool:
        """End the life of a block that was born here. False, with GE's error, when it has ended before."""
        if block.held is None:
            text = f"{pointer_text(block.handle)}, the block maybe already recycled"
            self._journal.say(MemoryPressure("Failed to birth recycle block ", text), level=Level.ERROR)
            return False
        self._journal.say(BirthRecycle(self.stream, block.addr), "")
        home = block.home
        assert isinstance(home, MultiStreamL2Allocator)
        home.take_back(block)
        return True

    def take_back(self, block: MultiStreamMemBlock) -> None:
        """Give a block's memory back and keep its object for the next life."""
        del self._alive[block]
        if block.kind is BlockKind.NORM:
            self.used_bytes -= block.size
        if block.kind is BlockKind.NORM and not block.is_done_for(self.order):
            block.next_life()
            self._resting.append(block)
        else:
            self._end(block)

    def _end(self, block: MultiStreamMemBlock) -> None:
        source, memory = block.end()
        source.free(memory)
        self._spare.append(block)

    def _wake(self, *, everything: bool = False) -> None:
        """Give back the memory of blocks that have ended and that the device has finished with by now."""
        resting, self._resting = self._resting, []
        for block in resting:
            if everything or block.is_done_for(self.order):
                self._end(block)
            else:
                self._resting.append(block)

    def told(self, target: int) -> Iterator[VersionBlock]:
        """``GetClearLocalRecycleBlocks``: what an event to ``target`` has to say, once."""
        return self.local.told(target)

    def take_borrowed(self, birth: int) -> list[MultiStreamMemBlock]:
        """``GetAndClearBorrowBlocks``: the blocks that an event takes home to the stream of their birth."""
        return self.borrowed.take(birth)

    def recycle_free_memory(self) -> None:
        """``RecycleFreeMem``: give idle pages to level 1, behind the end of a run.

        All streams have been waited for, and the next run begins behind that: nothing needs to rest any longer.
        """
        self._wake(everything=True)
        text = f"{self.stream}'s l2 allocator will recycle free memory, stream addr {pointer_text(self.rt_stream)}"
        self._journal.say(AllocatorMade("stream id ", text))
        self.own.pool.recycle()

    def move_to_level1(self, block: MultiStreamMemBlock) -> bool:
        """Take a block's memory out of the pool: as it is when the span is whole, else as a copy in new memory."""
        if not isinstance(block.block, PageSpan) or block.source is not self.own:
            return True
        span, level1 = block.block, self.own.source.bound
        root = self.own.pool.convert_to_root(span)
        if root is None:
            root = level1.malloc(span.size)
            if root is None:
                return False
            self._copy(self.rt_stream, root.addr, span.addr, span.size)
            old, new = pointer_text(span.handle), pointer_text(root.handle)
            text = f"{old} addr 0x{span.addr:x} is split, it has been moved to L1 block {new} addr 0x{root.addr:x}"
            self._journal.say(MemoryPressure("l2 block ", text))
            self.own.free(span)
        block.source, block.held = level1, root
        return True

    def fail(self, text: str) -> None:
        """Print an error about a block."""
        self._journal.error(_REINIT, text, _PARAM_INVALID)

    def close(self) -> None:
        """The destructor: recycle by force what is still in use, then give all pages to level 1."""
        for block in list(self._alive):
            text = f"{pointer_text(block.handle)} address 0x{block.addr:x} does not recycled when l2 allocator "
            event = MemoryPressure("The block ", f"{text}destructing, will be recycled force")
            self._journal.say(event, level=Level.WARNING)
            self.birth_recycle(block)
        self._wake(everything=True)
        self.own.close()

    def _wrap(self, source: BlockSource, memory: MemBlock, kind: BlockKind) -> MultiStreamMemBlock:
        if self._spare:
            block = self._spare.pop()
        else:
            block = MultiStreamMemBlock(self._pointer(_BLOCK_OBJECT), self, self.streams)
        started = block.begin(source, memory, kind)
        assert started
        self._alive[block] = None
        return block

    def _borrow_recycle(self, block: MultiStreamMemBlock) -> None:
        if block.is_borrowed:
            raise InternalError(f"block 0x{block.handle:x} was recycled twice on stream {self.stream}")
        self._journal.say(BorrowRecycle(self.stream, block.addr, block.birth), "")
        block.next_life()
        block.is_borrowed = True
        self.borrowed.put(block)

    def _dropped(self, block: MultiStreamMemBlock) -> None:
        """GE prints this with the two values swapped (9.19): the stream as a pointer, the block as a number."""
        text = f"Drop local-recycle block {pointer_text(self.stream)} on stream {block.handle}, "
        self._journal.say(LogLine("GE", *_DROPPED, f"{text}the block has a newer version"), level=Level.DEBUG)


def reclaim(allocators: Sequence[MultiStreamL2Allocator]) -> None:
    """What LastWaitEvents does once all streams have been waited for: every block goes home, every page to level 1.

    The next run begins behind that on all streams, so all of them have seen everything.
    """
    everything = tuple(map(max, zip(*(allocator.order.sent() for allocator in allocators), strict=True)))
    for allocator in allocators:
        allocator.order.waited(everything)
    for allocator in allocators:
        for block in allocator.local.told_to_all():
            block.learn_from_all(block.birth)
        for block in allocator.borrowed.take_all():
            allocator.peers[block.birth].birth_recycle(block)
    for allocator in allocators:
        allocator.recycle_free_memory()
