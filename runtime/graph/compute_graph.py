"""ComputeGraph: the model as its author sees it, one node an operator.

It owns operators, their tensor descriptions and the edges between them, and nothing about execution. If it knew
kernels, a graph could not be lowered twice (GE forbids a build to change it, spec/lowering.md 12.30).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.values import DType, Format, Shape, StorageFormat

ALL_KERNEL = "ALL_KERNEL"
"""Task type of a dynamic-shape AI Core kernel that is launched through a handle (spec/lowering.md 4.1)."""


ND = StorageFormat(Format.ND, Format.ND)
"""Format of a tensor whose dimensions have no meaning of their own."""


@dataclass(frozen=True, slots=True)
class TensorDesc:
    """What is known of a tensor before the model runs.

    ``shape`` is the origin shape; ``storage_shape`` is the one in memory, None when they agree. ``shape_range`` has
    one (least, most) pair per dimension, most -1 for no limit; None when the model does not say.
    """

    shape: Shape
    dtype: DType = DType.FLOAT
    format: StorageFormat = ND
    name: str = ""
    storage_shape: Shape | None = None
    shape_range: tuple[tuple[int, int], ...] | None = None

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

    ``engine`` is GE's ``OpKernelLibName``; ``task`` is the task type of its compile result, "" when it has none.
    """

    name: str
    type: str
    inputs: tuple[TensorDesc, ...] = ()
    outputs: tuple[TensorDesc, ...] = ()
    engine: str = ""
    task: str = ""
    attrs: dict[str, AttrValue] = field(default_factory=dict)


class ComputeNode:
    """A node: its operator, the producers of its inputs and the nodes that must run before it."""

    __slots__ = ("control_inputs", "id", "inputs", "op")

    def __init__(self, op: OpDesc, node_id: int) -> None:
        self.op = op
        self.id = node_id
        self.inputs: list[tuple[ComputeNode, int] | None] = [None] * len(op.inputs)
        self.control_inputs: list[ComputeNode] = []

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
    """A named list of nodes in creation order, with their edges."""

    def __init__(self, name: str, attrs: Mapping[str, AttrValue] | None = None) -> None:
        self.name = name
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
        node = ComputeNode(op, len(self.nodes))
        self.nodes.append(node)
        self._by_name[op.name] = node
        return node

    def connect(self, source: ComputeNode, output: int, target: ComputeNode, slot: int) -> None:
        """Feed input ``slot`` of a node. Raises ModelError when an end does not exist or the input is fed already."""
        if not 0 <= output < len(source.op.outputs):
            raise ModelError(f"node '{source.name}' has no output {output}", f"it has {len(source.op.outputs)}")
        if not 0 <= slot < len(target.inputs):
            raise ModelError(f"node '{target.name}' has no input {slot}", f"it has {len(target.inputs)}")
        if target.inputs[slot] is not None:
            raise ModelError(f"input {slot} of node '{target.name}' is fed twice")
        target.inputs[slot] = (source, output)

    def order(self, before: ComputeNode, after: ComputeNode) -> None:
        """Add a control edge: ``after`` starts when ``before`` has run."""
        after.control_inputs.append(before)

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
