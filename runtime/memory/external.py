"""An allocator made of a caller's functions (``CreateExternalAllocator``, spec/execution.md 3.2).

GE calls the advise function under a lock and falls back to Malloc, which takes the lock again (9.15); here the fall
back takes place outside of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from getrace.errors import InternalError
from getrace.events import Level
from getrace.events.pools import AllocatorMade, MemoryPressure
from runtime.memory.journal import pointer_text
from runtime.memory.process import ProcessMemory
from runtime.memory.span import MemBlock

_ALLOCATOR_OBJECT = 0x60
_BLOCK_OBJECT = 0x40


@dataclass(frozen=True, slots=True)
class AllocatorDesc:
    """``AllocatorDesc``: the caller's functions. ``obj`` is the caller's and is handed to each of them.

    ``alloc_func(obj, size)`` gives a raw block or None, ``free_func(obj, raw)`` takes it back,
    ``get_addr_from_block_func(raw)`` says where it begins; ``alloc_advise_func(obj, size, addr)`` may be None.
    """

    obj: Any
    alloc_func: Callable[[Any, int], Any]
    free_func: Callable[[Any, Any], object]
    get_addr_from_block_func: Callable[[Any], int]
    alloc_advise_func: Callable[[Any, int, int], Any] | None = None


@dataclass(slots=True)
class ExternalBlock:
    """A raw block of the caller's with its owners."""

    handle: int
    addr: int
    size: int
    raw: Any
    count: int = 1


class ExternalAllocator:
    """``ExternalAllocator``; ``is_settled`` says whether a stream of the runtime has been synchronised."""

    def __init__(self, desc: AllocatorDesc, process: ProcessMemory, is_settled: Callable[[int], bool]) -> None:
        self.handle = process.driver.pointer(_ALLOCATOR_OBJECT)
        self.name = "external_allocator"
        self.stream = 0
        self._desc = desc
        self._journal = process.journal
        self._pointer = process.driver.pointer
        self._is_settled = is_settled
        self._lock = Lock()
        self._alive: dict[int, ExternalBlock] = {}

    def set_stream(self, stream: int) -> None:
        """Bind the stream that uses the memory."""
        self.stream = stream

    def malloc(self, size: int) -> ExternalBlock | None:
        """Ask the caller for a block."""
        with self._lock:
            raw = self._desc.alloc_func(self._desc.obj, size)
        return self._wrapped(raw, size)

    def malloc_advise(self, size: int, addr: int) -> ExternalBlock | None:
        """Ask for a block at an address if the caller can, else for any."""
        advise = self._desc.alloc_advise_func
        if advise is None:
            return self.malloc(size)
        with self._lock:
            raw = advise(self._desc.obj, size, addr)
        return self._wrapped(raw, size)

    def share(self, block: MemBlock) -> None:
        """Add an owner to a block."""
        assert isinstance(block, ExternalBlock)
        block.count += 1

    def free(self, block: MemBlock) -> None:
        """Take one owner off a block; without owners it goes back to the caller."""
        assert isinstance(block, ExternalBlock)
        block.count -= 1
        if block.count == 0:
            del self._alive[block.handle]
            text = f"{pointer_text(block.handle)}."
            what = "Free the block which malloc by external allocator, block:"
            self._journal.say(AllocatorMade(what, text), level=Level.DEBUG)
            with self._lock:
                self._desc.free_func(self._desc.obj, block.raw)

    def close(self) -> None:
        """End it. Raises InternalError with blocks in use or before the stream is synchronised (seed 000, 6.2)."""
        if self._alive:
            raise InternalError(f"an external allocator ended with {len(self._alive)} blocks in use")
        if not self._is_settled(self.stream):
            stream = pointer_text(self.stream)
            raise InternalError(f"an external allocator ended before its stream {stream} was synchronised")

    def _wrapped(self, raw: Any, size: int) -> ExternalBlock | None:
        if raw is None:
            what = "Failed to malloc memory by external allocator, size: "
            self._journal.say(MemoryPressure(what, str(size)), level=Level.ERROR)
            return None
        address = self._desc.get_addr_from_block_func(raw)
        block = ExternalBlock(self._pointer(_BLOCK_OBJECT), address, size, raw)
        self._alive[block.handle] = block
        text = f"block:{pointer_text(block.handle)}, size: {size}"
        what = "Malloc memory by external allocator success, "
        self._journal.say(AllocatorMade(what, text), level=Level.DEBUG)
        return block
