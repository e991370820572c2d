"""How many nodes and edges a text may have: as many as fit into memory beside it.

A node takes more memory than the shortest line that names one. Counted in one place, the bound is the same whoever
reads.
"""

from getrace.dumps.linking import RawNode
from getrace.dumps.text_proto import Syntax

MOST_NODES = 100_000
"""Nodes that any text may have. Above it, a node needs ``BYTES_PER_NODE`` bytes of text; GE writes about 2,000."""

BYTES_PER_NODE = 512

EDGES_PER_NODE = 4
"""Edges that a text may have for each node that it may have."""


class NodeBudget:
    """Counts nodes; raises InputError at the one that is too much. ``size`` is the text's length, 0 for a small one."""

    def __init__(self, syntax: Syntax, size: int = 0) -> None:
        self._syntax = syntax
        self._nodes = MOST_NODES + size // BYTES_PER_NODE
        self._edges = EDGES_PER_NODE * self._nodes

    def count(self, node: RawNode) -> RawNode:
        """Count a node that is complete, and give it back."""
        self._nodes -= 1
        self._edges -= len(node.inputs)
        if self._nodes < 0 or self._edges < 0:
            raise self._syntax.error("the text has more operators or edges than its size allows", node.line)
        return node
