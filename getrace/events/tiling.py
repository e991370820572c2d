"""Tiling (spec/kerneltrace.md 3.4). Tiling data are raw bytes."""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class Tiling(Event):
    """What a tiling function decided; a part that GE does not print is None."""

    size: int
    data: bytes
    key: int | None = None
    atomic_clean: int | None = None
    block_dim: int | None = None
    cond: int | None = None
    cache: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class GuideTiling(Event):
    """A tiling result as the seed article's case prints it."""

    key: int
    workspace: int


@dataclass(frozen=True, slots=True, repr=False)
class WorkspaceAppended(Event):
    """TilingAppendWorkspace: the known workspaces were added; ``appended`` repeats the known count."""

    tiling: int
    known: int
    appended: int
    sizes: tuple[int, ...]
