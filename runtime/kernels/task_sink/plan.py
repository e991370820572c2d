"""A graph of known shapes becomes a plan: steps in order, and a place for every tensor.

It is what GE's compiler did before an OM was written and ``DavinciModel`` reads from its task list. No two tensors
share memory here: GE's compiler saves memory, a simulator would only hide who overwrote whom.

Source: seed ``2.1`` (static models), spec/formats.md 1.12 (task order is launch order).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import numpy as np

from getrace.errors import ModelError
from runtime.graph.builder import AI_CORE
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.kernels.task_sink.places import Area, Where
from runtime.kernels.task_sink.steps import ChoiceStep, CopyStep, CoreStep, CpuStep, LoopStep, Step, TensorAt, Tiled
from runtime.ops.context import TilingContext
from runtime.ops.op_def import OpDef
from runtime.ops.registry import OpRegistry
from runtime.values import DType, Shape, StorageShape

_SLOT = 512
"""Tensors and weights begin at multiples of this."""

_ROOM = 32
"""Bytes behind each tensor, which vector cores may read."""

_OWN_OUTPUT = frozenset({Area.WORK})


@dataclass(slots=True)
class SinkPlan:
    """A planned model: what it does, its weights, and how many bytes it works in.

    ``inputs`` and ``outputs`` describe the caller's tensors, ``results`` where the outputs come from; ``redirected``
    are results that are computed right where the caller wants them.
    """

    name: str
    steps: list[Step] = field(default_factory=list)
    weights: bytearray = field(default_factory=bytearray)
    work_bytes: int = 0
    inputs: list[TensorAt] = field(default_factory=list)
    outputs: list[TensorAt] = field(default_factory=list)
    results: list[TensorAt] = field(default_factory=list)
    redirected: dict[Where, Where] = field(default_factory=dict)

    @property
    def moved_bytes(self) -> int:
        """Bytes that one run moves."""
        return sum(step.moved_bytes for step in self.steps)


def plan_model(graph: ComputeGraph, ops: OpRegistry, order: Sequence[str] = ()) -> SinkPlan:
    """Plan a model. ``order`` names nodes of the root graph in the order of the model's tasks.

    Raises ModelError for a shape that is not known, an operator that cannot be computed, and variables.
    """
    plan = SinkPlan(graph.name)
    planner = _Planner(plan, ops)
    data = sorted(graph.of_type(("Data", "AippData", "RefData")), key=_parent_index)
    plan.inputs = [
        TensorAt(Where(Area.INPUT, at), node.op.outputs[0].dtype, _known(node, 0)) for at, node in enumerate(data)
    ]
    fed = dict(zip(data, plan.inputs, strict=True))
    plan.results = planner.walk(_in_task_order(graph, order), fed)
    for at, tensor in enumerate(plan.results):
        target = Where(Area.OUTPUT, at)
        if tensor.where.area in _OWN_OUTPUT and tensor.where not in plan.redirected:
            plan.redirected[tensor.where] = target
        else:
            plan.steps.append(CopyStep(((tensor, target),)))
        plan.outputs.append(TensorAt(target, tensor.dtype, tensor.shape))
    return plan


def _known(node: ComputeNode, output: int) -> Shape:
    shape = node.op.outputs[output].storage
    if not shape.is_known:
        text = f"output {output} of node {node.name} has the shape {shape}, a static model knows all its shapes"
        raise ModelError(text, "run it as a dynamic model")
    return shape


def _in_task_order(graph: ComputeGraph, order: Sequence[str]) -> list[ComputeNode]:
    """Give the nodes as the task list launches them; a node without a task comes behind what it needs."""
    place = {name: at for at, name in reversed(list(enumerate(order)))}
    keys: dict[ComputeNode, int] = {}
    for node in graph.nodes:
        before = [*(source[0] for source in node.inputs if source is not None), *node.control_inputs]
        keys[node] = max([place.get(node.name, -1), *(keys.get(each, -1) for each in before)])
    return sorted(graph.nodes, key=keys.__getitem__)


_Handler = Callable[["_Planner", ComputeNode, list[TensorAt]], list[TensorAt]]


class _Planner:
    """Collects the steps of a graph and of the graphs below it. ``steps`` is where the next one goes."""

    def __init__(self, plan: SinkPlan, ops: OpRegistry) -> None:
        self.plan = plan
        self.steps = plan.steps
        self.ops = ops

    def walk(self, nodes: Sequence[ComputeNode], fed: Mapping[ComputeNode, TensorAt]) -> list[TensorAt]:
        """Plan nodes in order; ``fed`` are the values of Data nodes. Gives what the NetOutput is given."""
        values: dict[ComputeNode, list[TensorAt]] = {node: [tensor] for node, tensor in fed.items()}
        results: list[TensorAt] = []
        for node in nodes:
            if node in values:
                continue
            given = [values[source[0]][source[1]] for source in node.inputs if source is not None]
            if node.type == "NetOutput":
                results = given
                continue
            values[node] = _HANDLERS.get(node.type, _operator)(self, node, given)
        return results

    def below(self, graph: ComputeGraph, given: Sequence[TensorAt]) -> list[TensorAt]:
        """Plan a graph that a node owns; its Data nodes stand for the node's inputs."""
        data = graph.of_type(("Data",))
        return self.walk(graph.nodes, {node: given[_parent_index(node)] for node in data})

    def branch(self, graph: ComputeGraph, given: Sequence[TensorAt], targets: Sequence[TensorAt]) -> tuple[Step, ...]:
        """Plan a graph into steps of its own that end by copying its results to ``targets``."""
        outside, self.steps = self.steps, []
        results = self.below(graph, given)
        if results:
            pairs = zip(results, (target.where for target in targets), strict=True)
            self.steps.append(CopyStep(tuple(pairs)))
        made, self.steps = tuple(self.steps), outside
        return made

    def memory(self, size: int) -> Where:
        """Take memory of the work area."""
        where = Where(Area.WORK, self.plan.work_bytes)
        self.plan.work_bytes += _aligned(size + _ROOM)
        return where

    def tensor(self, node: ComputeNode, output: int) -> TensorAt:
        """Take memory for an output of a node."""
        shape, dtype = _known(node, output), node.op.outputs[output].dtype
        return TensorAt(self.memory(shape.elements * dtype.numpy.itemsize), dtype, shape)

    def weight(self, content: bytes, dtype: DType, shape: Shape) -> TensorAt:
        """Put a constant behind the other weights."""
        weights = self.plan.weights
        where = Where(Area.WEIGHT, len(weights))
        weights += content + bytes(_aligned(len(content) + _ROOM) - len(content))
        return TensorAt(where, dtype, shape)


def _aligned(size: int) -> int:
    return -(-size // _SLOT) * _SLOT


def _parent_index(node: ComputeNode) -> int:
    index = node.op.attrs.get("_parent_node_index", node.op.attrs.get("index", 0))
    return index if isinstance(index, int) else 0


def _constant(planner: _Planner, node: ComputeNode, _given: list[TensorAt]) -> list[TensorAt]:
    content = node.op.attrs.get("value")
    assert isinstance(content, bytes)
    return [planner.weight(content, node.op.outputs[0].dtype, _known(node, 0))]


def _same_bytes(_planner: _Planner, node: ComputeNode, given: list[TensorAt]) -> list[TensorAt]:
    """Outputs that are inputs with another shape or name."""
    return [
        TensorAt(given[output].where, desc.dtype, _known(node, output)) for output, desc in enumerate(node.op.outputs)
    ]


def _dimensions(planner: _Planner, node: ComputeNode, given: list[TensorAt]) -> list[TensorAt]:
    """Shape, ShapeN, Rank, Size: values that are known while the model is planned."""
    of_one: Mapping[str, Callable[[Shape], object]] = {"Rank": len, "Size": lambda shape: shape.elements}
    value_of = of_one.get(node.type, tuple)
    made = []
    for output, desc in enumerate(node.op.outputs):
        content = np.array(value_of(given[output].shape), desc.dtype.numpy)
        made.append(planner.weight(content.tobytes(), desc.dtype, Shape(content.shape)))
    return made


def _nothing(_planner: _Planner, _node: ComputeNode, _given: list[TensorAt]) -> list[TensorAt]:
    return []


def _refused(_planner: _Planner, node: ComputeNode, _given: list[TensorAt]) -> list[TensorAt]:
    text = f"node {node.name} is a {node.type}; an offline static model has none"
    raise ModelError(text, "run the model as a dynamic one")


def _called(planner: _Planner, node: ComputeNode, given: list[TensorAt]) -> list[TensorAt]:
    return planner.below(node.subgraphs[0], given)


def _chosen(planner: _Planner, node: ComputeNode, given: list[TensorAt]) -> list[TensorAt]:
    targets = [planner.tensor(node, output) for output in range(len(node.op.outputs))]
    branches = tuple(planner.branch(graph, given, targets) for graph in node.subgraphs)
    planner.steps.append(ChoiceStep(given[0], branches, is_case=node.type == "Case"))
    return targets


def _repeated(planner: _Planner, node: ComputeNode, given: list[TensorAt]) -> list[TensorAt]:
    values = [planner.tensor(node, output) for output in range(len(node.op.outputs))]
    planner.steps.append(CopyStep(tuple((tensor, value.where) for tensor, value in zip(given, values, strict=True))))
    condition, body = node.subgraphs
    outside, planner.steps = planner.steps, []
    [decided] = planner.below(condition, values)
    asked, planner.steps = tuple(planner.steps), outside
    planner.steps.append(LoopStep(asked, decided, planner.branch(body, values, values)))
    return values


def _operator(planner: _Planner, node: ComputeNode, given: list[TensorAt]) -> list[TensorAt]:
    op = planner.ops.find(node.type)
    outputs = [_output(planner, op, node, given, output) for output in range(len(node.op.outputs))]
    inputs = tuple(given)
    if node.op.engine == AI_CORE and op.compute is not None:
        tiled = _tiled(planner, op, node, inputs, outputs)
        planner.steps.append(CoreStep(op, inputs, tuple(outputs), node.op.attrs, tiled))
    elif op.evaluate is not None:
        planner.steps.append(CpuStep(op, inputs, tuple(outputs), node.op.attrs))
    else:
        text = f"operator {node.type} of node {node.name} has no kernel for {node.op.engine or 'its engine'}"
        raise ModelError(text, "give it one in runtime/ops")
    return outputs


def _output(planner: _Planner, op: OpDef, node: ComputeNode, given: list[TensorAt], output: int) -> TensorAt:
    """An output that carries the name of an input is that input."""
    names = [io.name for io in op.inputs]
    name = op.outputs[output].name if output < len(op.outputs) else ""
    if name in names[: len(given)]:
        return given[names.index(name)]
    return planner.tensor(node, output)


def _tiled(
    planner: _Planner, op: OpDef, node: ComputeNode, inputs: Sequence[TensorAt], outputs: Sequence[TensorAt]
) -> Tiled:
    """Tile now, as the compiler of a static operator does. Raises ModelError when tiling refuses."""
    if op.tiling is None:
        return Tiled()
    shapes = [[StorageShape(tensor.shape, tensor.shape) for tensor in tensors] for tensors in (inputs, outputs)]
    seen = TilingContext(node.type, *shapes, dtypes=[tensor.dtype for tensor in inputs], attrs=node.op.attrs)
    if op.tiling(seen):
        raise ModelError(f"tiling of node {node.name} ({node.type}) failed", "look at the shapes of its inputs")
    spaces = tuple((planner.memory(size), size) for size in seen.workspace_sizes if size > 0)
    return Tiled(seen.data, seen.tiling_key, seen.block_dim, spaces)


_ALIASES = (
    *("Reshape", "ExpandDims", "Squeeze", "SqueezeV2", "SqueezeV3", "Unsqueeze", "UnsqueezeV2", "UnsqueezeV3"),
    *("Flatten", "FlattenV2", "Bitcast", "Identity", "IdentityN", "MemcpyAsync"),
)

_HANDLERS: Final[Mapping[str, _Handler]] = MappingProxyType(
    {
        **dict.fromkeys(("Const", "Constant"), _constant),
        **dict.fromkeys(_ALIASES, _same_bytes),
        **dict.fromkeys(("Shape", "ShapeN", "Rank", "Size"), _dimensions),
        **dict.fromkeys(("NoOp", "Send", "Recv", "StreamActive", "ControlTrigger"), _nothing),
        **dict.fromkeys(("Variable", "VarHandleOp", "FileConstant"), _refused),
        **dict.fromkeys(("PartitionedCall", "StatefulPartitionedCall"), _called),
        **dict.fromkeys(("If", "StatelessIf", "_If", "Case", "StatelessCase"), _chosen),
        **dict.fromkeys(("While", "StatelessWhile", "_While"), _repeated),
    }
)


def is_static(graph: ComputeGraph) -> bool:
    """Whether all shapes of a model and of the graphs below it are known."""
    return all(desc.storage.is_known for node in graph.all_nodes() for desc in (*node.op.inputs, *node.op.outputs))
