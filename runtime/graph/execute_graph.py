"""ExecuteGraph: the lowered model, one node a kernel (GE's ``graph_metadef/graph/fast_graph``).

It owns nodes, edges and the tree of sub graphs, and keeps both ends of an edge in step. Passes and converters change
a graph only through it; if they edited edge lists themselves, one end would sooner or later be forgotten.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from getrace.errors import InternalError
from runtime.graph.compute_graph import ComputeGraph, ComputeNode

CONTROL_EDGE_INDEX = -1
"""``kControlEdgeIndex``: both indices of an edge that carries order only."""


class FastEdge:
    """An edge between two nodes of one graph. Edges are equal only to themselves: the same order may be asked twice."""

    __slots__ = ("source", "source_output", "target", "target_input")

    def __init__(self, source: "FastNode", source_output: int, target: "FastNode", target_input: int) -> None:
        self.source = source
        self.source_output = source_output
        self.target = target
        self.target_input = target_input

    @property
    def is_control(self) -> bool:
        """Whether the edge carries order only."""
        return self.source_output == CONTROL_EDGE_INDEX


Edges: TypeAlias = tuple[()] | tuple["FastEdge"] | dict["FastEdge", None]
"""Edges in the order in which they were made: none, one, or a set that remembers its order.

Taking one out costs the same wherever it stands: the stream of a model is read by every launch, and a pass that moves
some of its readers must not look through all of them for each. But most places of a large graph have no edge or one,
and a set for each would be a quarter of the graph's memory.
"""


def _with(edges: Edges, edge: FastEdge) -> Edges:
    """Add an edge to those of a place."""
    if not edges:
        return (edge,)
    if isinstance(edges, tuple):
        return {edges[0]: None, edge: None}
    edges[edge] = None
    return edges


def _without(edges: Edges, edge: FastEdge) -> Edges:
    """Take an edge out of those of a place. Raises InternalError when it is not there."""
    if edge not in edges:
        raise InternalError(f"edge {edge.source.name} -> {edge.target.name} was taken out before")
    if isinstance(edges, tuple):
        return ()
    del edges[edge]
    return edges


class FastNode:
    """A kernel, or a node that owns sub graphs.

    ``in_data[i]`` is the one edge of input i or None; ``out_data[o]`` are the edges of output o, oldest first.
    ``attrs`` holds GE's attributes by name (spec/lowering.md 1.4); ``value`` of a Const is a Python object.
    """

    __slots__ = (
        "attrs",
        "graph",
        "id",
        "in_control",
        "in_data",
        "name",
        "out_control",
        "out_data",
        "output_refs",
        "subgraph_names",
        "type",
    )

    def __init__(self, graph: "ExecuteGraph", name: str, type_name: str, inputs: int, outputs: int) -> None:
        self.graph = graph
        self.name = name
        self.type = type_name
        self.id = -1
        self.attrs: dict[str, object] = {}
        self.in_data: list[FastEdge | None] = [None] * inputs
        self.out_data: list[Edges] = [()] * outputs
        self.in_control: Edges = ()
        self.out_control: Edges = ()
        self.subgraph_names: tuple[str, ...] = ()
        self.output_refs: dict[int, tuple[str, int]] = {}
        """``RefFrom``: output -> (node name, output) whose value it shares."""

    @property
    def inputs(self) -> "list[tuple[FastNode, int] | None]":
        """Producer and output index of each data input, None where nothing is connected."""
        return [None if edge is None else (edge.source, edge.source_output) for edge in self.in_data]

    @property
    def output_count(self) -> int:
        """How many outputs the node has, used or not."""
        return len(self.out_data)

    @property
    def data_successors(self) -> "list[tuple[int, FastNode, int]]":
        """(output, consumer, input) of each data edge that leaves the node, by output, oldest first."""
        return [(e.source_output, e.target, e.target_input) for edges in self.out_data for e in edges]

    @property
    def control_successors(self) -> "list[FastNode]":
        """Nodes that must wait for this one, oldest edge first."""
        return [edge.target for edge in self.out_control]

    @property
    def subgraphs(self) -> "list[ExecuteGraph]":
        """The graphs this node owns, in sub graph order."""
        if not self.subgraph_names:
            return []
        root = self.graph.root
        return [root.subgraph(name) for name in self.subgraph_names]

    def __repr__(self) -> str:
        return f"FastNode({self.name!r})"


class ExecuteGraph:
    """A named, ordered list of nodes. The root registers all sub graphs of every depth by instance name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: list[FastNode] = []
        self.parent_node: FastNode | None = None
        self.attrs: dict[str, object] = {}
        self.compute_graph: ComputeGraph | None = None
        """The model that a root was lowered from (ext attr ``_compute_graph``); None on sub graphs."""
        self.compute_nodes: list[ComputeNode] = []
        """What ``ComputeNodeIndex`` counts: compute nodes in first-seen order; filled on a root."""
        self.inner_data: dict[int, FastNode] = {}
        """The InnerData node of each input of the parent node (ext attr ``_inner_data_nodes``)."""
        self._subgraphs: dict[str, ExecuteGraph] = {}

    @property
    def root(self) -> "ExecuteGraph":
        """The graph that has no parent."""
        graph = self
        while graph.parent_node is not None:
            graph = graph.parent_node.graph
        return graph

    def add_node(self, name: str, type_name: str, inputs: int = 0, outputs: int = 0) -> FastNode:
        """Append a node with unconnected inputs; its id is its position until the graph is sorted."""
        node = FastNode(self, name, type_name, inputs, outputs)
        node.id = len(self.nodes)
        self.nodes.append(node)
        return node

    def add_edge(self, source: FastNode, output: int, target: FastNode, slot: int) -> FastEdge:
        """Connect two nodes of this graph; an input that does not exist yet is appended.

        Raises InternalError when the ends are in other graphs, the input is fed already, or one index is a control
        index and the other is not (spec/lowering.md 1.1).
        """
        if source.graph is not self or target.graph is not self:
            raise InternalError(f"edge {source.name} -> {target.name} does not lie in graph {self.name}")
        edge = FastEdge(source, output, target, slot)
        if CONTROL_EDGE_INDEX in (output, slot):
            if output != slot:
                raise InternalError(f"edge {source.name}:{output} -> {target.name}:{slot} mixes data and control")
            source.out_control = _with(source.out_control, edge)
            target.in_control = _with(target.in_control, edge)
            return edge
        if not 0 <= output < len(source.out_data):
            raise InternalError(f"{source.name} has no output {output}")
        inputs = target.in_data
        if slot >= len(inputs):
            inputs.extend([None] * (slot + 1 - len(inputs)))
        elif inputs[slot] is not None:
            raise InternalError(f"input {slot} of {target.name} is fed twice")
        inputs[slot] = edge
        groups = source.out_data
        groups[output] = _with(groups[output], edge)
        return edge

    def add_output(self, node: FastNode) -> int:
        """Give a node one more output; returns its index."""
        node.out_data.append(())
        return len(node.out_data) - 1

    def add_control_edge(self, before: FastNode, after: FastNode) -> FastEdge:
        """Make ``after`` wait for ``before``; both are nodes of this graph."""
        return self.add_edge(before, CONTROL_EDGE_INDEX, after, CONTROL_EDGE_INDEX)

    def remove_edge(self, edge: FastEdge) -> None:
        """Take an edge out; the input it fed stays, unconnected."""
        if edge.is_control:
            edge.source.out_control = _without(edge.source.out_control, edge)
            edge.target.in_control = _without(edge.target.in_control, edge)
        else:
            groups = edge.source.out_data
            groups[edge.source_output] = _without(groups[edge.source_output], edge)
            edge.target.in_data[edge.target_input] = None

    def remove_node(self, node: FastNode) -> None:
        """Take a node and its edges out. Raises InternalError when it owns sub graphs."""
        if node.subgraph_names:
            raise InternalError(f"{node.name} owns sub graphs and cannot be removed")
        edges = [edge for edge in node.in_data if edge is not None]
        edges += [edge for group in node.out_data for edge in group]
        for edge in (*edges, *node.in_control, *node.out_control):
            self.remove_edge(edge)
        self.drop([node])

    def drop(self, nodes: Collection[FastNode]) -> None:
        """Take nodes that have no edges out of the list, all in one walk over it."""
        gone = set(nodes)
        self.nodes = [node for node in self.nodes if node not in gone]

    def adopt(self, nodes: Iterable[FastNode]) -> None:
        """Append nodes that another graph dropped. Edges between them stay theirs."""
        for node in nodes:
            node.graph = self
            self.nodes.append(node)

    def drop_inputs(self, node: FastNode, slots: Collection[int]) -> None:
        """Take data inputs of a node away, with their edges; later inputs move up."""
        gone = set(slots)
        for slot in gone:
            edge = node.in_data[slot]
            if edge is not None:
                self.remove_edge(edge)
        node.in_data = [edge for slot, edge in enumerate(node.in_data) if slot not in gone]
        for slot, edge in enumerate(node.in_data):
            if edge is not None:
                edge.target_input = slot

    def register_again(self, order: Iterable["ExecuteGraph"]) -> None:
        """Register the sub graphs in another order; to be asked on the root, with all of them."""
        ordered = {graph.name: graph for graph in order}
        if ordered.keys() != self._subgraphs.keys():
            raise InternalError(f"the sub graphs of {self.name} are not those that were given")
        self._subgraphs = ordered

    def add_subgraph(self, owner: FastNode, graph: "ExecuteGraph") -> None:
        """Hang a graph under a node of this graph and register it on the root. Raises InternalError on a taken name."""
        self.root.register(graph)
        graph.parent_node = owner
        owner.subgraph_names = (*owner.subgraph_names, graph.name)

    def register(self, graph: "ExecuteGraph") -> None:
        """Make a sub graph of any depth known by its name; to be asked on the root.

        Raises InternalError when the name is taken.
        """
        if graph.name in self._subgraphs:
            raise InternalError(f"two sub graphs are named {graph.name}")
        self._subgraphs[graph.name] = graph

    def unregister(self, graph: "ExecuteGraph") -> None:
        """Forget a sub graph that no node owns any more; to be asked on the root."""
        del self._subgraphs[graph.name]

    def subgraph(self, name: str) -> "ExecuteGraph":
        """Find a sub graph of any depth; to be asked on the root. Raises InternalError for an unknown name."""
        try:
            return self._subgraphs[name]
        except KeyError:
            raise InternalError(f"graph {self.name} has no sub graph {name}") from None

    @property
    def all_subgraphs(self) -> "list[ExecuteGraph]":
        """All registered sub graphs, in order of registration: a parent before its children."""
        return list(self._subgraphs.values())

    def owned_by(self, type_name: str) -> "ExecuteGraph":
        """Give sub graph 0 of the node of a type (``Init``, ``Main``, ``DeInit``); to be asked on the root.

        Raises InternalError when there is no such node.
        """
        for node in self.nodes:
            if node.type == type_name:
                return node.subgraphs[0]
        raise InternalError(f"graph {self.name} has no {type_name} node")

    def all_nodes(self) -> Iterator[FastNode]:
        """Walk depth first: a node, then the nodes of its sub graphs, then the next node (``GetAllNodes``)."""
        pending = list(reversed(self.nodes))
        while pending:
            node = pending.pop()
            yield node
            if node.subgraph_names:
                for graph in reversed(node.subgraphs):
                    pending.extend(reversed(graph.nodes))
