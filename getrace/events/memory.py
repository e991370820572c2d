"""Memory as kernels see it: blocks given to a kernel, freed by one, crossing streams, going back to their pool.

Sizes are bytes. ``stream`` is the logical stream (0 is the caller's); ``size`` is what the line calls size, ``asked``
the size of the tensor when the line says it (spec/kerneltrace.md 3.1, 3.2, 5.1). Each event is one message: the
allocations differ in what their size means, so they are different kinds.
"""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class MemAlloc(Event):
    """AllocMemHbm, AllocMemHost: a tensor got a block. ``size`` is the real block size, ``index`` the output."""

    block: int
    addr: int
    size: int
    stream: int | None = None
    asked: int | None = None
    index: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class BatchAlloc(Event):
    """AllocBatchHbm: one workspace. ``size`` is the size asked for."""

    stream: int
    block: int
    addr: int
    size: int
    index: int


@dataclass(frozen=True, slots=True, repr=False)
class CopyAlloc(Event):
    """A copy to the device got its destination block. ``size`` is the real block size.

    ``block`` and ``addr`` are None where a guide's sample line leaves the digits out (``0x7f...``).
    """

    block: int | None
    addr: int | None
    size: int
    stream: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class OutputAlloc(Event):
    """A model output got memory of its own. ``size`` is asked in 2026, given in 2023."""

    block: int
    addr: int
    size: int
    stream: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class PlacedOutputAlloc(Event):
    """A model output whose own placement and the user's differ."""

    stream: int
    block: int
    addr: int
    size: int
    placement: str
    out_placement: str


@dataclass(frozen=True, slots=True, repr=False)
class ConstAlloc(Event):
    """FileConstantKernel got a block for its weight."""

    stream: int
    block: int
    addr: int
    size: int
    asked: int


@dataclass(frozen=True, slots=True, repr=False)
class SpecifiedAlloc(Event):
    """AllocSpecifiedMem of the sequence operators; the stream is always 0."""

    block: int
    addr: int
    size: int
    index: int
    tensor_addr: int


@dataclass(frozen=True, slots=True, repr=False)
class FixedAlloc(Event):
    """Fixed feature memory of a static sub graph was allocated; ``size`` is asked."""

    block: int
    addr: int
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class GuideAlloc(Event):
    """An allocation as the seed article's case prints it: no block, no address."""

    size: int


@dataclass(frozen=True, slots=True, repr=False)
class MemFree(Event):
    """FreeMemory, FreeMemHbm: one reference of a stream dropped. ``stream`` -1: the holder has no block.

    ``addr`` is None where a guide's sample line leaves the digits out (``0x7f...``).
    """

    addr: int | None
    stream: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TensorFree(Event):
    """FreeTensorMemory: a plain tensor's memory; the line prints the constant stream -1."""

    stream: int
    addr: int
    tensor: int


@dataclass(frozen=True, slots=True, repr=False)
class BatchFree(Event):
    """FreeBatchHbm: one workspace."""

    stream: int
    addr: int
    index: int


@dataclass(frozen=True, slots=True, repr=False)
class SpecifiedFree(Event):
    """FreeSpecifiedMem of the sequence operators; prints no stream."""

    index: int
    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class FixedFree(Event):
    """Fixed feature memory was freed."""

    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class MemWander(Event):
    """A block is now also used on stream ``peer``."""

    stream: int
    peer: int
    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class BirthRecycle(Event):
    """The end of a block's life: it went back to the pool of its birth stream."""

    stream: int
    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class BorrowRecycle(Event):
    """A block born on stream ``peer`` may be used again on ``stream`` only."""

    stream: int
    addr: int
    peer: int


@dataclass(frozen=True, slots=True, repr=False)
class LocalRecycle(Event):
    """``stream`` dropped its last reference; other streams still hold the block of birth stream ``peer``."""

    stream: int
    addr: int
    peer: int


@dataclass(frozen=True, slots=True, repr=False)
class StreamCopy(Event):
    """Bytes were sent to the device: ``size`` bytes from ``source`` to ``addr``, which has ``asked`` bytes."""

    source: int
    size: int
    source_placement: str
    addr: int
    asked: int
    placement: str


@dataclass(frozen=True, slots=True, repr=False)
class OutputTensor(Event):
    """AllocModelOutTensor made a tensor."""

    tensor: int


@dataclass(frozen=True, slots=True, repr=False)
class ZeroCopy(Event):
    """A model output is written straight into the user's memory."""

    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class UserConst(Event):
    """A file constant lies in memory that the user gave."""

    addr: int
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class EmptyOutputs(Event):
    """CheckOutputShapesEmpty: whether ``all`` outputs of a node are empty tensors."""

    all: bool
    node: str


@dataclass(frozen=True, slots=True, repr=False)
class FftsAllocator(Event):
    """An FFTS allocator was created or reused (``how``)."""

    how: str
    window: int


@dataclass(frozen=True, slots=True, repr=False)
class FftsAlloc(Event):
    """FFTS memory was allocated; ``info`` is the text of its windows and addresses."""

    info: str


@dataclass(frozen=True, slots=True, repr=False)
class FftsFree(Event):
    """FFTS memory was freed."""

    info: str


@dataclass(frozen=True, slots=True, repr=False)
class FftsBatchAlloc(Event):
    """A batch of FFTS memory was allocated."""

    info: str


@dataclass(frozen=True, slots=True, repr=False)
class FftsBatchFree(Event):
    """A batch of FFTS memory was freed."""

    info: str
