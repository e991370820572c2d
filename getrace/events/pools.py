"""Memory below the kernels: pools, caching and scalable allocators, the driver (spec/kerneltrace.md 6, 6.1).

These are lines without ``[KernelTrace]``. ``allocator`` is the id of the one that speaks (``allocator_3``), where GE
prints it. The rarer lines are kept as ``what`` (the fixed words) and ``text`` (what follows them).
"""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class PoolExpand(Event):
    """The L2 pool of a stream took a chunk from L1; ``handle`` is the RT stream."""

    handle: int
    addr: int
    size: int
    block: int
    l1: int


@dataclass(frozen=True, slots=True, repr=False)
class PoolShrink(Event):
    """A chunk went back from an L2 pool to L1."""

    handle: int
    addr: int
    block: int


@dataclass(frozen=True, slots=True, repr=False)
class AllocRequest(Event):
    """A caching allocator was asked for ``asked`` bytes."""

    asked: int
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class SpanAlloc(Event):
    """A scalable allocator gave a span: ``asked`` bytes wanted, ``size`` given. ``block`` is the span."""

    device: int
    asked: int
    size: int
    addr: int
    block: int | None = None
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class SpanFree(Event):
    """A span came back to its allocator: the block is in the pool again."""

    device: int
    size: int
    addr: int
    theory: int | None = None
    theory_min: int | None = None
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class SpanTry(Event):
    """A scalable allocator tries to find a span."""

    tries: int
    asked: int
    size: int
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class SpanEvent(Event):
    """One of the rarer lines of the scalable allocator."""

    what: str
    text: str
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class DriverMalloc(Event):
    """The driver was asked for memory (``func``, ``purpose``); ``addr`` is printed by the caching allocator only."""

    func: str
    size: int
    purpose: str
    addr: int | None = None
    device: int | None = None
    module: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class DeviceAlloc(Event):
    """DeviceAllocator got memory: 2026 prints its block, 2023 the address."""

    device: int
    size: int
    block: int | None = None
    addr: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class DeviceAllocFailed(Event):
    """DeviceAllocator got nothing."""

    device: int
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class DeviceFree(Event):
    """DeviceAllocator gave memory back."""

    device: int
    size: int
    block: int | None = None
    addr: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class DriverFree(Event):
    """The driver took memory back."""

    device: int
    size: int
    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class DriverMallocFailed(Event):
    """The driver refused memory."""

    ret: int
    device: int
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class DriverFreeFailed(Event):
    """The driver refused to take memory back."""

    ret: int
    device: int
    addr: int
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class Level1Malloc(Event):
    """Memory came from the level-1 allocator."""

    addr: int
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class Level1Free(Event):
    """Memory went back to the level-1 allocator."""

    addr: int
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class MemoryPressure(Event):
    """An allocator ran out and says what it does about it; a benign step."""

    what: str
    text: str
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class ThresholdExceeded(Event):
    """An allocator may not grow further."""

    occupied: int
    asked: int
    threshold: int
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class PoolRecycled(Event):
    """An allocator gave ``count`` idle spans back to the one below."""

    count: int
    new_va: int
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class AllocatorMade(Event):
    """An allocator was created, bound or torn down."""

    what: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class DeviceMemoryStats(Event):
    """Statistics block, device line. The texts in 2026 are sizes such as ``4849664(4.62M)``."""

    allocs: int
    frees: int
    total: str
    new_va: str | None = None
    real_theory: str | None = None
    theory: str | None = None
    rate: str | None = None
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class AllocatorStats(Event):
    """Statistics block, allocator line."""

    allocs: int
    frees: int
    recycles: int
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class UsingStats(Event):
    """Statistics block: spans and pages in use, ``size`` bytes; ``new_va`` for the expandable mode."""

    spans: int
    pages: int
    size: int
    new_va: bool = False
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class FreedStats(Event):
    """Statistics block: idle spans and pages, ``size`` bytes."""

    spans: int
    pages: int
    size: int
    new_va: bool = False
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class SpanStats(Event):
    """Statistics block: spans of one size in use."""

    size: int
    count: int
    new_va: bool = False
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class FreedLayers(Event):
    """Statistics block: how many idle layers."""

    level: int
    count: int
    new_va: bool = False
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class LayerStats(Event):
    """Statistics block: one idle layer."""

    layer: int
    capacity: int
    size: int
    count: int
    new_va: bool = False
    allocator: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class AllocatorLimits(Event):
    """The limits the scalable allocator works with."""

    total: int
    threshold: int
    uncacheable: int


@dataclass(frozen=True, slots=True, repr=False)
class ExpandableMemory(Event):
    """A line of the expandable (active) memory allocator."""

    what: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class MemoryProfile(Event):
    """A line of the memory profiler."""

    what: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class OlderAllocator(Event):
    """A line of the allocators of runtime v1."""

    what: str
    text: str
