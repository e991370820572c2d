"""From the lines of a ge_readable dump to a GraphSnapshot.

The format is for eyes: it has no control edges, no descriptors and few attributes, and the name of a NetOutput is not
in it. What is read is the topology (spec/formats.md 3.5).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from getrace.dumps.ge_readable_lines import (
    MAX_ITEMS,
    SEPARATOR,
    ElementLine,
    GraphLine,
    Input,
    Line,
    NodeLine,
    ReturnLine,
    read_attr,
    read_line,
)
from getrace.dumps.linking import MAX_DESCS, RawNode, link_all
from getrace.dumps.node_budget import NodeBudget
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.text_proto import Syntax

_UNNAMED = re.compile(r"_input_(\d{1,9})\Z")
_RESULT = re.compile(r"output_(\d{1,9})\Z")
_SUB_GRAPH = re.compile(r"_graph_\d{1,9}\Z")


@dataclass(slots=True)
class _Group:
    """A graph under construction: ``values`` says which output a name stands for."""

    name: str
    nodes: list[RawNode] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    result: RawNode | None = None


def build_snapshot(syntax: Syntax, lines: Iterable[str], stage: str) -> GraphSnapshot:
    """Build a snapshot from the lines of a dump; raises InputError as the reader of ge_proto does."""
    groups: list[_Group] = []
    budget = NodeBudget(syntax)
    for number, raw in enumerate(lines, 1):
        text = raw.strip()
        if not text:
            continue
        if text.count(SEPARATOR) > MAX_ITEMS:
            raise syntax.error(f"one line has more than {MAX_ITEMS} inputs and attributes", number)
        line = read_line(text)
        if line is None:
            raise syntax.error("this is no graph, no node, no element and no return", number)
        if isinstance(line, GraphLine):
            groups.append(_Group(line.name))
            budget.count_graph(number)
        elif groups:
            _add(syntax, groups[-1], line, number)
            if isinstance(line, NodeLine):
                budget.count(groups[-1].nodes[-1])
        else:
            raise syntax.error("the text does not begin with a graph", number)
    for group in groups:
        _finish(syntax, group)
    return link_all(syntax, ((group.name, group.nodes) for group in groups), stage)


def _add(syntax: Syntax, group: _Group, line: Line, number: int) -> None:
    match line:
        case NodeLine():
            node = _read_node(syntax, line, number)
            group.nodes.append(node)
            group.values.setdefault(node.name, f"{node.name}:0")
        case ElementLine():
            group.values[line.name] = f"{line.node}:{line.output}"
        case ReturnLine() if group.result is None:
            group.result = RawNode("NetOutput", "NetOutput", line=number)
            _place(syntax, group.result, line.inputs, _RESULT)
        case _:
            raise syntax.error(f"graph '{group.name}' returns twice", number)


def _read_node(syntax: Syntax, line: NodeLine, number: int) -> RawNode:
    node = RawNode(line.name, line.type, line=number)
    node.described["output"] = _bounded(syntax, line.outputs, number)
    _place(syntax, node, line.inputs, _UNNAMED)
    labels = [given.label for given in line.inputs]
    if labels and not any(_UNNAMED.match(label) for label in labels):
        node.attrs["_ir_inputs_key"] = tuple(labels)
        node.attrs["_ir_inputs_value"] = (0,) * len(labels)
    shown: list[str] = []
    for key, text in line.attrs:
        if _SUB_GRAPH.match(key) and text.startswith("%"):
            node.subgraphs.append(text[1:])
        else:
            shown.append(key)
            node.attrs[key] = read_attr(text)
    if shown:
        node.attrs["_ir_attr_names"] = tuple(shown)
    return node


def _place(syntax: Syntax, node: RawNode, inputs: list[Input], numbered: re.Pattern[str]) -> None:
    """Put each input into its slot: the number in its label, else the one after the input before."""
    slots: dict[int, str] = {}
    following = 0
    for given in inputs:
        found = numbered.match(given.label)
        slot = _bounded(syntax, int(found[1]) if found else following, node.line)
        slots[slot] = given.value
        following = slot + 1
    node.inputs = [(slots.get(slot, ""), node.line) for slot in range(max(slots, default=-1) + 1)]


def _finish(syntax: Syntax, group: _Group) -> None:
    """Add the output, and replace names of values by the outputs they stand for; a use may come before the node."""
    if group.result is not None:
        taken = {node.name for node in group.nodes}
        while group.result.name in taken:
            group.result.name += "_"
        group.nodes.append(group.result)
    for node in group.nodes:
        for slot, (value, line) in enumerate(node.inputs):
            if value and value not in group.values:
                raise syntax.error(f"'%{value}' is made nowhere in graph '{group.name}'", line)
            node.inputs[slot] = (group.values.get(value, ""), line)


def _bounded(syntax: Syntax, number: int, line: int) -> int:
    if number > MAX_DESCS:
        raise syntax.error(f"a node has more than {MAX_DESCS} inputs or outputs", line)
    return number
