"""A large ge_proto dump by its outline: names, types, edges and counts at once, attributes when they are looked at.

It gives the snapshot that ``ge_proto_reader`` gives; only that an attribute that cannot be read is an error when it is
looked at, and not before.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from getrace.dumps.ge_proto_attrs import read_attr
from getrace.dumps.ge_proto_reader import op_attrs
from getrace.dumps.lazy_attrs import AttrsOnDemand
from getrace.dumps.linking import RawNode, link_all
from getrace.dumps.node_budget import NodeBudget
from getrace.dumps.snapshot import AttrValue, GraphSnapshot
from getrace.dumps.text_attrs import LargeText, Span, TextAttrs
from getrace.dumps.text_outline import Mark, int_of, outline, text_of
from getrace.dumps.text_proto import Field, Syntax
from getrace.dumps.text_source import TextSource

# What a line of the outline is; plain numbers, for millions of them are compared. Above END: lines of an operator.
GRAPH, GRAPH_END, GRAPH_NAME, OP, ATTR, END, NAME, TYPE, INPUT, ID, SUBGRAPH, INPUT_DESC, OUTPUT_DESC = range(13)

_MARKS = (
    Mark(0, b"graph {", GRAPH),
    Mark(0, b"}", GRAPH_END),
    Mark(1, b"name:", GRAPH_NAME),
    Mark(1, b"op {", OP),
    Mark(1, b"attr {", ATTR),
    Mark(1, b"}", END),
    Mark(2, b"name:", NAME),
    Mark(2, b"type:", TYPE),
    Mark(2, b"input:", INPUT),
    Mark(2, b"id:", ID),
    Mark(2, b"subgraph", SUBGRAPH),
    Mark(2, b"input_de", INPUT_DESC),
    Mark(2, b"output_d", OUTPUT_DESC),
)


@dataclass(slots=True)
class _Graph:
    """A graph under construction; ``attrs`` are the places of its attributes."""

    name: str = ""
    nodes: list[RawNode] = field(default_factory=list)
    attrs: list[Span] = field(default_factory=list)


class _GraphAttrs(AttrsOnDemand):
    """The attributes of a graph, each a message of its own."""

    __slots__ = ("_size", "_spans", "_text")

    def __init__(self, text: LargeText, spans: list[Span]) -> None:
        self._text = text
        self._spans = spans
        self._size = sum(span.stop - span.start for span in spans)

    def content(self) -> Mapping[str, AttrValue]:
        """Give the attributes, decoded now or before."""
        return self._text.attrs(self._spans[0].start, self._size, self._read) if self._spans else {}

    def _read(self) -> Mapping[str, AttrValue]:
        syntax = self._text.syntax
        fields = (Field("attr", list(self._text.fields(span)), span.line) for span in self._spans)
        return dict(read_attr(syntax, given) for given in fields)


def index_snapshot(syntax: Syntax, source: TextSource, stage: str) -> GraphSnapshot:
    """Build a snapshot from the outline of a dump; raises InputError as ``build_snapshot``, and IrregularText."""
    text = LargeText(syntax, source)
    graphs = list(_graphs(text))
    linked = link_all(syntax, ((graph.name, graph.nodes) for graph in graphs), stage)
    owned = {graph.name: _GraphAttrs(text, graph.attrs) for graph in graphs}
    return replace(linked, graphs={name: replace(graph, attrs=owned[name]) for name, graph in linked.graphs.items()})


def _graphs(text: LargeText) -> Iterator[_Graph]:
    graph: _Graph | None = None
    op: RawNode | None = None
    opened: tuple[int, int, int] = (0, 0, 0)
    budget = NodeBudget(text.syntax, text.source.given)
    for name, offset, content, line in outline(text.source, _MARKS):
        if op is not None and name > END:
            _FIELDS[name](text.syntax, op, content, line)
        elif name == GRAPH:
            graph = _Graph()
            budget.count_graph(line)
        elif graph is None:
            continue
        elif name == END and op is not None:
            op.lazy = TextAttrs(text, op_attrs, Span("op", opened[1], offset + 1, op.line))
            graph.nodes.append(budget.count(op))
            op = None
        elif name == END and opened[0] == ATTR:
            graph.attrs.append(Span("attr", opened[1], offset + 1, opened[2]))
        elif name == GRAPH_END:
            yield graph
            graph = None
        elif name == GRAPH_NAME:
            graph.name = text_of(text.syntax, content, line)
        if name <= END:
            opened = (name, offset, line)
            op = RawNode(line=line) if name == OP else None


def _name(syntax: Syntax, op: RawNode, content: bytes, line: int) -> None:
    op.name = text_of(syntax, content, line)


def _type(syntax: Syntax, op: RawNode, content: bytes, line: int) -> None:
    op.type = text_of(syntax, content, line)


def _input(syntax: Syntax, op: RawNode, content: bytes, line: int) -> None:
    op.inputs.append((text_of(syntax, content, line), line))


def _id(syntax: Syntax, op: RawNode, content: bytes, line: int) -> None:
    op.topo_id = int_of(syntax, content, line)


def _subgraph(syntax: Syntax, op: RawNode, content: bytes, line: int) -> None:
    if content.startswith(b"subgraph_name:"):
        op.subgraphs.append(text_of(syntax, content, line))


def _input_desc(_syntax: Syntax, op: RawNode, content: bytes, _line: int) -> None:
    op.described["input"] += content == b"input_desc {"


def _output_desc(_syntax: Syntax, op: RawNode, content: bytes, _line: int) -> None:
    op.described["output"] += content == b"output_desc {"


_FIELDS: Mapping[int, Callable[[Syntax, RawNode, bytes, int], None]] = {
    NAME: _name,
    TYPE: _type,
    INPUT: _input,
    ID: _id,
    SUBGRAPH: _subgraph,
    INPUT_DESC: _input_desc,
    OUTPUT_DESC: _output_desc,
}
