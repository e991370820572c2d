"""What kernels see of level 2: an allocator per logical stream, and its blocks (spec/execution.md 5.1, 5.7).

Kernels and tensor data know these protocols only. If they knew the two kinds of allocators, each of them would decide
by itself how many streams a model has.
"""

from typing import Protocol

from runtime.memory.span import MemBlock
from runtime.values import Placement


class BlockSource(Protocol):
    """Whoever takes a block of memory back: level 1, a pool of level 2, or the owner of a caller's tensor."""

    def share(self, block: MemBlock) -> None:
        """Add an owner to a block."""

    def free(self, block: MemBlock) -> None:
        """Take one owner off a block."""


class Level1(BlockSource, Protocol):
    """``ge::Allocator`` as level 2 sees it. ``name`` is what ``set l1 allocator`` prints: ``allocator_6``."""

    handle: int

    @property
    def name(self) -> str:
        """Its name among the allocators of the process."""

    def malloc(self, size: int) -> MemBlock | None:
        """Give a block with one owner, or None."""

    def set_stream(self, stream: int) -> None:
        """Bind the stream that is synchronised when memory runs out."""


class GertMemBlock(Protocol):
    """``GertMemBlock``: a block in use, with a count of owners per logical stream.

    ``block`` is the memory under it and ``level1`` whoever takes that back; a public tensor that outlives the run
    becomes a co-owner of ``block`` there.
    """

    @property
    def handle(self) -> int:
        """The pointer of the block object."""

    @property
    def addr(self) -> int:
        """Where its bytes begin."""

    @property
    def size(self) -> int:
        """Its bytes."""

    @property
    def block(self) -> MemBlock:
        """The memory under it."""

    @property
    def level1(self) -> BlockSource:
        """Who takes the memory back."""

    def share(self, stream: int) -> None:
        """Add an owner on a stream."""

    def wander(self, source: int, target: int) -> bool:
        """``NewAccessStream``: the block of stream ``source`` is used on ``target``, too. False for a wrong stream."""

    def free(self, stream: int) -> None:
        """Take one owner of a stream off."""

    def move_to_level1(self) -> bool:
        """``MoveL2ToL1``: take the memory out of its pool, so that it may outlive the allocator. False: no memory."""


class GertAllocator(Protocol):
    """``GertAllocator``: the level-2 allocator of the logical stream ``stream``."""

    handle: int
    stream: int
    placement: Placement

    @property
    def level1(self) -> Level1 | None:
        """The level-1 allocator of the current run, or None before the first."""

    def malloc(self, size: int) -> GertMemBlock | None:
        """Give a block of at least ``size`` bytes, or None when there is none."""

    def share_from(self, level1: BlockSource, block: MemBlock) -> GertMemBlock:
        """``ShareFromTensorData``: become one more owner of a caller's block."""

    def bind(self, level1: Level1, rt_stream: int) -> None:
        """Set level 1 and the stream of the runtime, as SelectL2Allocator does on every run."""

    def close(self) -> None:
        """Recycle what is still in use, as the destructor does."""
