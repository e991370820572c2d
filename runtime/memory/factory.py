"""``AllocatorFactory``: which allocator a place gets (spec/execution.md 3.2, seed 000 6.1).

The one table of it. An executor that chose by itself would give host tensors to the device's cache.
"""

from collections.abc import Callable

from runtime.memory.caching import CachingMemAllocator
from runtime.memory.host import HostMemAllocator
from runtime.memory.lower import Driver
from runtime.memory.process import MEMORY_HBM, MEMORY_P2P_DDR, ProcessMemory
from runtime.values import Placement

_MEMORY_TYPES = {Placement.DEVICE_HBM: MEMORY_HBM, Placement.DEVICE_P2P: MEMORY_P2P_DDR}


def create_allocator(
    placement: Placement,
    process: ProcessMemory,
    synchronize: Callable[[int], int],
    peers: list[CachingMemAllocator],
    heap: Driver,
) -> CachingMemAllocator | HostMemAllocator | None:
    """Make the allocator of a place, or give None for a place that has none (GE: ``Unsupported placement %d …``)."""
    if placement in _MEMORY_TYPES:
        return CachingMemAllocator(process, synchronize, peers, _MEMORY_TYPES[placement])
    return HostMemAllocator(heap) if placement.on_host else None
