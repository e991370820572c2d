"""The switch of profiling: one word of bits that subscribers look at when a graph runs (spec/execution.md 4.1, 4.2)."""

from enum import IntEnum


class ProfilingType(IntEnum):
    """``ProfilingType``: what may be profiled. ``ALL`` is the number behind the last one."""

    CANN_HOST = 0
    DEVICE = 1
    GE_HOST = 2
    TRAINING_TRACE = 3
    TASK_TIME = 4
    MEMORY = 5
    CANN_HOST_L1 = 6
    ALL = 7


def enable_flags(*types: ProfilingType) -> int:
    """``BuildEnableFlags``: the bits of some types; with ALL among them, every bit."""
    if ProfilingType.ALL in types:
        return (1 << ProfilingType.ALL) - 1
    flags = 0
    for each in types:
        flags |= 1 << each
    return flags


class ProfilingSwitch:
    """``GlobalProfilingWrapper``. A bit that is on stays on until all are put out: GE adds words up."""

    __slots__ = ("flags",)

    def __init__(self) -> None:
        self.flags = 0

    def set_enable_flags(self, flags: int) -> None:
        """``SetEnableFlag``: 0 puts everything out, anything else is added to what is on."""
        self.flags = self.flags | flags if flags else 0

    def is_enabled(self, what: ProfilingType) -> bool:
        """Whether one type is on now."""
        return bool(self.flags & (1 << what))
