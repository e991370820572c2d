"""A large ge_onnx dump by its outline: as ``ge_proto_outline``, with the places where ge_onnx has the same things.

Nodes of sub graphs stand three messages deeper than those of the root, in an attribute of a node that only holds the
graph (spec/formats.md 3.3).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from getrace.dumps.ge_onnx_fields import COUNTS, GRAPH_TYPE, PREFIX
from getrace.dumps.ge_onnx_reader import bounded, node_attrs, outputs_used
from getrace.dumps.linking import RawNode, link_all
from getrace.dumps.node_budget import NodeBudget
from getrace.dumps.owners import guess_owners
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.text_attrs import LargeText, Span, TextAttrs
from getrace.dumps.text_outline import Mark, int_of, outline, text_of
from getrace.dumps.text_proto import Syntax
from getrace.dumps.text_source import TextSource

# What a line of the outline is. From NAME on: lines of a node.
GRAPH, GRAPH_END, SUB_GRAPH, SUB_END, GRAPH_NAME, NODE, NODE_END = range(7)
NAME, TYPE, INPUT, OUTPUT, ID, INPUTS, OUTPUTS = range(7, 14)

_LEVEL = 100
"""Added to what a line is when it stands in a sub graph."""


def _level(depth: int, level: int) -> tuple[Mark, ...]:
    return (
        Mark(depth, b"name:", level + GRAPH_NAME),
        Mark(depth, b"node {", level + NODE),
        Mark(depth, b"}", level + NODE_END),
        Mark(depth + 1, b"name:", level + NAME),
        Mark(depth + 1, b"op_type:", level + TYPE),
        Mark(depth + 1, b"input:", level + INPUT),
        Mark(depth + 1, b"output:", level + OUTPUT),
        Mark(depth + 2, b'name: "i', level + ID, b'd"'),
        Mark(depth + 2, b'name: "i', level + INPUTS, COUNTS["input"][1:].encode() + b'"'),
        Mark(depth + 2, b'name: "o', level + OUTPUTS, COUNTS["output"][1:].encode() + b'"'),
    )


_MARKS = (
    Mark(0, b"graph {", GRAPH),
    Mark(0, b"}", GRAPH_END),
    Mark(3, b"g {", SUB_GRAPH),
    Mark(3, b"}", SUB_END),
    *_level(1, 0),
    *_level(4, _LEVEL),
)


@dataclass(slots=True)
class _Graph:
    """A graph under construction, and the node that is open: its lines are read until it ends."""

    name: str = ""
    nodes: list[RawNode] = field(default_factory=list)
    node: RawNode | None = None
    start: int = 0


def index_snapshot(syntax: Syntax, source: TextSource, stage: str) -> GraphSnapshot:
    """Build a snapshot from the outline of a dump; raises InputError as ``build_snapshot``, and IrregularText."""
    graphs = _graphs(LargeText(syntax, source))
    return guess_owners(link_all(syntax, ((graph.name, graph.nodes) for graph in graphs), stage))


def _graphs(text: LargeText) -> list[_Graph]:
    found: list[_Graph] = []
    budget = NodeBudget(text.syntax, text.source.given)
    root: _Graph | None = None
    inner: _Graph | None = None
    for mark, offset, content, line in outline(text.source, _MARKS):
        if mark in (GRAPH, SUB_GRAPH):
            opened = _Graph()
            found.append(opened)
            budget.count_graph(line)
            root, inner = (opened, None) if mark == GRAPH else (root, opened)
        elif mark in (GRAPH_END, SUB_END):
            root, inner = (None, None) if mark == GRAPH_END else (root, None)
        else:
            level, name = divmod(mark, _LEVEL)
            graph = inner if level else root
            if graph is not None:
                _take(text, graph, (name, offset, content, line), budget)
    return found


def _take(text: LargeText, graph: _Graph, token: tuple[int, int, bytes, int], budget: NodeBudget) -> None:
    name, offset, content, line = token
    node = graph.node
    if name >= NAME:
        if node is not None:
            _FIELDS[name](text.syntax, node, content, line)
    elif name == NODE:
        graph.node, graph.start = RawNode(line=line), offset
    elif name == GRAPH_NAME:
        graph.name = text_of(text.syntax, content, line)
    elif node is not None:
        graph.node = None
        if node.type != GRAPH_TYPE:
            node.lazy = TextAttrs(text, node_attrs, Span("node", graph.start, offset + 1, node.line))
            graph.nodes.append(budget.count(node))


def _name(syntax: Syntax, node: RawNode, content: bytes, line: int) -> None:
    node.name = text_of(syntax, content, line)


def _type(syntax: Syntax, node: RawNode, content: bytes, line: int) -> None:
    node.type = text_of(syntax, content, line).removeprefix(PREFIX)


def _input(syntax: Syntax, node: RawNode, content: bytes, line: int) -> None:
    node.inputs.append((text_of(syntax, content, line), line))


def _output(syntax: Syntax, node: RawNode, content: bytes, line: int) -> None:
    used = outputs_used(text_of(syntax, content, line))
    node.described["output"] = max(node.described["output"], bounded(syntax, used, line))


def _id(syntax: Syntax, node: RawNode, content: bytes, line: int) -> None:
    node.topo_id = _value(syntax, content, line)


def _inputs(syntax: Syntax, node: RawNode, content: bytes, line: int) -> None:
    node.described["input"] = bounded(syntax, _value(syntax, content, line), line)


def _outputs(syntax: Syntax, node: RawNode, content: bytes, line: int) -> None:
    count = bounded(syntax, _value(syntax, content, line), line)
    node.described["output"] = max(node.described["output"], count)


def _value(syntax: Syntax, content: bytes, line: int) -> int:
    """Give the value of an attribute from the line below its name; a zero is not written."""
    return int_of(syntax, content, line) if content.startswith(b"i:") else 0


_FIELDS: Mapping[int, Callable[[Syntax, RawNode, bytes, int], None]] = {
    NAME: _name,
    TYPE: _type,
    INPUT: _input,
    OUTPUT: _output,
    ID: _id,
    INPUTS: _inputs,
    OUTPUTS: _outputs,
}
