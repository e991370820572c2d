"""How many nodes, edges and graphs a text may have: as many as fit into memory beside it.

A node takes more memory than the shortest line that names one. Counted in one place, the bound is the same whoever
reads.
"""

from getrace.dumps.linking import Place, RawNode

ROOM = 120_000_000
"""Bytes of memory that the nodes and edges of any text may take; those of a larger text may take its size more."""

NODE, EDGE = 1000, 400
"""Bytes of memory that a node or a graph takes, and an edge, while a text is read. GE writes 2,000 bytes a node."""


class NodeBudget:
    """Counts nodes, edges and graphs; raises InputError at the one that is too much.

    ``given`` is the length of the file, packed if it is: a node of an archive need not take a byte. 0 for a small one.
    """

    def __init__(self, place: Place, given: int = 0) -> None:
        self._place = place
        self._left = ROOM + given

    def count(self, node: RawNode) -> RawNode:
        """Count a node that is complete, and give it back."""
        self._take(NODE + EDGE * len(node.inputs), node.line)
        return node

    def count_graph(self, line: int) -> None:
        """Count a graph: an empty one takes as much memory as a node."""
        self._take(NODE, line)

    def _take(self, memory: int, line: int) -> None:
        self._left -= memory
        if self._left < 0:
            raise self._place.error("the text has more graphs, operators or edges than its size allows", line)
