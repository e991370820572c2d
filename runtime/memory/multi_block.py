"""``MultiStreamMemBlock``: a block that several streams may use, and what each of them knows about the others.

A block object outlives the memory under it: it is handed out again with a higher version. An event that still names an
old life is told from the new one by that number only (spec/execution.md 5.7).
"""

from enum import Enum, auto
from typing import NamedTuple, Protocol

from getrace.errors import InternalError
from runtime.memory.l2 import BlockSource
from runtime.memory.mif import Mif
from runtime.memory.span import MemBlock


class BlockKind(Enum):
    """``alloc_type_``: memory of the pool, or of a caller's tensor (``kTensorDataWrapped``)."""

    NORM = auto()
    TENSOR_DATA = auto()


class View(NamedTuple):
    """What one observer knew at one moment: its word, and how often each stream had been given the block by then."""

    word: int
    accesses: tuple[int, ...]


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
    """A block object. ``held`` is None while it lies in its allocator's store of spare objects."""

    __slots__ = ("accesses", "counts", "handle", "held", "home", "is_borrowed", "kind", "mif", "source", "version")

    def __init__(self, handle: int, home: BlockHome, streams: int) -> None:
        self.handle = handle
        self.home = home
        self.version = 0
        self.kind = BlockKind.NORM
        self.held: MemBlock | None = None
        self.source: BlockSource | None = None
        self.mif = Mif(streams)
        self.counts = [0] * streams
        self.accesses = [0] * streams
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
        self.share(self.birth)
        return True

    def end(self) -> tuple[BlockSource, MemBlock]:
        """End a life and give what was under it."""
        source, block = self.level1, self.block
        self.held = self.source = None
        self.next_life()
        return source, block

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
        self.accesses[stream] += 1
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

    def view(self, observer: int) -> "View":
        """What an observer knows now, for an event to carry."""
        return View(self.mif.word(observer), tuple(self.accesses))

    def learn(self, target: int, view: "View") -> None:
        """``SyncLocalRecycleStatus``: ``target`` learns what the sender of an event knew when it sent it.

        GE takes what the sender knows by now. By then it may have learned from events of its own, or have used the
        block again, and the event that was waited for covers neither: the block would be given away too early.
        """
        used_since = sum(
            1 << stream
            for stream, (was, now) in enumerate(zip(view.accesses, self.accesses, strict=True))
            if was != now
        )
        self.mif.learn(target, view.word | used_since)
        if self.mif.is_clear(target):
            self.free(target)

    def learn_from_all(self, target: int) -> None:
        """``SyncAllLocalRecycleStatus``: ``target`` has waited for every stream; the first clear view ends the life."""
        for source in range(len(self.counts)):
            if source != target:
                self.mif.learn(target, self.mif.word(source))
                if self.mif.is_clear(target):
                    self.free(target)
                    return
