"""The statistics block that an allocator prints (``PrintDetails``, spec/execution.md 5.3, Logs).

It reads an allocator and says what it sees; the allocator's own rules stay free of counting and spelling.
"""

from collections import Counter
from collections.abc import Iterator

from getrace.events import Event
from getrace.events.pools import (
    AllocatorStats,
    DeviceMemoryStats,
    FreedLayers,
    FreedStats,
    LayerStats,
    SpanStats,
    UsingStats,
)
from runtime.memory.span import PAGE_BITS
from runtime.memory.tally import Tally

_UNITS = ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K"))


def size_text(size: int) -> str:
    """Spell a size as GE does, ``4849664(4.62M)``. A unit begins behind its size: ``1048576(1024.00K)``."""
    for unit, letter in _UNITS:
        if size > unit:
            return f"{size}({size / unit:.2f}{letter})"
    return str(size)


def details(tally: Tally) -> Iterator[Event]:
    """Give the events of one statistics block, in the order of its lines."""
    name = tally.name
    device = tally.device
    # What was in use at once may be more than is held now.
    rate = min(100.0, 100 * tally.real_theory_min / tally.reserved) if tally.reserved else 0.0
    yield DeviceMemoryStats(
        device.allocs,
        device.frees,
        size_text(tally.reserved),
        "0",
        size_text(tally.real_theory_min),
        size_text(tally.theory_min),
        f"{rate:.2f}",
        name,
    )
    yield AllocatorStats(tally.allocs, tally.frees, tally.recycles, name)
    using = Counter(span.pages for span in tally.occupied)
    pages = sum(count * number for count, number in using.items())
    yield UsingStats(using.total(), pages, pages << PAGE_BITS, allocator=name)
    for count in sorted(using):
        yield SpanStats(count << PAGE_BITS, using[count], allocator=name)
    layers = tally.idle.layers()
    yield FreedLayers(tally.config.layers, len(layers), allocator=name)
    pages = sum(count * number for count, number in layers)
    yield FreedStats(sum(number for _, number in layers), pages, pages << PAGE_BITS, allocator=name)
    for count, number in layers:
        size = count << PAGE_BITS
        yield LayerStats(count, tally.config.capacity(size), size, number, allocator=name)
