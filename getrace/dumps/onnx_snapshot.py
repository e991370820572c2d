"""The graphs of an ONNX file as a snapshot in ONNX's own words, for looking at a model that Ascend does not take.

Inputs and constants become nodes, as values have no place of their own in a snapshot. What Ascend makes of the model is
the front end's to say.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from getrace.dumps.onnx_model import OnnxAttr, OnnxGraph, OnnxModel, OnnxNode, OnnxOther, OnnxTensor
from getrace.dumps.onnx_reader import read_onnx
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode

STAGE: Final = "ONNX"
INPUT, CONSTANT, OUTPUT = "Input", "Initializer", "Output"
"""Types of the nodes that ONNX has no nodes for."""


def read_onnx_snapshot(path: Path) -> GraphSnapshot:
    """Read a file and give its graphs. Raises InputError as ``read_onnx``."""
    return snapshot_of_onnx(read_onnx(path))


def snapshot_of_onnx(model: OnnxModel) -> GraphSnapshot:
    """Give the graphs of a model; a graph in an attribute is named after its node, and the attribute."""
    graphs: dict[str, SnapshotGraph] = {}
    root = model.graph.name or "model"
    pending = [(root, model.graph)]
    while pending:
        name, graph = pending.pop()
        picture = _Picture(name, graph)
        graphs[name] = picture.draw()
        pending += picture.below
    return GraphSnapshot(STAGE, root, graphs)


@dataclass(slots=True)
class _Picture:
    """One graph while it is drawn. ``makers`` gives the node and the output of a value."""

    name: str
    graph: OnnxGraph
    nodes: list[SnapshotNode] = field(default_factory=list)
    edges: list[SnapshotEdge] = field(default_factory=list)
    makers: dict[str, tuple[int, int]] = field(default_factory=dict)
    below: list[tuple[str, OnnxGraph]] = field(default_factory=list)

    def draw(self) -> SnapshotGraph:
        """Draw inputs, constants, nodes, outputs; values from outside of the graph have no edge."""
        constants = {tensor.name for tensor in self.graph.initializers}
        for value in self.graph.inputs:
            if value.name not in constants:
                self._add(value.name, INPUT, (), (value.name,), {"dims": value.dims or (), "data_type": value.dtype})
        for tensor in self.graph.initializers:
            self._add(tensor.name, CONSTANT, (), (tensor.name,), _tensor_facts(tensor))
        for number, node in enumerate(self.graph.nodes):
            self._node(node, node.name or f"{node.op_type}_{number}")
        for value in self.graph.outputs:
            self._add(f"{value.name} (output)", OUTPUT, (value.name,), (), {})
        edges = sorted(self.edges, key=lambda edge: (edge.target, edge.target_input))
        return SnapshotGraph(self.name, tuple(self.nodes), tuple(edges))

    def _node(self, node: OnnxNode, name: str) -> None:
        inner = tuple((f"{self.name}/{name}_{attr}_{len(self.nodes)}", graph) for attr, graph in node.graphs())
        self.below += inner
        attrs = dict(_plain(node.attrs))
        self._add(name, node.op_type, node.inputs, node.outputs, attrs, tuple(title for title, _ in inner))

    def _add(
        self,
        name: str,
        op_type: str,
        inputs: tuple[str, ...],
        outputs: tuple[str, ...],
        attrs: Mapping[str, AttrValue],
        below: tuple[str, ...] = (),
    ) -> None:
        at = len(self.nodes)
        self.nodes.append(SnapshotNode(at, name, op_type, len(inputs), len(outputs), attrs, below, at))
        for slot, value in enumerate(inputs):
            if value in self.makers:
                self.edges.append(SnapshotEdge(*self.makers[value], at, slot))
        for index, value in enumerate(outputs):
            self.makers.setdefault(value, (at, index))


def _plain(attrs: Mapping[str, OnnxAttr]) -> Iterator[tuple[str, AttrValue]]:
    """Attributes as a snapshot holds them; of a tensor its shape and type, of a graph nothing but the graph below."""
    for name, value in attrs.items():
        items = value if isinstance(value, tuple) else (value,)
        plain = tuple(_fact(item) for item in items if not isinstance(item, OnnxGraph | OnnxOther))
        if len(plain) == len(items):
            yield name, plain if isinstance(value, tuple) else plain[0]


def _fact(item: float | str | OnnxTensor) -> AttrValue:
    return tuple(_tensor_facts(item).items()) if isinstance(item, OnnxTensor) else item


def _tensor_facts(tensor: OnnxTensor) -> dict[str, AttrValue]:
    facts: dict[str, AttrValue] = {"dims": tensor.dims, "data_type": tensor.dtype}
    if tensor.external:
        facts["location"] = tensor.external.get("location", "")
    return facts
