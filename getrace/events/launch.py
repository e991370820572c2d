"""An AI Core launch: up to ten messages (spec/kerneltrace.md 3.5).

Pointers of one list are in the order inputs, outputs. Host addresses of the argument block are fields that end in
``_at``; a length is in bytes, so inputs = ``inputs_length`` / 8.
"""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class Launch(Event):
    """Item 1: what was given to the launch function. ``handle`` is the RT stream, ``block_dim`` a number."""

    binary: int
    block_dim: int
    args: int
    handle: int
    schedule_mode: int | None = None
    local_memory: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class GuideLaunch(Event):
    """A launch as the seed articles print it."""

    task: int
    rt_stream: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TaskIds(Event):
    """Item 2: the RT stream and the last task of the thread; joins with the lines of RUNTIME."""

    rt_stream: int
    task: int
    flip: int
    flip_task: int


@dataclass(frozen=True, slots=True, repr=False)
class ArgsLayout(Event):
    """Item 3: where the parts of the argument block lie on the host."""

    compiled_at: int
    compiled_length: int
    inputs_at: int
    inputs_length: int
    outputs_at: int
    outputs_length: int
    tensor_lists: int
    shapes_at: int
    shapes_length: int
    workspaces_at: int
    workspaces_length: int
    tiling_at: int
    tiling_length: int
    base: int | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class CompiledArgs(Event):
    """Item 4: compiled argument bytes, or None for "No compiled args"."""

    data: bytes | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class LaunchAddresses(Event):
    """Item 5: addresses of inputs, then outputs, and their sizes; None for "No inputs/outputs"."""

    addresses: tuple[int, ...] | None = None
    sizes: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class LaunchWorkspaces(Event):
    """Item 6: workspace addresses, or None for "No workspaces"."""

    addresses: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class LaunchTiling(Event):
    """Item 7: tiling data in the argument block, or None for "No tiling data"."""

    offset: int | None = None
    size: int | None = None
    data: bytes | None = None


@dataclass(frozen=True, slots=True, repr=False)
class HostInputData(Event):
    """Item 8: words of the host input area."""

    words: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class HostInputInfo(Event):
    """Item 9: words of the host input table."""

    words: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ArgWords(Event):
    """Item 10: the argument block from the input addresses on, without a label."""

    words: tuple[int, ...]
