"""Memory for operators that run as several threads of one FFTS+ task: one block per thread, side by side.

A window of n threads takes n blocks of one size from level 1 at once; an operator gets the addresses of all of them.
The spans are those of one thread, so that the rules of the scalable allocator stay as they are (spec/execution.md 5.9,
``FFTSAICoreKernelTestST.AllocateFftsMem`` of the reference logs).
"""

from bisect import bisect_right, insort
from dataclasses import dataclass

from getrace.events import Level, Place
from getrace.events.pools import AllocRequest, DeviceAlloc, DeviceAllocFailed, DeviceFree, SpanEvent
from runtime.memory.l2 import Level1
from runtime.memory.lower import DeviceAllocator, Level1Source
from runtime.memory.process import ProcessMemory
from runtime.memory.scalable import ScalableAllocator
from runtime.memory.span import MemBlock, PageSpan

_PURPOSE = "ffts memory pool"
_REQUEST = Place("ffts_mem_allocator.cc", 30, "Malloc")
_FROM_LEVEL1 = Place("ffts_mem_allocator.cc", 37, "DevAlloc")
_WINDOW_BLOCK = Place("ffts_mem_allocator.cc", 46, "BlockAlloc")


@dataclass(frozen=True, slots=True)
class _Window:
    """A block of level 1 that holds one block per thread; ``size`` is that of one thread."""

    handle: int
    addr: int
    size: int
    whole: MemBlock


class _WindowDevice(DeviceAllocator):
    """Takes ``window`` times as much from level 1 as a span is long."""

    def __init__(self, name: str, process: ProcessMemory, level1: Level1, window: int) -> None:
        source = Level1Source(level1, process.journal, _PURPOSE)
        super().__init__(source, process.driver.device_id, process.journal)
        self.starts: list[tuple[int, int]] = []
        self._name = name
        self._window = window

    def alloc(self, size: int) -> MemBlock | None:
        """Give a window of blocks of ``size`` bytes, or None."""
        total = size * self._window
        self.allocs += 1
        whole = self._source.alloc(total)
        if whole is None:
            self._journal.say(DeviceAllocFailed(self.device_id, total), level=Level.ERROR)
            return None
        self.occupied += total
        self._journal.say(DeviceAlloc(self.device_id, total, block=whole.handle))
        pointer, where = f"0x{whole.handle:x}", f"0x{whole.addr:x}"
        text = f"{pointer} size:{size} allocate_size:{total} window_size:{self._window}."
        self._journal.say(SpanEvent("Block alloc from level_1 allocator addr:", text, self._name), place=_FROM_LEVEL1)
        text = f"{where} block_size:{size} window_size:{self._window}."
        self._journal.say(SpanEvent("FftsMemBlock mem_addr:", text, self._name), place=_WINDOW_BLOCK)
        insort(self.starts, (whole.addr, size))
        return _Window(whole.handle, whole.addr, size, whole)

    def free(self, block: MemBlock) -> None:
        """Give a window back."""
        assert isinstance(block, _Window)
        self.starts.remove((block.addr, block.size))
        total = block.size * self._window
        self._source.free(block.whole)
        self.occupied -= total
        self.frees += 1
        self._journal.say(DeviceFree(self.device_id, total, block=block.handle))


@dataclass(slots=True)
class FftsMemBlock:
    """``FftsMemBlock``: memory of each thread. ``stride`` bytes lie between the beginnings of two neighbours."""

    home: "FftsMemAllocator"
    span: PageSpan
    window: int
    stride: int

    @property
    def addresses(self) -> list[int]:
        """Where the memory of each thread begins."""
        return [self.span.addr + thread * self.stride for thread in range(self.window)]

    @property
    def info(self) -> str:
        """The block as GE's lines have it."""
        addresses = " ".join(f"0x{address:x}" for address in self.addresses)
        return f"[ window_size:{self.window}, block_size:{self.span.size}, Addrs: {addresses}  ]"

    def free(self) -> None:
        """Give it back to its allocator."""
        self.home.pool.free(self.span)


class FftsMemAllocator:
    """``FftsMemAllocator`` for windows of ``window`` threads over a level-1 allocator."""

    def __init__(self, process: ProcessMemory, level1: Level1, window: int) -> None:
        self.window = window
        name = process.name("ffts_allocator")
        self._device = _WindowDevice(name, process, level1, window)
        self._journal = process.journal
        self.pool = ScalableAllocator(
            name,
            self._device,
            process.config,
            process.journal,
            device_id=process.driver.device_id,
            pointer=process.driver.pointer,
        )

    def malloc(self, size: int) -> FftsMemBlock | None:
        """Give ``size`` bytes to each thread of the window, or None."""
        self._journal.say(AllocRequest(size, self.pool.name), place=_REQUEST)
        span = self.pool.alloc(size)
        if span is None:
            return None
        _, stride = self._device.starts[bisect_right(self._device.starts, (span.addr, 1 << 63)) - 1]
        return FftsMemBlock(self, span, self.window, stride)

    def recycle(self) -> None:
        """Give idle windows back to level 1."""
        self.pool.recycle()

    def close(self) -> None:
        """Recycle once more and end."""
        self.pool.recycle()
        self.pool.finalize()
