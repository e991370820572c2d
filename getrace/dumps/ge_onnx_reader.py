"""From the fields of a ge_onnx dump to a GraphSnapshot.

The dump does not say which node owns a sub graph; ``owners`` guesses it from names.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from getrace.dumps.ge_onnx_attrs import kept_attrs, read_attribute
from getrace.dumps.ge_onnx_fields import COUNTS, GRAPH_TYPE, PREFIX
from getrace.dumps.linking import MAX_DESCS, RawNode, link_all
from getrace.dumps.node_budget import NodeBudget
from getrace.dumps.owners import guess_owners
from getrace.dumps.snapshot import AttrValue, GraphSnapshot
from getrace.dumps.text_proto import Field, Syntax

_GRAPHS = frozenset({("graph",), ("graph", "node", "attribute", "g")})
_OUTPUT = re.compile(r":(\d{1,9})\Z")


@dataclass(slots=True)
class _Group:
    """A graph under construction."""

    name: str = ""
    nodes: list[RawNode] = field(default_factory=list)


def build_snapshot(syntax: Syntax, lines: Iterable[str], stage: str) -> GraphSnapshot:
    """Build a snapshot from the lines of a dump; raises InputError as the reader of ge_proto does."""
    groups: dict[int, _Group] = {}
    budget = NodeBudget(syntax)
    for number, _, part in syntax.streamed(lines, _GRAPHS):
        if number not in groups:
            groups[number] = _Group()
            budget.count_graph(part.line)
        group = groups[number]
        if part.name == "name":
            group.name = syntax.text_of(part)
        elif part.name == "node":
            node = _read_node(syntax, part)
            if node.type != GRAPH_TYPE:
                group.nodes.append(budget.count(node))
    pairs = ((groups[number].name, groups[number].nodes) for number in sorted(groups))
    return guess_owners(link_all(syntax, pairs, stage))


def _read_node(syntax: Syntax, given: Field) -> RawNode:
    node = RawNode(line=given.line)
    parts = syntax.fields_of(given)
    attrs = _attributes(syntax, parts)
    used = 0
    for part in parts:
        match part.name:
            case "name":
                node.name = syntax.text_of(part)
            case "op_type":
                node.type = syntax.text_of(part).removeprefix(PREFIX)
            case "input":
                node.inputs.append((syntax.text_of(part), part.line))
            case "output":
                used = max(used, outputs_used(syntax.text_of(part)))
    numbers = dict(attrs)
    topo_id = numbers.get("id", 0)
    node.topo_id = topo_id if isinstance(topo_id, int) else 0
    counts = {side: bounded(syntax, numbers.get(name, 0), given.line) for side, name in COUNTS.items()}
    counts["output"] = max(counts["output"], bounded(syntax, used, given.line))
    node.described = counts
    node.attrs = kept_attrs(syntax, attrs, given.line)
    return node


def node_attrs(syntax: Syntax, parts: Iterable[Field]) -> dict[str, AttrValue]:
    """Give the attributes of a node from its fields."""
    fields = list(parts)
    return kept_attrs(syntax, _attributes(syntax, fields), fields[0].line if fields else 1)


def _attributes(syntax: Syntax, parts: list[Field]) -> list[tuple[str, AttrValue]]:
    return [given for part in parts if part.name == "attribute" for given in read_attribute(syntax, part)]


def outputs_used(text: str) -> int:
    """Give how many outputs a node has at least, from the text of one: ``name:2`` is the third."""
    found = _OUTPUT.search(text)
    return int(found[1]) + 1 if found else 0


def bounded(syntax: Syntax, value: AttrValue, line: int) -> int:
    """Give a number of inputs or outputs. Raises InputError for one that no node has."""
    if not isinstance(value, int) or not 0 <= value <= MAX_DESCS:
        raise syntax.error(f"a node has more than {MAX_DESCS} inputs or outputs, or a number that is none", line)
    return value
