"""A graph of a dump with its data edges looked up once: who feeds each input of a node.

A graph may have a hundred thousand nodes; a walk that searched the edges at each step would take hours on it.
"""

from dataclasses import dataclass
from functools import cached_property

from getrace.dumps.snapshot import SnapshotGraph, SnapshotNode


@dataclass(frozen=True)
class Linked:
    """One graph. What is looked up is made when it is first asked for."""

    graph: SnapshotGraph

    @cached_property
    def _nodes(self) -> dict[int, SnapshotNode]:
        return {node.id: node for node in self.graph.nodes}

    @cached_property
    def _fed(self) -> dict[int, dict[int, tuple[int, int]]]:
        fed: dict[int, dict[int, tuple[int, int]]] = {}
        for edge in self.graph.edges:
            if not edge.is_control:
                fed.setdefault(edge.target, {})[edge.target_input] = (edge.source, edge.source_output)
        return fed

    def producer(self, node: SnapshotNode, index: int) -> tuple[SnapshotNode, int] | None:
        """Give the node that feeds an input, and the index of its output; None without an edge."""
        source = self._fed.get(node.id, {}).get(index)
        given = None if source is None else self._nodes.get(source[0])
        return None if given is None or source is None else (given, source[1])

    def producers(self, node: SnapshotNode) -> list[tuple[SnapshotNode, int]]:
        """Give the nodes that feed a node, with the index of their output."""
        found = (self.producer(node, index) for index in self._fed.get(node.id, {}))
        return [each for each in found if each is not None]
