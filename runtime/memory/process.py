"""What GE keeps once per process: the level-0 allocators, the caching allocators alive, and the number of the next one.

Level 0 is one caching allocator per memory type over the driver (spec/execution.md 5.5). All allocators are numbered
by one counter in order of construction; if each kind counted for itself, no log would match a real one.
"""

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Final

from getrace.events import Level, Place
from getrace.events.pools import AllocatorLimits, AllocatorMade, AllocRequest, MemoryPressure
from runtime.memory.config import chosen_config
from runtime.memory.journal import Journal
from runtime.memory.lower import Driver, DriverSource
from runtime.memory.scalable import ScalableAllocator
from runtime.memory.span import MemBlock, PageSpan

MEMORY_DDR: Final = 1
MEMORY_HBM: Final = 2
"""``RT_MEMORY_DDR`` and ``RT_MEMORY_HBM``, as ``memory type:`` prints them."""

MEMORY_P2P_DDR: Final = 17
"""``RT_MEMORY_P2P_DDR`` (0x11)."""

_HUGE_PAGE = 2 << 20
"""Smaller requests take one page of this size from the driver and cut it from the top."""

_REQUEST = Place("rts_caching_mem_allocator.cc", 98, "Malloc")


class RtsCachingAllocator:
    """Level 0: keeps what it got from the driver until it is asked to give it back. The only level threads share."""

    def __init__(self, pool: ScalableAllocator, journal: Journal) -> None:
        self.pool = pool
        self._journal = journal
        self._lock = RLock()

    def malloc(self, size: int) -> PageSpan | None:
        """Give a span. When there is none, idle spans go back to the driver and it is tried once more."""
        with self._lock:
            return self._malloc(size)

    def _malloc(self, size: int) -> PageSpan | None:
        self._journal.say(AllocRequest(size), place=_REQUEST)
        span = self.pool.alloc(size)
        if span is not None:
            return span
        what = (
            "Failed to apply for memory. We will try to free memory from memory pool, "
            "the above warning log can be ignored. Try to free cached memory..."
        )
        self._journal.say(MemoryPressure(what, "", self.pool.name), level=Level.WARNING)
        self.pool.print_details()
        self.pool.recycle()
        return self.pool.alloc(size)

    def free(self, block: MemBlock) -> None:
        """Take a span back."""
        assert isinstance(block, PageSpan)
        with self._lock:
            self.pool.free(block)


class ProcessMemory:
    """The allocators of one process on one device.

    ``multi_thread`` says that the executor has several workers. ``wait_for_launches`` is theirs then: it waits until
    what was given to the device has been launched, before a stream is synchronised for its memory; False when the run
    was given up (spec/execution.md 2.5, 5.4). Nobody calls it while there is memory. ``beside`` are pools over the
    driver that live as long as the process.
    """

    def __init__(self, driver: Driver, journal: Journal, threshold_option: str | None = None) -> None:
        self.driver = driver
        self.journal = journal
        self.config, self._config_lines = chosen_config(driver.total_bytes, threshold_option)
        self.multi_thread = False
        self.wait_for_launches: Callable[[], bool] = lambda: True
        self.beside: list[ScalableAllocator] = []
        self._numbers = 0
        self._level0: dict[int, RtsCachingAllocator] = {}

    def start(self) -> None:
        """Do what GE does when memory is first used: say the limits, make the DDR allocator and recycle it."""
        config = self.config
        for event, level in self._config_lines:
            self.journal.say(event, level=level)
        self.journal.say(AllocatorLimits(config.total, config.threshold, config.uncacheable))
        self.level0(MEMORY_DDR).pool.recycle()

    def name(self, kind: str) -> str:
        """Give the name of the next allocator: ``rts_allocator_2``."""
        self._numbers += 1
        return f"{kind}_{self._numbers}"

    def level0(self, memory_type: int) -> RtsCachingAllocator:
        """Get or create the level-0 allocator of a memory type."""
        known = self._level0.get(memory_type)
        verb = "Create" if known is None else "Get"
        text = f"{self.driver.device_id} memory type:{memory_type}."
        self.journal.say(AllocatorMade(f"{verb} RtsCachingMemAllocator device id:", text))
        if known is None:
            pool = ScalableAllocator(
                self.name("rts_allocator"),
                DriverSource(self.driver, self.journal),
                self.config,
                self.journal,
                device_id=self.driver.device_id,
                pointer=self.driver.pointer,
                chunk=_HUGE_PAGE,
            )
            known = self._level0[memory_type] = RtsCachingAllocator(pool, self.journal)
        return known

    @property
    def levels(self) -> list[RtsCachingAllocator]:
        """The level-0 allocators there are."""
        return list(self._level0.values())

    @property
    def occupied_bytes(self) -> int:
        """Bytes in use of level 0, in pages: idle pages that a level-1 allocator holds count, too."""
        return sum(level0.pool.tally.theory for level0 in self._level0.values())

    def release(self, caching: Sequence[object]) -> bool:
        """``RtsAllocatorManager::Finalize``: give all memory to the driver, unless caching allocators are still there.

        GE's ``ReleaseResource`` ends the allocators of all devices, whatever it is given (9.16); here there is one.
        """
        self.journal.say(AllocatorMade("RtsAllocatorManager Finalize.", ""))
        return not caching and self.finalize()

    def finalize(self) -> bool:
        """Give all memory back to the driver at the end of the process. False when spans are still in use."""
        finalized = [pool.finalize() for pool in (*self.beside, *(level0.pool for level0 in self._level0.values()))]
        return all(finalized)
