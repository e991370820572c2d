"""The limits of scalable allocators, from the size of the device (spec/execution.md 5.3, Configuration)."""

from dataclasses import dataclass
from math import floor

from runtime.memory.span import PAGE_BITS

_GIB = 1 << 30
_LARGE_DEVICE = 32 * _GIB
_USABLE_SHARE = 0.95

SPANS_IN_LAYER = 10240
"""``span_count_in_layer_threshold``; it shows in printed layer capacities only."""


@dataclass(frozen=True, slots=True)
class ScalableConfig:
    """``total`` bytes of the device, the ``threshold`` that an allocator may hold, and the ``uncacheable`` size.

    ``uncacheable`` is a limit that is printed and decides nothing.
    """

    total: int
    threshold: int
    uncacheable: int

    @property
    def layers(self) -> int:
        """How many layers an allocator has: a span has fewer pages than this."""
        return (self.threshold >> PAGE_BITS) + 1

    def capacity(self, size: int) -> int:
        """The printed capacity of the layer of ``size`` bytes.

        By the threshold, as all layer lines of the reference logs have it; the description names ``uncacheable``.
        """
        return min(SPANS_IN_LAYER, self.threshold // size)


def config_of(total: int) -> ScalableConfig:
    """Give the limits for a device of ``total`` bytes."""
    uncacheable = 32 * _GIB if total > _LARGE_DEVICE else 16 * _GIB
    return ScalableConfig(total, floor(total * _USABLE_SHARE), uncacheable)
