"""GraphSnapshot: what every view and every test knows of a graph.

A snapshot is pure data: it knows no runtime object, so a dump read from disk and a graph lowered a moment ago are
the same thing to whoever looks at them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

CONTROL = -1
"""Both indices of a control edge (spec/lowering.md 1.1)."""

AttrValue = int | float | str | bool | bytes | tuple["AttrValue", ...]


@dataclass(frozen=True, slots=True)
class SnapshotNode:
    """A node. ``id`` is its position in the graph's list, ``subgraphs`` the names of the graphs it owns, in order.

    ``topo_id`` is the id that GE's sorting gave it: unique over all graphs of a sorted model, the position where GE has
    none. The logic stream of an operator is its attribute ``stream_id``, absent for 0; a kernel's stream is an input.
    """

    id: int
    name: str
    type: str
    inputs: int = 0
    outputs: int = 0
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)
    subgraphs: tuple[str, ...] = ()
    topo_id: int = 0


@dataclass(frozen=True, slots=True)
class SnapshotEdge:
    """An edge between nodes of one graph, by node id. A control edge has both indices ``CONTROL``."""

    source: int
    source_output: int
    target: int
    target_input: int

    @property
    def is_control(self) -> bool:
        """Whether the edge carries order only."""
        return self.source_output == CONTROL


@dataclass(frozen=True, slots=True)
class SnapshotGraph:
    """One graph: nodes in list order, data edges by (target, input), then control edges by target.

    Control edges of one target stand as in the file, which GE writes by source; a lowered graph has them so, too.
    """

    name: str
    nodes: tuple[SnapshotNode, ...]
    edges: tuple[SnapshotEdge, ...]
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GraphSnapshot:
    """All graphs of one stage. ``root`` names the graph that owns the others; ``stage`` is GE's dump stage name.

    ``source`` is the file it was read from, "" for none: where it lies makes no difference to what it is.
    """

    stage: str
    root: str
    graphs: Mapping[str, SnapshotGraph]
    source: str = field(default="", compare=False)

    def owned(self, type_name: str) -> SnapshotGraph | None:
        """Give the first sub graph of the root's node of a type (``Init``, ``Main``, ``DeInit``), or None."""
        for node in self.graphs[self.root].nodes:
            if node.type == type_name and node.subgraphs:
                return self.graphs.get(node.subgraphs[0])
        return None
