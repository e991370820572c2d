"""How the failing launch was tiled: the key, the blocks and the workspace that its operator's tiling decided.

A wrong tiling is the next thing to look at after wrong addresses; its record belongs to another kernel of the same
operator, so a reader of the launch alone would not find it.
"""

from dataclasses import dataclass

import numpy as np

from getrace.analysis.places import Place, place
from getrace.events import Event
from getrace.events.launch import LaunchTiling, LaunchWorkspaces
from getrace.events.markers import ModelStart
from getrace.events.tiling import GuideTiling, Tiling
from getrace.ids import split_kernel_name
from getrace.store.store import Store

_BACK = 400
"""Tiling records before a launch in which its operator is looked for."""
_AHEAD = 32
"""Records of a launch behind its first one."""


@dataclass(frozen=True, slots=True)
class Tiled:
    """What tiling decided. A part that GE does not print is None; ``workspaces`` are addresses, None: not printed."""

    key: int | None
    block_dim: int | None
    cache: str | None
    size: int | None
    place: Place
    workspaces: tuple[int, ...] | None = None


def tiling_of(store: Store, launch: int) -> Tiled | None:
    """Give the last tiling of a launch's operator in the same run of its graph; None when the log shows none.

    Where tiling printed nothing, the launch itself may tell the size of what it was given.
    """
    node = split_kernel_name(store.kernel(launch) or "").node
    rows = store.rows_of(Tiling, GuideTiling)
    begin = _begin(store, launch)
    pid = store.column("pid")
    for row in rows[: np.searchsorted(rows, launch)][::-1][:_BACK].tolist():
        if row < begin:
            break
        same = pid[row] == pid[launch] and split_kernel_name(store.kernel(row) or "").node == node
        if same and node:
            return _read(store, row, launch)
    own = _own_row(store, launch, LaunchTiling)
    return None if own is None else _read(store, own, launch)


def _begin(store: Store, launch: int) -> int:
    """Give the row at which the launch's run began, by its thread; 0 when no marker is there."""
    rows = store.rows_of(ModelStart)
    same = (store.column("tid")[rows] == store.column("tid")[launch]) & (rows < launch)
    own = rows[same & (store.column("pid")[rows] == store.column("pid")[launch])]
    return int(own[-1]) if len(own) else 0


def _read(store: Store, row: int, launch: int) -> Tiled | None:
    event, spot, spaces = store.event(row), place(store, row), _workspaces(store, launch)
    if isinstance(event, GuideTiling):
        return Tiled(event.key, None, None, None, spot, spaces)
    if isinstance(event, LaunchTiling):
        return Tiled(None, None, None, event.size, spot, spaces)
    if isinstance(event, Tiling):
        return Tiled(event.key, event.block_dim, event.cache, event.size, spot, spaces)
    return None


def _workspaces(store: Store, launch: int) -> tuple[int, ...] | None:
    row = _own_row(store, launch, LaunchWorkspaces)
    event = None if row is None else store.event(row)
    return event.addresses or () if isinstance(event, LaunchWorkspaces) else None


def _own_row(store: Store, launch: int, kind: type[Event]) -> int | None:
    """Give the row of a kind among the launch's own records."""
    kernel, pid = store.column("kernel"), store.column("pid")
    near = range(launch, min(launch + _AHEAD, store.rows))
    own = (row for row in near if kernel[row] == kernel[launch] and pid[row] == pid[launch])
    return next((row for row in own if store.kind(row) is kind), None)
