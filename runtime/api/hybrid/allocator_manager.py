"""ScalableAllocatorManager: the allocators of each stream (spec/execution.md 3.7).

Allocators have no locks and belong to one stream each. An executor that made its own per call would never reuse memory;
two that shared one over streams would overwrite each other's.
"""

from collections.abc import Mapping
from threading import Lock
from typing import Final

from getrace.events import Level
from runtime.api.ge_process import GeProcess
from runtime.api.gert.allocator_factory import create_allocator
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.l2 import Level1
from runtime.values import Placement

_EXTERNAL: Final = ("scalable_allocator_manager.cc", 28, "GetAllocator")
_CREATED: Final = ("scalable_allocator_manager.cc", 32, "GetAllocator")


class ScalableAllocatorManager:
    """``ScalableAllocatorManager``: a set by placement for each stream, made when it is first asked for."""

    def __init__(self, process: GeProcess) -> None:
        self._process = process
        self._lock = Lock()
        self._by_stream: dict[int, dict[Placement, Level1]] = {}
        self._external: dict[int, Level1] = {}

    def register_external(self, stream: int, allocator: Level1) -> None:
        """Use a user's allocator for device memory on a stream, from the next set on."""
        with self._lock:
            self._external[stream] = allocator
            self._by_stream.pop(stream, None)

    def allocators(self, stream: int) -> Mapping[Placement, Level1]:
        """Give the set of a stream. Memory behind a tensor (``kFollowing``) is host memory."""
        with self._lock:
            known = self._by_stream.get(stream)
            if known is None:
                known = self._by_stream[stream] = self._create(stream)
            return known

    def recycle(self, stream: int) -> None:
        """``Recycle``: give what is idle back to level 0; the stream must have been waited for."""
        for allocator in self._by_stream.get(stream, {}).values():
            if isinstance(allocator, CachingMemAllocator):
                allocator.pool.recycle()

    def close(self) -> None:
        """End the allocators made here; the users' own stay theirs."""
        with self._lock:
            external = list(self._external.values())
            for made in self._by_stream.values():
                for allocator in made.values():
                    if isinstance(allocator, CachingMemAllocator) and allocator not in external:
                        allocator.close()
            self._by_stream.clear()

    def _create(self, stream: int) -> dict[Placement, Level1]:
        device = self._external.get(stream)
        place, verb = (_EXTERNAL, "Use external") if device is not None else (_CREATED, "Create")
        device = device or self._made(Placement.DEVICE_HBM)
        host = self._made(Placement.HOST)
        text = f"{verb} device allocator = 0x{device.handle:x} with stream = {_pointer(stream)}"
        self._process.say(place, text, Level.DEBUG)
        return {
            Placement.DEVICE_HBM: device,
            Placement.HOST: host,
            Placement.FOLLOWING: host,
            Placement.DEVICE_P2P: self._made(Placement.DEVICE_P2P),
        }

    def _made(self, placement: Placement) -> Level1:
        made = create_allocator(self._process, placement)
        assert made is not None
        return made


def _pointer(stream: int) -> str:
    return f"0x{stream:x}" if stream else "(nil)"
