"""ComputeGraph: the model as its author sees it, one node an operator.

It owns operators, their tensor descriptions and the edges between them, and nothing about execution. If it knew
kernels, a graph could not be lowered twice (GE forbids a build to change it, spec/lowering.md 12.30).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.values import DType, Format, Shape, StorageFormat

ALL_KERNEL = "ALL_KERNEL"
"""Task type of a dynamic-shape AI Core kernel that is launched through a handle (spec/lowering.md 4.1)."""

KERNEL = "KERNEL"
"""Task type of a kernel that is launched through its stub function, and of an AI CPU kernel."""

KERNEL_EX = "KERNEL_EX"
"""Task type of an AI CPU kernel of the TensorFlow library."""

DSA = "DSA"
"""Task type of the random number engine."""

VECTOR_ALL_KERNEL = "VECTOR_ALL_KERNEL"
VECTOR_KERNEL = "VECTOR_KERNEL"
"""The same two for kernels that run on vector cores alone."""

ND = StorageFormat(Format.ND, Format.ND)
"""Format of a tensor whose dimensions have no meaning of their own."""


@dataclass(frozen=True, slots=True)
class TensorDesc:
    """What is known of a tensor before the model runs.

    ``shape`` is the origin shape; ``storage_shape`` is the one in memory, None when they agree. ``shape_range`` has
    one (least, most) pair per dimension, most -1 for no limit; None when the model does not say. ``variable`` names the
    variable that an output writes into (``assign_var_name`` or ``ref_var_src_var_name`` of the descriptor).
    """

    shape: Shape
    dtype: DType = DType.FLOAT
    format: StorageFormat = ND
    name: str = ""
    storage_shape: Shape | None = None
    shape_range: tuple[tuple[int, int], ...] | None = None
    variable: str = ""

    @property
    def storage(self) -> Shape:
        """The shape in memory."""
        return self.shape if self.storage_shape is None else self.storage_shape

    @property
    def storage_is_origin(self) -> bool:
        """Whether memory holds the tensor as the model means it."""
        return self.storage == self.shape and self.format.storage == self.format.origin


@dataclass(slots=True)
class OpDesc:
    """An operator: what it is called, what it takes and gives, and which engine runs it.

    ``engine`` is GE's ``OpKernelLibName``; ``tasks`` are the task types of its compile result, in GE's order (a clean
    task before the operator's own), empty when it has none. ``stream_id`` is the logic stream the engines gave it.
    """

    name: str
    type: str
    inputs: tuple[TensorDesc, ...] = ()
    outputs: tuple[TensorDesc, ...] = ()
    engine: str = ""
    tasks: tuple[str, ...] = ()
    attrs: dict[str, AttrValue] = field(default_factory=dict)
    stream_id: int = 0

    def number(self, attribute: str, default: int = 0) -> int:
        """Give an attribute that is a whole number, ``default`` when it is not there.

        Raises ModelError when it is something else: GE's readers take such an attribute as absent, and nobody learns
        why the model does not do what it says.
        """
        value = self.attrs.get(attribute, default)
        if isinstance(value, int):
            return value
        raise ModelError(f"attribute '{attribute}' of node '{self.name}' is {value!r}, which is no number")


class ComputeNode:
    """A node: its operator, the producers of its inputs, the nodes that must run before it, the graphs it owns.

    ``consumers`` are the nodes that read an output, as (output, node, input), in the order they were connected.
    """

    __slots__ = ("consumers", "control_consumers", "control_inputs", "graph", "id", "inputs", "op", "subgraphs")

    def __init__(self, op: OpDesc, node_id: int, graph: "ComputeGraph") -> None:
        self.op = op
        self.id = node_id
        self.graph = graph
        self.inputs: list[tuple[ComputeNode, int] | None] = [None] * len(op.inputs)
        self.consumers: list[tuple[int, ComputeNode, int]] = []
        self.control_inputs: list[ComputeNode] = []
        self.control_consumers: list[ComputeNode] = []
        self.subgraphs: list[ComputeGraph] = []

    @property
    def name(self) -> str:
        """The operator's name, unique in the graph."""
        return self.op.name

    @property
    def type(self) -> str:
        """The operator's type, such as ``Add``."""
        return self.op.type

    def __repr__(self) -> str:
        return f"ComputeNode({self.name!r}, {self.type!r})"


class ComputeGraph:
    """A named list of nodes in creation order, with their edges.

    A graph that a node owns (a branch of an If, the body of a While or of a PartitionedCall) has it as ``parent_node``;
    its Data nodes name the parent's input they stand for in the attribute ``_parent_node_index``.
    """

    def __init__(self, name: str, attrs: Mapping[str, AttrValue] | None = None) -> None:
        self.name = name
        self.parent_node: ComputeNode | None = None
        self.attrs: dict[str, AttrValue] = dict(attrs or {})
        self.nodes: list[ComputeNode] = []
        self._by_name: dict[str, ComputeNode] = {}

    def add(self, op: OpDesc) -> ComputeNode:
        """Append a node. Raises ModelError when the name is taken, or would break the lines of a log."""
        if not op.name.isprintable():
            raise ModelError(
                f"the node name {op.name!r} holds a character that no log line can show", "rename the node"
            )
        if op.name in self._by_name:
            raise ModelError(f"graph '{self.name}' has two nodes named '{op.name}'", "give each node its own name")
        node = ComputeNode(op, len(self.nodes), self)
        self.nodes.append(node)
        self._by_name[op.name] = node
        return node

    def connect(self, source: ComputeNode, output: int, target: ComputeNode, slot: int) -> None:
        """Feed input ``slot`` of a node. Raises ModelError when an end does not exist or the input is fed already."""
        for end in (source, target):
            if end.graph is not self:
                text = f"node '{target.name}' cannot read '{source.name}'"
                text += f": '{end.name}' is a node of graph '{end.graph.name}'"
                raise ModelError(text, "hand the tensor to the graph as one of its inputs")
        if not 0 <= output < len(source.op.outputs):
            raise ModelError(f"node '{source.name}' has no output {output}", f"it has {len(source.op.outputs)}")
        if not 0 <= slot < len(target.inputs):
            raise ModelError(f"node '{target.name}' has no input {slot}", f"it has {len(target.inputs)}")
        if target.inputs[slot] is not None:
            raise ModelError(f"input {slot} of node '{target.name}' is fed twice")
        target.inputs[slot] = (source, output)
        source.consumers.append((output, target, slot))

    def order(self, before: ComputeNode, after: ComputeNode) -> None:
        """Add a control edge: ``after`` starts when ``before`` has run."""
        after.control_inputs.append(before)
        before.control_consumers.append(after)

    def add_subgraph(self, owner: ComputeNode, graph: "ComputeGraph") -> "ComputeGraph":
        """Hang a graph under a node of this one; the order of calls is the order of branches. Gives the graph back.

        Raises ModelError when the graph has an owner already, or it or one below it has a name that is in the model:
        GE finds sub graphs by name from the root (spec/lowering.md 1.1).
        """
        if graph.parent_node is not None:
            raise ModelError(f"graph '{graph.name}' has an owner already, node '{graph.parent_node.name}'")
        taken = {other.name for other in self.root.all_graphs()}
        for each in graph.all_graphs():
            if each.name in taken:
                raise ModelError(f"two graphs of the model are named '{each.name}'", "give each graph its own name")
            taken.add(each.name)
        graph.parent_node = owner
        owner.subgraphs.append(graph)
        return graph

    @property
    def root(self) -> "ComputeGraph":
        """The graph that no node owns."""
        graph = self
        while graph.parent_node is not None:
            graph = graph.parent_node.graph
        return graph

    def all_graphs(self) -> Iterator["ComputeGraph"]:
        """Walk this graph and those below it, an owner before what it owns.

        Raises ModelError for a graph that comes twice: it would be walked for ever.
        """
        seen: set[ComputeGraph] = set()
        pending = [self]
        while pending:
            graph = pending.pop()
            if graph in seen:
                raise ModelError(f"graph '{graph.name}' is owned twice, or stands below itself", "give it one owner")
            seen.add(graph)
            yield graph
            pending.extend(reversed([below for node in graph.nodes for below in node.subgraphs]))

    def all_nodes(self) -> Iterator[ComputeNode]:
        """Walk the nodes of this graph and of all below it."""
        for graph in self.all_graphs():
            yield from graph.nodes

    def node(self, name: str) -> ComputeNode:
        """Find a node. Raises ModelError when there is none of that name."""
        try:
            return self._by_name[name]
        except KeyError:
            raise ModelError(f"graph '{self.name}' has no node '{name}'") from None

    def of_type(self, types: Iterable[str]) -> list[ComputeNode]:
        """List the nodes of some types, in creation order."""
        wanted = frozenset(types)
        return [node for node in self.nodes if node.type in wanted]


def nd_desc(
    dims: Iterable[int], dtype: DType = DType.FLOAT, shape_range: Iterable[tuple[int, int]] | None = None
) -> TensorDesc:
    """Describe a tensor in ND. Without ``shape_range``, an unknown dimension starts at 1 and has no limit.

    GE guards an output whose range starts at 0 with a branch for the empty tensor (spec/lowering.md 4.1.3); a model
    that means its tensors to be non-empty says so with a range from 1, and that is what most people mean.
    """
    shape = Shape(dims)
    ranges = (
        tuple(shape_range) if shape_range is not None else tuple((dim, dim) if dim >= 0 else (1, -1) for dim in shape)
    )
    return TensorDesc(shape, dtype, StorageFormat(Format.ND, Format.ND), shape_range=ranges)
