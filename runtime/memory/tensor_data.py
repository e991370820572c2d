"""Who owns the bytes of a tensor inside the runtime, and how they leave it (spec/execution.md 5.2)."""

from dataclasses import dataclass

from getrace.errors import InternalError
from runtime.memory.journal import pointer_text
from runtime.memory.l2 import BlockSource, GertAllocator, GertMemBlock
from runtime.memory.span import MemBlock
from runtime.values import Placement, TensorData

NO_STREAM = -1


@dataclass(slots=True)
class GertTensorData:
    """The runtime's tensor data. With a block it is one of the block's owners; without one the bytes are borrowed."""

    addr: int = 0
    size: int = 0
    placement: Placement = Placement.END
    stream: int = NO_STREAM
    block: GertMemBlock | None = None

    def own(self, block: GertMemBlock, placement: Placement, stream: int, size: int | None = None) -> None:
        """Become the owner of a block; what was owned before is released now."""
        self.free()
        self.addr, self.placement, self.stream, self.block = block.addr, placement, stream, block
        self.size = block.size if size is None else size

    def refer(self, addr: int, size: int, placement: Placement, stream: int) -> None:
        """Point to memory of somebody else; what was owned before is released now."""
        self.free()
        self.addr, self.size, self.placement, self.stream = addr, size, placement, stream

    def free(self) -> None:
        """Stop owning. Without a block nothing changes; size and placement stay in either case."""
        if self.block is not None:
            block, stream = self.block, self.stream
            self.addr, self.block, self.stream = 0, None, NO_STREAM
            block.free(stream)

    def free_hold_addr(self) -> None:
        """``FreeHoldAddr``: the same, but the address stays for consumers that only need its value."""
        address = self.addr
        self.free()
        self.addr = address

    def share_from(self, other: "GertTensorData") -> None:
        """Become one more owner of what ``other`` has."""
        if (self.addr, self.block, self.stream) == (other.addr, other.block, other.stream):
            return
        self.free()
        self.addr, self.size, self.placement = other.addr, other.size, other.placement
        self.stream, self.block = other.stream, other.block
        if other.block is not None:
            other.block.share(other.stream)

    def refuse_wander(self, other: "GertTensorData", stream: int) -> str:
        """Give GE's text when ``other`` cannot be used on a stream by this one, else ""."""
        if other.stream in (self.stream, stream):
            return f"Failed to wander for tensor data {pointer_text(self.addr)}, the same stream {other.stream}"
        if self.block is not None and self.stream != stream:
            text = f"{pointer_text(self.addr)}, the dst data need free, but stream not match {self.stream}, {stream}"
            return f"Failed to wandering tensor data {text}"
        return ""

    def wander_from(self, other: "GertTensorData", stream: int) -> None:
        """``WanderFrom``: use what ``other`` has on another stream, too. What an aborted run left here is released.

        Raises InternalError for streams that the model has not.
        """
        if other.block is not None and not other.block.wander(other.stream, stream):
            raise InternalError(f"no block wanders from stream {other.stream} to {stream}")
        self.free()
        self.addr, self.size, self.placement = other.addr, other.size, other.placement
        self.stream, self.block = stream, other.block


@dataclass(slots=True)
class BlockOwner:
    """The manager of a public TensorData: one owner of a level-1 block, so an output outlives the run."""

    level1: BlockSource
    block: MemBlock

    def free(self) -> None:
        """Stop owning."""
        self.level1.free(self.block)


def take_in(source: TensorData, target: GertTensorData, home: GertAllocator, placement: Placement) -> None:
    """``ShareTensorToGtd``: co-own what a manager owns, so that the caller may let go of it, or borrow the rest."""
    owner = source.manager
    if isinstance(owner, BlockOwner):
        target.own(home.share_from(owner.level1, owner.block), placement, home.stream, source.size)
    else:
        target.refer(source.addr, source.size, placement, home.stream)


def give_out(source: GertTensorData, target: TensorData) -> None:
    """``ShareGtdToTd``: let a public TensorData co-own the block under ``source``, or borrow what it borrows."""
    release(target)
    if source.block is not None:
        source.block.level1.share(source.block.block)
        target.manager = BlockOwner(source.block.level1, source.block.block)
    target.addr, target.size, target.placement = source.addr, source.size, source.placement


def release(data: TensorData) -> None:
    """``TensorData::Free``: stop owning; without a manager the address stays."""
    if isinstance(data.manager, BlockOwner):
        owner, data.manager, data.addr = data.manager, None, 0
        owner.free()
