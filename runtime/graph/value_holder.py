"""ValueHolder and HolderFactory: how converters write kernels without touching edges.

A holder is one output of a kernel that does not exist for the user; the factory adds kernels to the graph of the
current frame and connects them, across graphs where it must. Guarders (the kernels that release something) get their
waiting edges here and only here: a converter that had to remember them would free memory too early.

Source: spec/lowering.md 1.6 (graph_metadef/exe_graph/lowering).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from getrace.errors import InternalError
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.naming import IdSource
from runtime.values import Placement

VOID = -1
"""Output index of a holder whose kernel gives nothing."""

GUARDED_OUTSIDE = "NodeWithGuarderOutside"
"""Attribute of an InnerData: the type of the guarder that its source has on a graph above."""

_NEVER_GUARDED = frozenset({"NetOutput", "InnerNetOutput"})


class ValueHolder:
    """Output ``index`` of ``node``; -1 for a kernel without outputs.

    ``guarder`` releases what the output holds; ``stream_id`` is the logic stream of a device address.
    """

    __slots__ = ("guarder", "index", "node", "placement", "stream_id")

    def __init__(self, node: FastNode, index: int, placement: Placement = Placement.DEVICE_HBM) -> None:
        self.node = node
        self.index = index
        self.placement = placement
        self.guarder: ValueHolder | None = None
        self.stream_id = 0

    def __repr__(self) -> str:
        return f"ValueHolder({self.node.name}:{self.index})"


@dataclass(slots=True)
class _Frame:
    graph: ExecuteGraph
    compute_node: ComputeNode | None


class HolderFactory:
    """Adds kernels to the graph on top of its stack of frames.

    Frame 0 is ROOT and frame 1 is Main while a model is lowered.
    """

    def __init__(self, root: ExecuteGraph, ids: IdSource) -> None:
        self.root = root
        self.ids = ids
        self._frames: list[_Frame] = [_Frame(root, None)]
        self._compute_index: dict[ComputeNode, int] = {}

    @property
    def graph(self) -> ExecuteGraph:
        """The graph that new kernels go to."""
        return self._frames[-1].graph

    @property
    def compute_node(self) -> ComputeNode | None:
        """The operator the next kernels belong to, None for the skeleton. Each frame has one of its own.

        Operators are numbered as they are set, whether or not a kernel follows.
        """
        return self._frames[-1].compute_node

    @compute_node.setter
    def compute_node(self, node: ComputeNode | None) -> None:
        self._frames[-1].compute_node = node
        if node is not None and node not in self._compute_index:
            self._compute_index[node] = len(self._compute_index)
            self.root.compute_nodes.append(node)

    @contextmanager
    def frame(self, graph: ExecuteGraph, resumed: bool = False) -> Iterator[None]:
        """Send new kernels to another graph for a while; they belong to the current operator.

        A graph that is ``resumed`` goes on with the operator it was left with, further down the stack: what the
        operator of a branch asks Main for belongs to the operator that owns the branch.
        """
        current = self.compute_node
        left_with = next((frame.compute_node for frame in self._frames if frame.graph is graph), current)
        self._frames.append(_Frame(graph, left_with if resumed else current))
        try:
            yield
        finally:
            self._frames.pop()

    @contextmanager
    def working_on(self, node: ComputeNode | None) -> Iterator[None]:
        """Say which operator the next kernels belong to; None for nobody's."""
        before, self.compute_node = self.compute_node, node
        try:
            yield
        finally:
            self.compute_node = before

    def subgraph(self, owner: FastNode, name: str) -> ExecuteGraph:
        """Hang a new graph under a node, named ``<name>[_<compute node>]_<number>`` (``PushGraphFrame``)."""
        graph = ExecuteGraph(self.ids.name(name, self._compute_name()))
        owner.graph.add_subgraph(owner, graph)
        return graph

    def const(self, value: object) -> ValueHolder:
        """Add a Const. ``value`` is what kernels will read; a text keeps GE's mark of a string payload."""
        holder = self.single("Const")
        holder.node.attrs.update({"is_string": isinstance(value, str), "value": value})
        return holder

    def inner_data(self, index: int) -> ValueHolder:
        """Read an input of the node that owns the current graph; there is one InnerData for each input."""
        graph = self.graph
        if index not in graph.inner_data:
            graph.inner_data[index] = self._new_inner_data(graph, index)
        return self.hold(graph.inner_data[index], 0)

    def feed(self, index: int, type_name: str = "Data") -> ValueHolder:
        """Add a graph input: a model input from 0, an execute argument below, or a ``ConstData`` of Init."""
        holder = self.single(type_name)
        holder.node.attrs["index"] = index
        return holder

    def single(self, type_name: str, *inputs: ValueHolder) -> ValueHolder:
        """Add a kernel with one output (``CreateSingleDataOutput``)."""
        return self.many(type_name, 1, *inputs)[0]

    def many(self, type_name: str, outputs: int, *inputs: ValueHolder) -> list[ValueHolder]:
        """Add a kernel with several outputs (``CreateDataOutput``)."""
        node = self._add_node(type_name, inputs, outputs)
        return [self.hold(node, index) for index in range(outputs)]

    def void(self, type_name: str, *inputs: ValueHolder, name: str = "") -> ValueHolder:
        """Add a kernel without outputs (``CreateVoid``); ``name`` overrides the generated one."""
        return self.hold(self._add_node(type_name, inputs, 0, name), VOID)

    def guarder(self, type_name: str, resource: ValueHolder, *others: ValueHolder) -> ValueHolder:
        """Add the kernel that releases a holder; later consumers of the holder make it wait (``CreateVoidGuarder``)."""
        guarder = self.void(type_name, resource, *others)
        guarder.node.attrs["ReleaseResourceIndex"] = 0
        resource.node.attrs["GuarderNodeType"] = type_name
        resource.guarder = guarder
        return guarder

    def order(self, before: ValueHolder, after: ValueHolder) -> None:
        """Make one kernel wait for another of the same graph (``AddDependency``); for one and the same, do nothing.

        Raises InternalError across graphs: GE ignores such an order silently (spec/lowering.md 12.16).
        """
        if before.node is after.node:
            return
        before.node.graph.add_control_edge(before.node, after.node)

    def order_if_possible(self, before: ValueHolder, after: ValueHolder) -> bool:
        """As ``order``, for kernels that may lie in different graphs; says whether they can be ordered.

        GE warns and goes on (spec/lowering.md 12.16): what runs on Init has run before Main starts, and what a branch
        must wait for is waited for by the node that owns the branch.
        """
        if before.node.graph is not after.node.graph:
            return False
        self.order(before, after)
        return True

    def release_after(self, holder: ValueHolder, after: ValueHolder) -> None:
        """Keep what a holder owns until a kernel has run that uses it without reading the holder (``ReleaseAfter``)."""
        if holder.guarder is not None:
            self._release_after(holder.guarder.node, after.node)

    def append_input(self, consumer: FastNode, holder: ValueHolder) -> int:
        """Give a kernel one more input, without a guarder edge (``AppendInputs``); returns its index."""
        slot = len(consumer.in_data)
        self._connect(holder, consumer, slot)
        return slot

    def export(self, outputs: Sequence[ValueHolder], waited_for: Sequence[ValueHolder] = ()) -> FastNode:
        """End the current graph: an InnerNetOutput takes what leaves it (``PopGraphFrame``)."""
        end = self.void("InnerNetOutput", *outputs).node
        for before in waited_for:
            self.graph.add_control_edge(before.node, end)
        return end

    def hold(self, node: FastNode, index: int) -> ValueHolder:
        """Make a holder for an output that exists. Each holder takes a number, as GE's names show."""
        self.ids.take()
        return ValueHolder(node, index)

    def _compute_name(self) -> str:
        return "" if self.compute_node is None else self.compute_node.name

    def _new_node(self, graph: ExecuteGraph, type_name: str, inputs: int, outputs: int, name: str = "") -> FastNode:
        generated = self.ids.name(type_name, self._compute_name())
        node = graph.add_node(name or generated, type_name, inputs, outputs)
        if self.compute_node is not None:
            node.attrs["ComputeNodeIndex"] = self._compute_index[self.compute_node]
        return node

    def _add_node(self, type_name: str, inputs: Sequence[ValueHolder], outputs: int, name: str = "") -> FastNode:
        node = self._new_node(self.graph, type_name, len(inputs), outputs, name)
        for slot, holder in enumerate(inputs):
            self._connect(holder, node, slot)
        if type_name not in _NEVER_GUARDED:
            for holder in inputs:
                if holder.guarder is not None:
                    self._release_after(holder.guarder.node, node)
        return node

    def _release_after(self, guarder: FastNode, consumer: FastNode) -> None:
        """Order a guarder behind a consumer, or behind the node whose sub graph the consumer is in."""
        waited_for = consumer
        while waited_for.graph is not guarder.graph:
            parent = waited_for.graph.parent_node
            if parent is None:
                raise InternalError(f"{guarder.name} cannot wait for {consumer.name}: it is on no graph above it")
            waited_for = parent
        guarder.graph.add_control_edge(waited_for, guarder)

    def _connect(self, holder: ValueHolder, target: FastNode, slot: int) -> None:
        """Connect a producer of this graph or of one above, through an InnerData for every level in between."""
        graph = target.graph
        if graph is holder.node.graph:
            graph.add_edge(holder.node, holder.index, target, slot)
            return
        levels: list[ExecuteGraph] = []
        while graph is not holder.node.graph:
            if graph.parent_node is None:
                raise InternalError(f"{target.name} cannot read {holder!r}: it is on no graph above it")
            levels.append(graph)
            graph = graph.parent_node.graph
        source, output = holder.node, holder.index
        for level in reversed(levels):
            source, output = self._descend(source, output, level), 0
        target.graph.add_edge(source, output, target, slot)

    def _descend(self, source: FastNode, output: int, graph: ExecuteGraph) -> FastNode:
        """Bring an output into a sub graph: reuse the parent's input and its InnerData, or add them."""
        parent = graph.parent_node
        assert parent is not None
        slot = next((edge.target_input for edge in source.out_data[output] if edge.target is parent), VOID)
        if slot == VOID:
            slot = len(parent.in_data)
            parent.graph.add_edge(source, output, parent, slot)
        if slot not in graph.inner_data:
            graph.inner_data[slot] = self._new_inner_data(graph, slot)
        return graph.inner_data[slot]

    def _new_inner_data(self, graph: ExecuteGraph, slot: int) -> FastNode:
        inner = self._new_node(graph, "InnerData", 0, 1)
        inner.attrs["index"] = slot
        parent = graph.parent_node
        source = parent.inputs[slot] if parent is not None and slot < len(parent.in_data) else None
        if source is not None:
            outside = source[0].attrs.get("GuarderNodeType", source[0].attrs.get(GUARDED_OUTSIDE))
            if outside is not None:
                inner.attrs[GUARDED_OUTSIDE] = outside
        return inner
