"""Kernels of the smaller engines: FFTS+, RTS, DSA, DVPP, custom operators, HCCL (spec/kerneltrace.md 3.4)."""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class StarsLaunch(Event):
    """A DSA task was launched."""

    args: int
    length: int
    handle: int


@dataclass(frozen=True, slots=True, repr=False)
class CmoLaunch(Event):
    """A cache maintenance task was launched; ``addr`` is printed in decimal."""

    length: int
    addr: int
    handle: int


@dataclass(frozen=True, slots=True, repr=False)
class SdmaContext(Event):
    """One window of an SDMA context; an address comes as (high, low)."""

    index: int
    source_offset: int
    target_offset: int
    source: tuple[int, int]
    target: tuple[int, int]


@dataclass(frozen=True, slots=True, repr=False)
class PrinterFailed(Event):
    """A trace printer could not read its kernel; ``text`` is one of GE's fixed sentences."""

    text: str


@dataclass(frozen=True, slots=True, repr=False)
class ThreadDataLength(Event):
    """CalcFftsThreadDataLen: GE prints the numbers without separators, so the tail stays a text."""

    slice_flag: int
    thread_dim: int
    tails: str


@dataclass(frozen=True, slots=True, repr=False)
class FftsMemoryOk(Event):
    """The guard words behind the FFTS memory are whole."""


@dataclass(frozen=True, slots=True, repr=False)
class FftsMemoryOverwritten(Event):
    """A guard word behind the FFTS memory changed."""

    index: int


@dataclass(frozen=True, slots=True, repr=False)
class FftsArgs(Event):
    """The header of an FFTS+ argument dump; ``what`` names it (``MixL2 args``)."""

    what: str


@dataclass(frozen=True, slots=True, repr=False)
class FftsWords(Event):
    """Words of an FFTS+ argument dump; ``label`` is ``All args``, ``Tiling data`` ..., or "" for a further part."""

    label: str
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class CustomTensors(Event):
    """The tensors of a custom operator; ``side`` is ``input`` or ``output``, ``text`` the list as printed."""

    side: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class HcomArgs(Event):
    """PrepareHcomKernel: the arguments of a collective."""

    op_type: int
    dtype: str
    group: str
    inputs: int
    outputs: int
