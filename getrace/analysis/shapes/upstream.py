"""Who produced a tensor: a walk against the edges of a dump, with what the log inferred for each operator on the way.

The walk goes into sub graphs and out of them, because GE cuts a model into ``PartitionedCall`` nodes and the operator
that inferred the wrong shape mostly lies in another one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from getrace.analysis.places import place
from getrace.analysis.shapes.dumped import DATA, is_open, shapes_of_node
from getrace.analysis.shapes.facts import Operated, Seen, Shape, Upstream
from getrace.analysis.shapes.linked import Linked
from getrace.dumps.snapshot import GraphSnapshot, SnapshotNode
from getrace.store.store import Store

LONGEST = 8
"""Operators on the way that are told."""
INPUTS = 32
"""Inputs whose producers are told, where a line does not say which one it means."""

Tensor = tuple[str, SnapshotNode, int]
"""A tensor: its graph, the node that produces it, the index of the node's output."""


@dataclass(slots=True)
class Walker:
    """Walks one dump. ``shapes`` are the operators' last shapes in the log."""

    snapshot: GraphSnapshot
    shapes: Mapping[str, Operated]
    store: Store | None = None
    _linked: dict[str, Linked] = field(default_factory=dict)

    def find(self, op: str) -> tuple[str, SnapshotNode] | None:
        """Give an operator's graph and node."""
        for graph in self.snapshot.graphs.values():
            for node in graph.nodes:
                if node.name == op:
                    return graph.name, node
        return None

    def producer(self, graph: str, node: SnapshotNode, index: int) -> Tensor | None:
        """Give the tensor that an input of a node takes, through the borders of sub graphs."""
        source = self._source(graph, node, index)
        return None if source is None else self._real(*source)

    def _real(self, graph: str, node: SnapshotNode, output: int, depth: int = 0) -> Tensor:
        """Step out of a sub graph's Data, and into the sub graph that gives a node's output."""
        if depth > LONGEST:
            return graph, node, output
        owner = self._owner(graph) if node.type in DATA else None
        if owner is not None:
            at = node.attrs.get("_parent_node_index", node.attrs.get("index"))
            outer = self._source(*owner, at) if isinstance(at, int) else None
            if outer is not None:
                return self._real(*outer, depth + 1)
        inner = self._inner(node, output)
        return (graph, node, output) if inner is None else self._real(*inner, depth + 1)

    def _source(self, graph: str, node: SnapshotNode, index: int) -> Tensor | None:
        linked = self._linked.setdefault(graph, Linked(self.snapshot.graphs[graph]))
        source = linked.producer(node, index)
        return None if source is None else (graph, *source)

    def _owner(self, graph: str) -> tuple[str, SnapshotNode] | None:
        """Give the node that owns a sub graph."""
        for name, other in self.snapshot.graphs.items():
            for node in other.nodes:
                if graph in node.subgraphs:
                    return name, node
        return None

    def _inner(self, node: SnapshotNode, output: int) -> Tensor | None:
        """Give the tensor inside the first sub graph that becomes a node's output."""
        graph = self.snapshot.graphs.get(node.subgraphs[0]) if node.subgraphs else None
        last = None if graph is None else next((each for each in graph.nodes if each.type == "NetOutput"), None)
        return None if graph is None or last is None else self._source(graph.name, last, output)

    def chain(self, graph: str, node: SnapshotNode, index: int | None) -> Iterator[Upstream]:
        """Give the producer of an input, then what made its shape, nearest first.

        Without an index all inputs are told, each with its producer only.
        """
        if index is None:
            for each in range(min(node.inputs, INPUTS)):
                tensor = self.producer(graph, node, each)
                if tensor is not None:
                    yield self._told(tensor, f"gives input {each} of {node.name}")
            return
        tensor, how = self.producer(graph, node, index), f"gives input {index} of {node.name}"
        for _ in range(LONGEST):
            if tensor is None:
                return
            yield self._told(tensor, how)
            how = f"feeds {tensor[1].name}"
            tensor = self._open_input(*tensor[:2])

    def _open_input(self, graph: str, node: SnapshotNode) -> Tensor | None:
        """Give the producer of the first input whose shape is open in the dump: there the shape comes from."""
        shapes = shapes_of_node(node, "input")
        index = next((at for at, shape in enumerate(shapes) if is_open(shape)), None)
        return None if index is None else self.producer(graph, node, index)

    def _told(self, tensor: Tensor, how: str) -> Upstream:
        graph, node, output = tensor
        shapes = shapes_of_node(node, "output")
        operated = self.shapes.get(node.name)
        outputs = () if operated is None or operated.outputs is None else operated.outputs
        printed = outputs[output] if output < len(outputs) else None
        known = self.store is not None and operated is not None and printed is not None
        spot = place(self.store, operated.row) if known and self.store and operated else None
        in_dump: Shape | None = shapes[output] if output < len(shapes) else None
        return Upstream(node.name, node.type, graph, in_dump, printed, Seen(spot, self.snapshot.source, node.name), how)


def walker_for(
    snapshots: Sequence[GraphSnapshot], op: str, shapes: Mapping[str, Operated], store: Store | None
) -> tuple[Walker, str, SnapshotNode] | None:
    """Find the dump that has an operator, the latest first."""
    for snapshot in reversed(snapshots):
        walker = Walker(snapshot, shapes, store)
        found = walker.find(op)
        if found is not None:
            return walker, *found
    return None
