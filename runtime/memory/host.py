"""Host memory for kernels: no cache, each block is one piece of the host's heap (spec/execution.md 5.6)."""

from dataclasses import dataclass

from runtime.memory.lower import Driver
from runtime.memory.span import MemBlock

_ALLOCATOR_OBJECT = 0x40
_BLOCK_OBJECT = 0x40


@dataclass(slots=True)
class HostBlock:
    """A piece of the heap with the number of its owners."""

    handle: int
    addr: int
    size: int
    count: int = 1


class HostMemAllocator:
    """``HostMemAllocator``. ``heap`` gives and takes host bytes, ``driver`` the pointers of the block objects."""

    def __init__(self, heap: Driver) -> None:
        self.name = "host_allocator"
        self.handle = heap.pointer(_ALLOCATOR_OBJECT)
        self.stream = 0
        self._heap = heap

    def set_stream(self, stream: int) -> None:
        """Remember the stream; host memory does not need it."""
        self.stream = stream

    def malloc(self, size: int) -> HostBlock | None:
        """Give a block of exactly ``size`` bytes."""
        address = self._heap.malloc(max(size, 1))
        if address is None:
            return None
        return HostBlock(self._heap.pointer(_BLOCK_OBJECT), address, size)

    def share(self, block: MemBlock) -> None:
        """Add an owner to a block."""
        assert isinstance(block, HostBlock)
        block.count += 1

    def free(self, block: MemBlock) -> None:
        """Take one owner off a block; without owners the bytes go back to the heap."""
        assert isinstance(block, HostBlock)
        block.count -= 1
        if block.count == 0:
            self._heap.free(block.addr)
