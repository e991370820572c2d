"""From the fields of a ge_proto dump to a GraphSnapshot: which field of GE's ``OpDef`` becomes what."""

from collections.abc import Iterable
from dataclasses import replace

from getrace.dumps.ge_proto_attrs import OP_FIELDS, desc_key, read_attr, read_desc
from getrace.dumps.linking import RawNode, link_all
from getrace.dumps.node_budget import NodeBudget
from getrace.dumps.snapshot import AttrValue, GraphSnapshot
from getrace.dumps.text_proto import Field, Syntax

_GRAPHS = frozenset({("graph",)})


def build_snapshot(syntax: Syntax, lines: Iterable[str], stage: str) -> GraphSnapshot:
    """Build a snapshot from the lines of a dump.

    Raises InputError, with file and line, for broken syntax, an input from a node that is not in the graph, two nodes
    or graphs of one name, and a text without any graph.
    """
    names: list[str] = []
    ops: list[list[RawNode]] = []
    attrs: list[dict[str, AttrValue]] = []
    current = -1
    budget = NodeBudget(syntax)
    for number, _, part in syntax.streamed(lines, _GRAPHS):
        if number != current:
            current = number
            names.append("")
            ops.append([])
            attrs.append({})
            budget.count_graph(part.line)
        if part.name == "name":
            names[-1] = syntax.text_of(part)
        elif part.name == "op":
            ops[-1].append(budget.count(read_op(syntax, part)))
        elif part.name == "attr":
            key, value = read_attr(syntax, part)
            attrs[-1][key] = value
    linked = link_all(syntax, zip(names, ops, strict=True), stage)
    owned = dict(zip(names, attrs, strict=True))
    graphs = {name: replace(graph, attrs=owned[name]) for name, graph in linked.graphs.items()}
    return replace(linked, graphs=graphs)


def read_op(syntax: Syntax, op: Field) -> RawNode:
    """Read an operator as a node without edges. Raises InputError for a field that is not what it should be."""
    parts = syntax.fields_of(op)
    found = RawNode(line=op.line, attrs=op_attrs(syntax, parts))
    for part in parts:
        match part.name:
            case "name":
                found.name = syntax.text_of(part)
            case "type":
                found.type = syntax.text_of(part)
            case "input":
                found.inputs.append((syntax.text_of(part), part.line))
            case "subgraph_name":
                found.subgraphs.append(syntax.text_of(part))
            case "id":
                found.topo_id = syntax.int_of(part)
            case "input_desc" | "output_desc":
                found.described[part.name.removesuffix("_desc")] += 1
    return found


def op_attrs(syntax: Syntax, parts: Iterable[Field]) -> dict[str, AttrValue]:
    """Give the attributes of an operator from its fields: its own, those of its descriptors, and ``OP_FIELDS``."""
    found: dict[str, AttrValue] = {}
    own: list[Field] = []
    described = {"input": 0, "output": 0}
    for part in parts:
        if part.name == "attr":
            key, value = read_attr(syntax, part)
            found[key] = value
        elif part.name in ("input_desc", "output_desc"):
            side = part.name.removesuffix("_desc")
            for name, value in read_desc(syntax, part).items():
                found[desc_key(side, name, described[side])] = value
            described[side] += 1
        elif part.name in OP_FIELDS:
            own.append(part)
    found.update(_own_fields(syntax, own))
    return found


def _own_fields(syntax: Syntax, parts: list[Field]) -> Iterable[tuple[str, AttrValue]]:
    """Give the fields that become attributes, as far as they are not zero."""
    fields: dict[str, list[AttrValue]] = {}
    for part in parts:
        read = syntax.text_of if OP_FIELDS[part.name][0] is str else syntax.int_of
        fields.setdefault(part.name, []).append(read(part))
    for name, values in fields.items():
        if OP_FIELDS[name][1]:
            yield name, tuple(values)
        elif values[-1]:
            yield name, values[-1]
