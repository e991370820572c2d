"""``MultiStreamMemBlock``: a block that several streams may use, and what each of them knows about the others.

A block object outlives the memory under it: it is handed out again with a higher version. An event that still names an
old life is told from the new one by that number only (spec/execution.md 5.7).
"""

from enum import Enum, auto
from typing import Protocol

from getrace.errors import InternalError
from runtime.memory.device_order import DeviceOrder
from runtime.memory.l2 import BlockSource
from runtime.memory.mif import Mif
from runtime.memory.span import MemBlock


class BlockKind(Enum):
    """``alloc_type_``: memory of the pool, or of a caller's tensor (``kTensorDataWrapped``)."""

    NORM = auto()
    TENSOR_DATA = auto()


class BlockHome(Protocol):
    """The allocator on whose stream a block was born."""

    stream: int

    def free_at(self, stream: int, block: "MultiStreamMemBlock") -> None:
        """``FreeAt``: take one owner of a stream off, by the rules of that stream's allocator."""

    def move_to_level1(self, block: "MultiStreamMemBlock") -> bool:
        """Take the memory of a block out of the pool."""

    def fail(self, text: str) -> None:
        """Print an error about a block."""


class MultiStreamMemBlock:
    """A block object. ``held`` is None while it lies in its allocator's store of spare objects.

    ``used`` says for each stream when it last finished with the memory, in moments of that stream.
    """

    __slots__ = ("counts", "handle", "held", "home", "is_borrowed", "kind", "mif", "source", "used", "version")

    def __init__(self, handle: int, home: BlockHome, streams: int) -> None:
        self.handle = handle
        self.home = home
        self.version = 0
        self.kind = BlockKind.NORM
        self.held: MemBlock | None = None
        self.source: BlockSource | None = None
        self.mif = Mif(streams)
        self.counts = [0] * streams
        self.used: dict[int, int] = {}
        self.is_borrowed = False

    @property
    def birth(self) -> int:
        """The logical stream it was born on."""
        return self.home.stream

    @property
    def addr(self) -> int:
        """Where its bytes begin."""
        return self.block.addr

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.block.size

    @property
    def block(self) -> MemBlock:
        """The memory under it. Raises InternalError for a spare object."""
        if self.held is None:
            raise InternalError(f"block 0x{self.handle:x} was used after its end")
        return self.held

    @property
    def level1(self) -> BlockSource:
        """Who takes the memory back."""
        assert self.source is not None
        return self.source

    def begin(self, source: BlockSource, block: MemBlock, kind: BlockKind) -> bool:
        """``ReInit``: start a new life on the birth stream. False, with GE's error, when the last one has not ended."""
        if self.held is not None:
            self.home.fail(
                "Failed to ReInit GertMemBlock, origin mem_block is not cleared, this may cased memory leaks"
            )
            return False
        self.source, self.held, self.kind = source, block, kind
        self.forget()
        self.used.clear()
        self.share(self.birth)
        return True

    def begin_again(self, stream: int) -> None:
        """Start a new life on the stream that had borrowed the memory; the birth stays what it was."""
        self.is_borrowed = False
        self.used.clear()
        self.share(stream)

    def end(self) -> tuple[BlockSource, MemBlock]:
        """End a life and give what was under it."""
        source, block = self.level1, self.block
        self.held = self.source = None
        self.next_life()
        return source, block

    def is_done_for(self, order: DeviceOrder) -> bool:
        """Whether the device has finished with the last life before a stream of this order can touch the memory."""
        return all(order.covers(stream, moment) for stream, moment in self.used.items())

    def next_life(self) -> None:
        """Make whatever events still say about the block void (``version++``)."""
        self.version += 1
        self.forget()

    def forget(self) -> None:
        """Nobody uses the block, and everybody knows."""
        self.is_borrowed = False
        self.mif.reset()
        self.counts = [0] * len(self.counts)

    def share(self, stream: int) -> None:
        """Add an owner on a stream; all observers know at once."""
        self.counts[stream] += 1
        self.mif.set_all(stream)

    def wander(self, source: int, target: int) -> bool:
        """``NewAccessStream``. False when one of them is no stream of the model."""
        streams = range(len(self.counts))
        if source not in streams or target not in streams:
            return False
        self.share(target)
        return True

    def free(self, stream: int) -> None:
        """Take one owner of a stream off."""
        self.home.free_at(stream, self)

    def move_to_level1(self) -> bool:
        """Take the memory out of its pool; nothing to do for a caller's memory."""
        return self.kind is BlockKind.TENSOR_DATA or self.home.move_to_level1(self)

    def learn(self, source: int, target: int) -> None:
        """``SyncLocalRecycleStatus``: ``target`` has waited for ``source`` and learns what that knows."""
        self.mif.merge_cleared(source, target)
        if self.mif.is_clear(target):
            self.free(target)

    def learn_from_all(self, target: int) -> None:
        """``SyncAllLocalRecycleStatus``: ``target`` has waited for every stream; the first clear view ends the life."""
        for source in range(len(self.counts)):
            if source != target:
                self.mif.merge_cleared(source, target)
                if self.mif.is_clear(target):
                    self.free(target)
                    return
