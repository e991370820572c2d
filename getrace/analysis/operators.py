"""Operators as a log names them: nodes inside kernel names, their types, and the fault names of the runtime.

A fault name is what RUNTIME calls a kernel: ``2_0_11_GatherV2`` or ``0/1_-1_0_GatherV21_tvmbin`` (numbers of model and
graph, then the node) or, in other releases and for single operators, ``te_gatherv2_<hash>_1__kernel0`` or
``AddCustom_<hash>_0`` (the operator's type).
"""

import re
from functools import cached_property
from typing import NamedTuple

import numpy as np

from getrace.events.shapes import NodeType
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store

_BINARY = "_tvmbin"
_NUMBERED = re.compile(r"(?:-?\d+(?:[-/]\d+)*_)+(?P<node>[^\d-].*)\Z", re.DOTALL)
_COMPILED = re.compile(r"(?P<made>te_)?(?P<type>[A-Za-z][A-Za-z0-9_]*?)_[0-9a-f]{16,}")


class Family(NamedTuple):
    """The operator type in a compiled kernel's name; ``exact`` when it is written as the model writes it."""

    type: str
    exact: bool


class Operators:
    """The operators of one process; each answer is made when it is first asked for."""

    def __init__(self, store: Store, pid: int) -> None:
        self._store, self._pid = store, pid

    @cached_property
    def nodes(self) -> frozenset[str]:
        """The nodes that kernels are named after."""
        kernel = self._store.column("kernel")[self._store.column("pid") == self._pid]
        seen = np.bincount(kernel[kernel != none_of("kernel")], minlength=1)
        names = map(self._store.names.text, np.flatnonzero(seen).tolist())
        return frozenset(node for name in names if (node := split_kernel_name(name).node))

    @cached_property
    def types(self) -> dict[str, str]:
        """The operator type of each node, as the first InferShape of each kernel prints it."""
        store = self._store
        rows = store.rows_of(NodeType)
        rows = rows[store.column("pid")[rows] == self._pid]
        _, first = np.unique(store.column("kernel")[rows], return_index=True)
        types: dict[str, str] = {}
        for row in rows[np.sort(first)].tolist():
            event, node = store.event(row), split_kernel_name(store.kernel(row) or "").node
            if isinstance(event, NodeType) and node:
                types.setdefault(node, event.type)
        return types

    def node_of_fault(self, fault_name: str) -> str | None:
        """Give the node that a fault name ends in: the longest known one, else what stands behind the numbers."""
        name = fault_name.removesuffix(_BINARY)
        known = [n for n in self.nodes if name == n or name.endswith(f"_{n}")]
        if known:
            return max(known, key=lambda node: (len(node), node))
        found = _NUMBERED.match(name)
        return found["node"] if found else None

    def nodes_of_type(self, op_type: str) -> list[str]:
        """Give the nodes of a type, sorted; a compiler writes the type in small letters."""
        wanted = _plain(op_type)
        return sorted(node for node, kind in self.types.items() if _plain(kind) == wanted)


def family_of_fault(fault_name: str) -> Family | None:
    """Give the operator type that a compiled kernel's name speaks of."""
    found = _COMPILED.match(fault_name)
    if found is None:
        return None
    return Family(found["type"], exact=found["made"] is None and found["type"][0].isupper())


def _plain(op_type: str) -> str:
    return op_type.lower().replace("_", "")
