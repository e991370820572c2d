"""Level 2 with one stream: a thin shell that turns a level-1 block into a block with an owner count per stream.

With one stream the last owner's release ends the block's life at once (``BirthRecycle``), so Free and Recycle stand
next to each other in a log (spec/execution.md 5.7, kerneltrace.md 10.3).
"""

from dataclasses import dataclass

from getrace.errors import InternalError
from getrace.events.memory import BirthRecycle
from runtime.memory.journal import Journal
from runtime.memory.l2 import BlockSource, Level1
from runtime.memory.lower import Driver
from runtime.memory.span import MemBlock
from runtime.values import Placement

_ALLOCATOR_OBJECT = 0xA0
_BLOCK_OBJECT = 0xF0
_STREAM = 0


@dataclass(slots=True)
class SingleStreamBlock:
    """A level-1 block in use. ``count`` owners on stream 0; ``is_own`` unless it is a caller's."""

    handle: int
    home: "SingleStreamL2Allocator"
    level1: BlockSource
    block: MemBlock
    addr: int
    size: int
    count: int = 1
    is_own: bool = False

    def share(self, stream: int) -> None:
        """Add an owner."""
        self.home.check_stream(stream)
        self.count += 1

    def wander(self, source: int, target: int) -> bool:
        """Refuse: there is no other stream."""
        return (source, target) == (self.home.stream, self.home.stream)

    def free(self, stream: int) -> None:
        """Take one owner off."""
        self.home.free(self, stream)

    def move_to_level1(self) -> bool:
        """Do nothing: the memory is level 1's."""
        return True


class SingleStreamL2Allocator:
    """The allocator of logical stream 0; ``level1`` is bound by a kernel before the first use.

    ``used_bytes`` is what its blocks hold between Alloc and Recycle; callers' memory is no part of it.
    """

    stream = _STREAM

    def __init__(self, journal: Journal, driver: Driver, placement: Placement = Placement.DEVICE_HBM) -> None:
        self.handle = driver.pointer(_ALLOCATOR_OBJECT)
        self.placement = placement
        self.level1: Level1 | None = None
        self._journal = journal
        self._driver = driver
        self.used_bytes = 0
        self._alive: dict[int, SingleStreamBlock] = {}
        self._spare: list[SingleStreamBlock] = []

    def bind(self, level1: Level1, rt_stream: int) -> None:  # noqa: ARG002 - level 1 has been told the stream
        """Set the level 1 of the coming run."""
        self.level1 = level1

    def malloc(self, size: int) -> SingleStreamBlock | None:
        """Give a block of at least ``size`` bytes, or None when level 1 has none."""
        if self.level1 is None:
            raise InternalError("the level-2 allocator was used before its level-1 allocator was set")
        block = self.level1.malloc(size)
        if block is None:
            return None
        wrapper = self._wrap(self.level1, block)
        wrapper.is_own = True
        self.used_bytes += wrapper.size
        return wrapper

    def share_from(self, level1: BlockSource, block: MemBlock) -> SingleStreamBlock:
        """Become one more owner of a caller's block (``ShareFromTensorData``); its Recycle line lets go of it."""
        level1.share(block)
        return self._wrap(level1, block)

    def free(self, block: SingleStreamBlock, stream: int) -> None:
        """Take one owner off a block. The last one recycles it: the line first, then level 1's own."""
        self.check_stream(stream)
        if block.count > 0:
            block.count -= 1
            if block.count == 0:
                self._birth_recycle(block)

    def check_stream(self, stream: int) -> None:
        """Refuse a stream other than 0, which this allocator does not know."""
        if stream != _STREAM:
            raise InternalError(f"a block of stream 0 was touched by stream {stream}")

    def close(self) -> None:
        """Recycle what is still in use, as the destructor does."""
        for block in list(self._alive.values()):
            self._birth_recycle(block)

    def _wrap(self, level1: BlockSource, block: MemBlock) -> SingleStreamBlock:
        if self._spare:
            wrapper = self._spare.pop()
            wrapper.level1, wrapper.block = level1, block
            wrapper.addr, wrapper.size, wrapper.count = block.addr, block.size, 1
        else:
            handle = self._driver.pointer(_BLOCK_OBJECT)
            wrapper = SingleStreamBlock(handle, self, level1, block, block.addr, block.size)
        self._alive[wrapper.handle] = wrapper
        return wrapper

    def _birth_recycle(self, block: SingleStreamBlock) -> None:
        self._journal.say(BirthRecycle(_STREAM, block.addr), "")
        del self._alive[block.handle]
        if block.is_own:
            block.is_own = False
            self.used_bytes -= block.size
        block.count = 0
        block.level1.free(block.block)
        self._spare.append(block)
