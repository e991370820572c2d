"""How many nodes and edges a text may have: as many as fit into memory beside it.

A node takes more memory than the shortest line that names one. Counted in one place, the bound is the same whoever
reads.
"""

from getrace.dumps.linking import Place, RawNode

MOST_NODES = 100_000
"""Nodes that any text may have. Above it, a node needs ``BYTES_PER_NODE`` bytes of text; GE writes about 2,000."""

BYTES_PER_NODE = 512

EDGES_PER_NODE = 4
"""Edges that a text may have for each node that it may have."""


class NodeBudget:
    """Counts nodes and graphs; raises InputError at the one that is too much.

    ``given`` is the length of the file, packed if it is: a node of an archive need not take a byte. 0 for a small one.
    """

    def __init__(self, place: Place, given: int = 0) -> None:
        self._place = place
        self._nodes = MOST_NODES + given // BYTES_PER_NODE
        self._edges = EDGES_PER_NODE * self._nodes

    def count(self, node: RawNode) -> RawNode:
        """Count a node that is complete, and give it back."""
        self._take(1, len(node.inputs), node.line)
        return node

    def count_graph(self, line: int) -> None:
        """Count a graph: an empty one takes as much memory as a node."""
        self._take(1, 0, line)

    def _take(self, nodes: int, edges: int, line: int) -> None:
        self._nodes -= nodes
        self._edges -= edges
        if self._nodes < 0 or self._edges < 0:
            raise self._place.error("the text has more graphs, operators or edges than its size allows", line)
