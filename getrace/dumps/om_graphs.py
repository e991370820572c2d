"""A MODEL_DEF to a GraphSnapshot: GE's ``ModelDef`` and ``GraphDef``.

The first graph is the root; all others follow flat, however deep they hang, and operators name the ones they own.

Source: spec/formats.md 1.7, 1.8.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from getrace.dumps.linking import RawNode, link_all
from getrace.dumps.om_attrs import read_entry
from getrace.dumps.om_names import NameTable
from getrace.dumps.om_ops import Attrs, LazyAttrs, Messages, read_op
from getrace.dumps.om_schema import number_of
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.wire import LENGTH, VARINT, Wire, WireField

MOST_NODES = 100_000
"""Nodes and edges a model may always have; above it, a node needs ``BYTES_PER_NODE`` bytes of MODEL_DEF (GE: 2,000)."""

BYTES_PER_NODE = 256

_NAME, _VERSION, _CUSTOM, _GRAPH, _MODEL_ATTR = (
    number_of("ModelDef", name) for name in ("name", "version", "custom_version", "graph", "attr")
)
_GRAPH_NAME, _OP, _GRAPH_ATTR = (number_of("GraphDef", name) for name in ("name", "op", "attr"))


@dataclass(frozen=True, slots=True)
class ModelDef:
    """What a MODEL_DEF says: its name and versions, its own attributes, its graphs, and the table of coded names."""

    name: str
    version: int
    custom_version: str
    attrs: LazyAttrs
    snapshot: GraphSnapshot
    names: NameTable


def read_model_def(wire: Wire, stage: str, names: NameTable | None = None) -> ModelDef:
    """Read a model. ``names`` is the table of the file's first model, None where this one is the first.

    Raises InputError, with the offset, for broken bytes, a model without graphs, an input from a node that is not
    there, and two nodes or graphs of one name.
    """
    wire.refill()
    fields = wire.fields(0, wire.size)
    attrs = _checked(LazyAttrs(Messages(wire, NameTable()), _model_attrs, 0, wire.size))
    texts = {field[0]: wire.text(field) for field in fields if field[1] == LENGTH and field[0] in _TEXTS}
    version = next((field[2] for field in fields if field[0] == _VERSION and field[1] == VARINT), 0)
    table = NameTable.of(attrs, names)
    graphs = [field for field in fields if field[0] == _GRAPH and field[1] == LENGTH]
    snapshot = _Graphs(Messages(wire, table)).read(graphs, stage)
    return ModelDef(texts.get(_NAME, ""), version & 0xFFFFFFFF, texts.get(_CUSTOM, ""), attrs, snapshot, table)


_TEXTS = (_NAME, _CUSTOM)


def _model_attrs(messages: Messages, parts: list[WireField]) -> Attrs:
    return dict(read_entry(messages.wire, part) for part in parts if part[0] == _MODEL_ATTR)


def _graph_attrs(messages: Messages, parts: list[WireField]) -> Attrs:
    return dict(read_entry(messages.wire, part) for part in parts if part[0] == _GRAPH_ATTR)


def _checked(lazy: LazyAttrs) -> LazyAttrs:
    """Decode attributes once, so that broken ones are found while the file is opened."""
    len(lazy)
    return lazy


class _Graphs:
    """The graphs of one model while they are read; ``room`` nodes and ``edges`` edges may still come."""

    def __init__(self, messages: Messages) -> None:
        self.messages = messages
        self.wire = messages.wire
        self.room = MOST_NODES + self.wire.size // BYTES_PER_NODE
        self.edges = 4 * self.room
        self.attrs: dict[str, LazyAttrs] = {}

    def read(self, graphs: list[WireField], stage: str) -> GraphSnapshot:
        linked = link_all(self.wire, (self._graph(graph) for graph in graphs), stage)
        owned = {name: replace(graph, attrs=self.attrs[name]) for name, graph in linked.graphs.items()}
        return replace(linked, graphs=owned)

    def _graph(self, field: WireField) -> tuple[str, list[RawNode]]:
        wire = self.wire
        wire.refill()
        name, ops = "", []
        for part in wire.fields(field[2], field[3]):
            if part[1] == LENGTH and part[0] == _OP:
                ops.append(part)
            elif part[1] == LENGTH and part[0] == _GRAPH_NAME:
                name = wire.text(part)
        nodes = list(self._ops(ops))
        self.attrs[name] = _checked(LazyAttrs(self.messages, _graph_attrs, field[2], field[3]))
        return name, nodes

    def _ops(self, ops: list[WireField]) -> Iterator[RawNode]:
        self.room -= len(ops)
        for op in ops:
            node = read_op(self.messages, op)
            self.edges -= len(node.inputs)
            if self.room < 0 or self.edges < 0:
                raise self.wire.error("the model has more operators or edges than its size allows", op[2])
            yield node
