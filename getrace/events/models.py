"""Static sub graphs: DavinciModel kernels (spec/kerneltrace.md 3.3, 3.4)."""

from dataclasses import dataclass

from getrace.events.base import Event

Region = tuple[int, int]
"""An address and a size in bytes."""


@dataclass(frozen=True, slots=True, repr=False)
class FixedMemory(Event):
    """The fixed feature memory a static model was given."""

    hbm_addr: int
    hbm_size: int
    p2p_addr: int
    p2p_size: int


@dataclass(frozen=True, slots=True, repr=False)
class UserConstFile(Event):
    """A file constant of a static model lies in the user's device memory."""

    file: str
    addr: int
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class DavinciCreated(Event):
    """A static model was initialised; the weight is printed when a weight tensor is connected."""

    model: int
    streams: int
    stream_ids: tuple[int, ...]
    weight: int | None = None
    weight_size: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class DavinciWorkspaces(Event):
    """The workspace addresses of a static model were updated: pairs (memory type, address)."""

    count: int
    addresses: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, repr=False)
class DavinciExecuted(Event):
    """A static model was executed."""

    model: int
    inputs: tuple[Region, ...]
    outputs: tuple[Region, ...]


@dataclass(frozen=True, slots=True, repr=False)
class DavinciRunAddresses(Event):
    """Run addresses of a static model: (memory base type, offset, size, address)."""

    count: int
    addresses: tuple[tuple[int, int, int, int], ...]
