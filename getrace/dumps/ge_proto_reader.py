"""From the fields of a ge_proto dump to a GraphSnapshot.

It owns what GE's dump adds to a graph and takes from it (the two artefacts of spec/lowering.md 9.6). If views undid
them, each would count a different number of nodes.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from getrace.dumps.ge_proto_attrs import desc_key, read_attr, read_desc
from getrace.dumps.ge_proto_text import Field, Syntax
from getrace.dumps.snapshot import CONTROL, AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode

_OUTPUT = re.compile(r"[0-9]{1,9}\Z")


@dataclass(slots=True)
class _Op:
    """A node under construction; ``inputs`` are the raw ``<node>:<output>`` texts with their lines."""

    name: str = ""
    type: str = ""
    inputs: list[tuple[str, int]] = field(default_factory=list)
    described: dict[str, int] = field(default_factory=lambda: {"input": 0, "output": 0})
    attrs: dict[str, AttrValue] = field(default_factory=dict)
    subgraphs: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=lambda: {"id": 0, "stream_id": 0})
    line: int = 0

    @property
    def is_artefact(self) -> bool:
        return self.type == "NetOutput" and self.attrs.get("_inner_net_output") is True

    @property
    def data_inputs(self) -> list[tuple[str, int]]:
        return [given for given in self.inputs if not given[0].endswith(":-1")]


def build_snapshot(syntax: Syntax, lines: Iterable[str], stage: str) -> GraphSnapshot:
    """Build a snapshot from the lines of a dump.

    Raises InputError, with file and line, for broken syntax, an input from a node that is not in the graph, two nodes
    or graphs of one name, and a text without any graph.
    """
    names: list[str] = []
    ops: list[list[_Op]] = []
    attrs: list[dict[str, AttrValue]] = []
    current = -1
    for number, block, part in syntax.top_blocks(lines):
        if block != "graph":
            continue
        if number != current:
            current = number
            names.append("")
            ops.append([])
            attrs.append({})
        if part.name == "name":
            names[-1] = syntax.text_of(part)
        elif part.name == "op":
            ops[-1].append(_read_op(syntax, part))
        elif part.name == "attr":
            key, value = read_attr(syntax, part)
            attrs[-1][key] = value
    if not names:
        raise syntax.error("there is no graph in this file", 1)
    graphs: dict[str, SnapshotGraph] = {}
    for name, group, own in zip(names, ops, attrs, strict=True):
        if name in graphs:
            raise syntax.error(f"two graphs are named '{name}'", 1)
        graphs[name] = replace(_build_graph(syntax, name, group), attrs=own)
    return GraphSnapshot(stage, names[0], graphs)


def _read_op(syntax: Syntax, op: Field) -> _Op:
    found = _Op(line=op.line)
    for part in syntax.fields_of(op):
        match part.name:
            case "name":
                found.name = syntax.text_of(part)
            case "type":
                found.type = syntax.text_of(part)
            case "input":
                found.inputs.append((syntax.text_of(part), part.line))
            case "subgraph_name":
                found.subgraphs.append(syntax.text_of(part))
            case "id" | "stream_id":
                found.numbers[part.name] = syntax.int_of(part)
            case "attr":
                key, value = read_attr(syntax, part)
                found.attrs[key] = value
            case "input_desc" | "output_desc":
                _read_desc_of(syntax, found, part)
    return found


def _read_desc_of(syntax: Syntax, op: _Op, part: Field) -> None:
    side = part.name.removesuffix("_desc")
    index = op.described[side]
    op.described[side] += 1
    for name, value in read_desc(syntax, part).items():
        op.attrs[desc_key(side, name, index)] = value


def _build_graph(syntax: Syntax, name: str, ops: list[_Op]) -> SnapshotGraph:
    kept = [op for op in ops if not op.is_artefact]
    ids: dict[str, int] = {}
    for position, op in enumerate(kept):
        if op.name in ids:
            raise syntax.error(f"graph '{name}' has two nodes named '{op.name}'", op.line)
        ids[op.name] = position
    nodes = tuple(
        SnapshotNode(
            position,
            op.name,
            op.type,
            max(len(op.data_inputs), op.described["input"]),
            op.described["output"],
            op.attrs,
            tuple(op.subgraphs),
            op.numbers["id"],
            op.numbers["stream_id"],
        )
        for position, op in enumerate(kept)
    )
    data = [edge for op in kept for edge in _data_edges(syntax, op, nodes, ids)]
    data += _unlinked_outputs(nodes, data)
    data.sort(key=lambda edge: (edge.target, edge.target_input))
    control = [edge for position, op in enumerate(kept) for edge in _control_edges(syntax, op, position, ids)]
    return SnapshotGraph(name, nodes, (*data, *control))


def _data_edges(
    syntax: Syntax, op: _Op, nodes: tuple[SnapshotNode, ...], ids: dict[str, int]
) -> Iterable[SnapshotEdge]:
    for slot, (text, line) in enumerate(op.data_inputs):
        if text:
            source, _, output = text.rpartition(":")
            known = source in ids and _OUTPUT.match(output) is not None
            if not known or int(output) >= nodes[ids[source]].outputs:
                raise syntax.error(f"input '{text}' of node '{op.name}' names no output of the graph", line)
            yield SnapshotEdge(ids[source], int(output), ids[op.name], slot)


def _control_edges(syntax: Syntax, op: _Op, target: int, ids: dict[str, int]) -> Iterable[SnapshotEdge]:
    for text, line in op.inputs:
        source = text.removesuffix(":-1")
        if source == text:
            continue
        if source not in ids:
            raise syntax.error(f"control input '{text}' of node '{op.name}' names no node of the graph", line)
        yield SnapshotEdge(ids[source], CONTROL, target, CONTROL)


def _unlinked_outputs(nodes: tuple[SnapshotNode, ...], data: list[SnapshotEdge]) -> Iterable[SnapshotEdge]:
    """Edges OutputData.i -> NetOutput.i that the dump left out (artefact 2 of spec/lowering.md 9.6)."""
    givers = [node for node in nodes if node.type == "OutputData"]
    takers = [node for node in nodes if node.type == "NetOutput"]
    if len(givers) != 1 or len(takers) != 1:
        return ()
    giver, taker = givers[0], takers[0]
    linked = {edge.target_input for edge in data if edge.target == taker.id}
    slots = range(min(taker.inputs, giver.outputs))
    return [SnapshotEdge(giver.id, slot, taker.id, slot) for slot in slots if slot not in linked]
