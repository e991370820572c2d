"""AllocatorFactory and CreateExternalAllocator: allocators that a caller of the API makes and hands to an executor.

Source: spec/execution.md 3.2, 5.6, 9 (15); GE ``api.cc``, ``external_allocator.cc``.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from getrace.events import Level
from runtime.api.ge_process import GeProcess
from runtime.device.host_heap import HostHeap
from runtime.kernels.status import Status
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.host import HostMemAllocator
from runtime.memory.l2 import Level1
from runtime.memory.span import MemBlock
from runtime.values import Placement

_UNSUPPORTED: Final = ("api.cc", 272, "Create")
_NO_MEMORY: Final = ("external_allocator.cc", 18, "Malloc")
_MADE: Final = ("external_allocator.cc", 21, "Malloc")
_WRAPPED: Final = ("external_allocator.cc", 25, "Malloc")
_NO_ADVISED: Final = ("external_allocator.cc", 51, "MallocAdvise")
_ADVISED: Final = ("external_allocator.cc", 54, "MallocAdvise")
_ADVISED_WRAPPED: Final = ("external_allocator.cc", 58, "MallocAdvise")
_FREED: Final = ("external_allocator.cc", 35, "Free")
_UNWRAPPED: Final = ("external_allocator.cc", 40, "Free")

_BLOCK_OBJECT = 0x40
_ALLOCATOR_OBJECT = 0x60


@dataclass(frozen=True, slots=True)
class AllocatorDesc:
    """``AllocatorDesc``: the user's callbacks. ``alloc`` gives None when it has no memory.

    ``get_addr_from_block`` tells the device address of a block; ``alloc_advise`` may be left out.
    """

    alloc: Callable[[int], object | None]
    free: Callable[[object], None]
    get_addr_from_block: Callable[[object], int]
    alloc_advise: Callable[[int, int], object | None] | None = None


@dataclass(slots=True)
class ExternalBlock:
    """``MemBlock`` around a block of the user: its pointer, where it lies, and the number of its owners."""

    handle: int
    addr: int
    size: int
    raw: object
    count: int = 1


class ExternalAllocator:
    """``ExternalAllocator``: the user's callbacks as a level-1 allocator. One call at a time reaches them."""

    def __init__(self, process: GeProcess, desc: AllocatorDesc) -> None:
        self.handle = process.device.pointer(_ALLOCATOR_OBJECT)
        self.stream = 0
        self._process = process
        self._desc = desc
        self._lock = threading.Lock()

    def set_stream(self, stream: int) -> None:
        """Remember the stream that the memory is used on."""
        self.stream = stream

    def malloc(self, size: int) -> ExternalBlock | None:
        """``Malloc``: ask the user for memory. Gives None, and an error record, when there is none."""
        with self._lock:
            return self._wrapped(self._desc.alloc(size), size, (_NO_MEMORY, _MADE, _WRAPPED), "malloc")

    def malloc_advise(self, size: int, addr: int) -> ExternalBlock | None:
        """``MallocAdvise``: ask for memory at an address; without a callback for it, for memory anywhere.

        GE calls Malloc while it holds the lock and waits for itself for ever; here the lock is free by then.
        """
        advise = self._desc.alloc_advise
        if advise is None:
            return self.malloc(size)
        with self._lock:
            places = (_NO_ADVISED, _ADVISED, _ADVISED_WRAPPED)
            return self._wrapped(advise(size, addr), size, places, "malloc advise")

    def share(self, block: MemBlock) -> None:
        """Add an owner to a block."""
        assert isinstance(block, ExternalBlock)
        block.count += 1

    def free(self, block: MemBlock) -> None:
        """``Free``: take one owner off; without owners the block goes back to the user."""
        assert isinstance(block, ExternalBlock)
        block.count -= 1
        if block.count:
            return
        with self._lock:
            self._desc.free(block.raw)
        text = f"Free the block which malloc by external allocator, block:0x{block.addr:x}."
        self._process.say(_FREED, text, Level.DEBUG)
        text = f"Free the memBlock which malloc by GE, memBlock:0x{block.handle:x}."
        self._process.say(_UNWRAPPED, text, Level.DEBUG)

    def close(self) -> bool:
        """End the wrapper; what the user's callbacks gave is theirs."""
        return True

    def _wrapped(
        self, raw: object | None, size: int, places: tuple[tuple[str, int, str], ...], what: str
    ) -> ExternalBlock | None:
        failed, made, wrapped = places
        if raw is None:
            self._process.refuse(failed, f"Failed to {what} memory by external allocator, size: {size}")
            return None
        block = ExternalBlock(
            self._process.device.pointer(_BLOCK_OBJECT), self._desc.get_addr_from_block(raw), size, raw
        )
        text = f"{what.capitalize()} memory by external allocator success, block:0x{block.addr:x}, size: {size}"
        self._process.say(made, text, Level.DEBUG)
        self._process.say(wrapped, f"Malloc MemBlock by GE, MemBlock:0x{block.handle:x}.", Level.DEBUG)
        return block


def _caching(process: GeProcess) -> Level1:
    machine = process.machine
    return CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)


def _host(process: GeProcess) -> Level1:
    return HostMemAllocator(HostHeap(process.device))


_BY_PLACEMENT: Final[Mapping[Placement, Callable[[GeProcess], Level1]]] = MappingProxyType(
    {
        Placement.DEVICE_HBM: _caching,
        Placement.HOST: _host,
        Placement.FOLLOWING: _host,
        Placement.DEVICE_P2P: _caching,
    }
)


def create_allocator(process: GeProcess, placement: Placement) -> Level1 | None:
    """``AllocatorFactory::Create``. Gives None, and an error record, for a placement that has no allocator.

    GE's overload with a graph's name makes the same allocators.
    """
    make = _BY_PLACEMENT.get(placement)
    if make is None:
        text = f"Unsupported placement {int(placement)} to create allocator"
        process.refuse(_UNSUPPORTED, text, Status.PARAM_INVALID)
        return None
    return make(process)


def create_external_allocator(process: GeProcess, allocator_desc: AllocatorDesc) -> ExternalAllocator:
    """``CreateExternalAllocator``: wrap the user's callbacks."""
    return ExternalAllocator(process, allocator_desc)
