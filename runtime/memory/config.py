"""The limits of scalable allocators, from the size of the device (spec/execution.md 5.3, Configuration)."""

from dataclasses import dataclass
from math import floor

from getrace.events import Event, Level
from getrace.events.pools import AllocatorMade
from getrace.events.text import LogLine
from runtime.memory.span import PAGE_BITS

_GIB = 1 << 30
_LARGE_DEVICE = 32 * _GIB
_USABLE_SHARE = 0.95
_UNKNOWN_THRESHOLD = 30 * _GIB
_CONVERT = ("scalable_config.cc", 0, "ScalableConfig")
_RANGE = ("scalable_config.cc", 0, "ScalableConfig")

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


OPTION = "ge.experiment.memory_pool_threshold"
"""An option of the session: the threshold in whole GiB."""

Line = tuple[Event, Level]


def chosen_config(total: int, option: str | None) -> tuple[ScalableConfig, list[Line]]:
    """Give the limits when the session has the option (None: it has not), and what is said about it."""
    usual = config_of(total)
    if option is None:
        return usual, []
    said: list[Line] = [(AllocatorMade("option[", f"{OPTION}] value[{option}]"), Level.INFO)]
    try:
        chosen = int(option) * _GIB
    except ValueError:
        said.append((LogLine("GE", *_CONVERT, f"Convert option[{OPTION}]=[{option}] to int32 failed."), Level.WARNING))
        return usual, said
    if not 0 < chosen <= usual.threshold:
        text = f"option[{OPTION}] config value={option}(GB) is invalid, range is (0, {usual.threshold}]"
        said.append((LogLine("GE", *_RANGE, text), Level.WARNING))
        return usual, said
    text = f"{chosen}, as option[{OPTION}]={option}(GB)"
    said.append((AllocatorMade("page_mem_size_total_threshold is set to ", text), Level.INFO))
    return ScalableConfig(total, chosen, usual.uncacheable), said


def config_of(total: int) -> ScalableConfig:
    """Give the limits for a device of ``total`` bytes; 0 says that the size is not known."""
    is_large = total > _LARGE_DEVICE
    threshold = floor(total * _USABLE_SHARE) if total else _UNKNOWN_THRESHOLD
    return ScalableConfig(total, threshold, (32 if is_large else 16) * _GIB)
