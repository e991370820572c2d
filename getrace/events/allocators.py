"""Allocators as kernels create and select them (spec/kerneltrace.md 3.1). Placements are GE's words."""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class L1Created(Event):
    """CreateL1Allocator made the caching allocators of a placement."""

    placement: str


@dataclass(frozen=True, slots=True, repr=False)
class L1Selected(Event):
    """SelectL1Allocator chose an allocator: ``created_allocator`` or the user's ``caching_mem_allocator``."""

    origin: str
    l1: int
    handle: int
    placement: str


@dataclass(frozen=True, slots=True, repr=False)
class InitL2Created(Event):
    """CreateInitL2Allocator, at build time."""

    streams: int
    placement: str


@dataclass(frozen=True, slots=True, repr=False)
class InitL2Bound(Event):
    """The Init allocator of a placement class (``Device`` or ``Host``) got its L1 allocator."""

    placement: str
    l2: int
    l1: int


@dataclass(frozen=True, slots=True, repr=False)
class L2Counted(Event):
    """CreateL2Allocators, at build time, first line."""

    streams: int


@dataclass(frozen=True, slots=True, repr=False)
class L2Created(Event):
    """CreateL2Allocators, at build time, second line."""

    streams: int
    placement: str


@dataclass(frozen=True, slots=True, repr=False)
class L2Selected(Event):
    """SelectL2Allocator; ``handle`` is the RT stream and is printed with several streams only."""

    placement: str
    handle: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class ExternalFixedBase(Event):
    """The user's allocator serves as the fixed-base one."""

    handle: int


@dataclass(frozen=True, slots=True, repr=False)
class FixedBase(Event):
    """A fixed-base expandable allocator was got or created."""

    device: int
    session: int
    placement: str
