"""Heat of a graph: how much of something the log says of each node, and how that looks beside the others.

Times are inferred, as everywhere: from the end before on the thread to the kernel's own end. A heat has a bar and a
number, for colour alone says nothing to many.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from getrace.analysis.blocks import ALLOCS
from getrace.analysis.kernels import Rows, executions
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.style import ERROR_LEVELS
from views.model.words import byte_text, duration_text

KINDS = ("none", "count", "time", "bytes", "error")

_BARS = "▁▂▃▄▅▆▇█"
_DIGITS = "12345678"
_ROLES = ("text", "text", "note", "note", "peak", "peak", "bad", "bad")


class Heats(NamedTuple):
    """For each kind of ``KINDS`` the sums by kernel name, and by operator."""

    kernels: Mapping[str, Mapping[str, int]]
    operators: Mapping[str, Mapping[str, int]]

    def of(self, kind: str, *, executes: bool) -> Mapping[str, int]:
        """Give the sums of a kind for the nodes of a graph that executes, or of a compute graph."""
        return (self.kernels if executes else self.operators).get(kind, {})


def heats_of(store: Store) -> Heats:
    """Read all heats of a store: some passes over columns."""
    runs = executions(store)
    names = runs.name
    allocs, errors = store.rows_of(*ALLOCS), np.flatnonzero(np.isin(store.column("level"), ERROR_LEVELS))
    kernels = {
        "count": _summed(store, names, np.ones(len(names), np.int64)),
        "time": _summed(store, names, np.maximum(runs.duration, 0)),
        "bytes": _summed(store, store.column("kernel")[allocs], np.maximum(store.at("size", allocs), 0)),
        "error": _summed(store, store.column("kernel")[errors], np.ones(len(errors), np.int64)),
    }
    return Heats(kernels, {kind: _by_operator(sums) for kind, sums in kernels.items()})


def heat_text(kind: str, value: int) -> str:
    """Spell a value: ``x12``, ``1.2 ms``, ``64 KiB``, ``2 err``."""
    return {
        "count": lambda: f"x{value:,}",
        "time": lambda: duration_text(value),
        "bytes": lambda: byte_text(value),
        "error": lambda: f"{value:,} err",
    }.get(kind, lambda: "")()


def heat_bar(value: int, most: int, *, ascii_only: bool = False) -> tuple[str, str]:
    """Give (sign, role) of a value beside the greatest one; nothing for 0."""
    if value <= 0 or most <= 0:
        return " ", "dim"
    level = min((value * len(_BARS) - 1) // most, len(_BARS) - 1)
    return (_DIGITS if ascii_only else _BARS)[level], _ROLES[level]


def _summed(store: Store, names: Rows, values: Rows) -> dict[str, int]:
    known = names != none_of("kernel")
    distinct, codes = np.unique(names[known], return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, codes, values[known])
    spelled = (
        (store.names.text(number), total) for number, total in zip(distinct.tolist(), sums.tolist(), strict=True)
    )
    return {name: total for name, total in spelled if name}


def _by_operator(sums: Mapping[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, total in sums.items():
        operator = split_kernel_name(name).node
        if operator:
            found[operator] = found.get(operator, 0) + total
    return found
