"""What an allocation costs against the barest allocator there is, and what a gigabyte in use costs the host.

The sides take turns in one process and the best of several turns counts, in the time of the process.
"""

import gc
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time

import pytest

from getrace.bus import Bus
from getrace.events import Level, Origin
from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.journal import Journal
from runtime.memory.l2_single import SingleStreamL2Allocator
from runtime.memory.process import ProcessMemory

PAIRS = 1_000_000
LIVE = 200
TURNS = 3
GIB = 1 << 30
_SIZES = (100, 4096, 8224, 65536, 65537, 200_000, 602_144, 1 << 20, 5 << 20)


class DictAllocator:
    """Free addresses by pages in a dict, nothing else: no cut, no join, no count, no line."""

    def __init__(self) -> None:
        self._free: dict[int, list[int]] = {}
        self._pages: dict[int, int] = {}
        self._next = 1 << 40

    def malloc(self, size: int) -> int:
        pages = (size + 65535) >> 16
        free = self._free.get(pages)
        if free:
            return free.pop()
        address = self._next
        self._next += pages << 16
        self._pages[address] = pages
        return address

    def free(self, address: int) -> None:
        self._free.setdefault(self._pages[address], []).append(address)


def journal(device: Device) -> Journal:
    return Journal(Bus(now=lambda: 0, levels={"GE": Level.ERROR}), Origin(1, "bench", 1))


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = process_time()
    work()
    return process_time() - start


@pytest.mark.bench
def test_a_million_pairs_against_a_dict() -> None:
    random = Random(7)
    plan = [(random.choice(_SIZES), random.randrange(LIVE)) for _ in range(PAIRS)]
    device = Device(find_profile("ascend910b"), seed=0, start_ns=0)
    process = ProcessMemory(device, journal(device))
    level2 = SingleStreamL2Allocator(process.journal, device)
    level1 = CachingMemAllocator(process, lambda _stream: 0, [])
    level2.level1 = level1

    def with_dict() -> None:
        allocator = DictAllocator()
        live = [allocator.malloc(100) for _ in range(LIVE)]
        for size, slot in plan:
            allocator.free(live[slot])
            live[slot] = allocator.malloc(size)

    def with_pool() -> None:
        pool = level1.pool
        live = [pool.alloc(100) for _ in range(LIVE)]
        for size, slot in plan:
            old = live[slot]
            assert old is not None
            pool.free(old)
            live[slot] = pool.alloc(size)
        for span in live:
            assert span is not None
            pool.free(span)

    def with_level2() -> None:
        live = [level2.malloc(100) for _ in range(LIVE)]
        for size, slot in plan:
            old = live[slot]
            assert old is not None
            old.free(0)
            live[slot] = level2.malloc(size)
        for block in live:
            assert block is not None
            block.free(0)

    times = [min(seconds(side) for _ in range(TURNS)) for side in (with_dict, with_pool, with_level2)]
    base = times[0]
    each = ", ".join(f"{name} {time / base:.1f} x" for name, time in zip(("pool", "level 2"), times[1:], strict=True))
    print(f"dict {1e9 * base / PAIRS:.0f} ns a pair, {each}")
    assert times[1] <= 16 * base
    assert times[2] <= 32 * base


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.bench
def test_a_gigabyte_in_use_costs_at_most_two() -> None:
    device = Device(find_profile("ascend910b"), seed=0, start_ns=0)
    process = ProcessMemory(device, journal(device))
    level2 = SingleStreamL2Allocator(process.journal, device)
    level2.level1 = CachingMemAllocator(process, lambda _stream: 0, [])
    gc.collect()
    before, held = resident(), 0
    sizes = Random(3)
    while held < GIB:
        block = level2.malloc(sizes.choice(_SIZES))
        assert block is not None
        device.hbm.view(block.addr, block.size)[:] = 1
        held += block.size
    growth = resident() - before
    print(f"{held / GIB:.2f} GiB in use, {growth / GIB:.2f} GiB more resident")
    assert growth <= 2 * held + 100 * (1 << 20)
