"""Operators as a log names them: nodes inside kernel names, their types, and the fault names of the runtime.

A fault name is what RUNTIME calls a kernel: ``2_0_11_GatherV2`` (numbers of model and graph, then the node) or, in
other releases, ``te_gatherv2_<hash>_1__kernel0`` or ``AddCustom_<hash>_0`` (the operator's type).
"""

import re

from getrace.events.shapes import NodeType
from getrace.ids import split_kernel_name
from getrace.store.store import Store

_NUMBERED = re.compile(r"(?:\d+_)+(?P<node>\D.*)\Z", re.DOTALL)
_COMPILED = re.compile(r"(?:te_)?(?P<type>[A-Za-z][A-Za-z0-9_]*?)_[0-9a-f]{16,}")


class Operators:
    """The operators of one log: ``types`` maps a node to its operator type as InferShape prints it."""

    def __init__(self, store: Store) -> None:
        names = (store.names.text(number) for number in range(len(store.names)))
        self.nodes: frozenset[str] = frozenset(node for name in names if (node := split_kernel_name(name).node))
        self.types: dict[str, str] = {}
        for row in store.rows_of(NodeType).tolist():
            event, kernel = store.event(row), store.kernel(row)
            node = split_kernel_name(kernel or "").node
            if isinstance(event, NodeType) and node:
                self.types.setdefault(node, event.type)

    def node_of_fault(self, fault_name: str) -> str | None:
        """Give the node that a fault name ends in: the longest known one, else what stands behind the numbers."""
        known = [n for n in self.nodes if fault_name == n or fault_name.endswith(f"_{n}")]
        if known:
            return max(known, key=lambda node: (len(node), node))
        found = _NUMBERED.match(fault_name)
        return found["node"] if found else None

    def nodes_of_family(self, fault_name: str) -> list[str]:
        """Give the nodes whose type a compiled kernel's name speaks of, sorted."""
        found = _COMPILED.match(fault_name)
        if found is None:
            return []
        wanted = found["type"].lower().replace("_", "")
        return sorted(node for node, kind in self.types.items() if kind.lower().replace("_", "") == wanted)
