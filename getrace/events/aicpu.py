"""AI CPU launches (spec/kerneltrace.md 3.6, 3.9 K15)."""

from dataclasses import dataclass

from getrace.events.base import Event

ArgOffsets = tuple[tuple[int, int, int], ...]
"""Entries (index, address offset, data offset)."""


@dataclass(frozen=True, slots=True, repr=False)
class CcLaunch(Event):
    """AicpuLaunchCCKernel: arguments."""

    op: str
    block_dim: int
    handle: int
    args: int
    flag: int


@dataclass(frozen=True, slots=True, repr=False)
class TfLaunch(Event):
    """AicpuLaunchTfKernel: arguments."""

    op: str
    handle: int
    args: int
    io: int
    host_size: int


@dataclass(frozen=True, slots=True, repr=False)
class AicpuArgs(Event):
    """Offsets inside the argument block."""

    so_name: int
    kernel_name: int
    hosts: int
    kernels: int
    host_offsets: ArgOffsets
    kernel_offsets: ArgOffsets


@dataclass(frozen=True, slots=True, repr=False)
class AicpuAddresses(Event):
    """Addresses and sizes of inputs, then outputs; None when there are none."""

    addresses: tuple[int, ...] | None = None
    sizes: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TfLaunch2023(Event):
    """The one record that a release of 2023 prints for a TF launch: arguments, offsets, addresses and task."""

    op: str
    handle: int
    args: int
    io: int
    host_size: int
    so_name: int
    kernel_name: int
    hosts: int
    kernels: int
    host_offsets: ArgOffsets
    kernel_offsets: ArgOffsets
    addresses: tuple[int, ...]
    rt_stream: int
    task: int
    flip: int
    flip_task: int
