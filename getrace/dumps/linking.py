"""From operators that name their inputs to a graph with edges: what ge_proto and ge_onnx dumps have in common.

It owns what GE's dump adds to a graph and takes from it (the two artefacts of spec/lowering.md 9.6). If each reader
undid them, or if views did, each would count a different number of nodes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from getrace.dumps.snapshot import CONTROL, AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.errors import InputError

MAX_DESCS = 1 << 16
"""Inputs or outputs of a node; a larger number is no dump of GE."""

_OUTPUT = re.compile(r"[0-9]{1,9}\Z")


class Place(Protocol):
    """Where a graph comes from: a text with lines, or a binary file with offsets."""

    def error(self, message: str, line: int, /) -> InputError:
        """Make an error that names the file and the line or offset."""


Given = tuple[str, int]
"""An input: its raw text, and its line or offset."""


@dataclass(slots=True)
class RawNode:
    """A node under construction; ``inputs`` are the raw ``<node>:<output>`` texts with their lines or offsets.

    ``described`` counts the tensor descriptors of each side. ``lazy`` are attributes that are read when they are
    looked at; they stand in for ``attrs``.
    """

    name: str = ""
    type: str = ""
    inputs: list[Given] = field(default_factory=list)
    described: dict[str, int] = field(default_factory=lambda: {"input": 0, "output": 0})
    attrs: dict[str, AttrValue] = field(default_factory=dict)
    subgraphs: list[str] = field(default_factory=list)
    topo_id: int = 0
    line: int = 0
    lazy: Mapping[str, AttrValue] | None = None

    @property
    def attributes(self) -> Mapping[str, AttrValue]:
        """Its attributes, read or still to be read."""
        return self.attrs if self.lazy is None else self.lazy

    @property
    def is_artefact(self) -> bool:
        """Whether it is the NetOutput that GE adds to a graph without one."""
        return self.type == "NetOutput" and bool(self.attributes.get("_inner_net_output"))

    @property
    def data_inputs(self) -> list[Given]:
        """The inputs that carry data, in order; an unconnected one is an empty text."""
        return [given for given in self.inputs if not given[0].endswith(":-1")]


def link_all(place: Place, groups: Iterable[tuple[str, list[RawNode]]], stage: str) -> GraphSnapshot:
    """Link graphs, the root first. Raises InputError when there is none, and for two graphs of one name."""
    graphs: dict[str, SnapshotGraph] = {}
    for name, nodes in groups:
        if name in graphs:
            raise place.error(f"two graphs are named '{name}'", 1)
        graphs[name] = _link(place, name, nodes)
    if not graphs:
        raise place.error("there is no graph in this file", 1)
    return GraphSnapshot(stage, next(iter(graphs)), graphs)


def _link(place: Place, name: str, nodes: list[RawNode]) -> SnapshotGraph:
    kept = [node for node in nodes if not node.is_artefact]
    ids: dict[str, int] = {}
    for position, node in enumerate(kept):
        if node.name in ids:
            raise place.error(f"graph '{name}' has two nodes named '{node.name}'", node.line)
        ids[node.name] = position
    slots = [node.data_inputs for node in kept]
    linked = tuple(
        SnapshotNode(
            position,
            node.name,
            node.type,
            max(len(slots[position]), node.described["input"]),
            node.described["output"],
            node.attributes,
            tuple(node.subgraphs),
            node.topo_id,
        )
        for position, node in enumerate(kept)
    )
    data = [
        edge for node, given in zip(linked, slots, strict=True) for edge in _data_edges(place, node, given, linked, ids)
    ]
    data += _unlinked_outputs(linked, slots, data)
    data.sort(key=lambda edge: (edge.target, edge.target_input))
    control = [edge for position, node in enumerate(kept) for edge in _control_edges(place, node, position, ids)]
    return SnapshotGraph(name, linked, (*data, *control))


def _data_edges(
    place: Place,
    node: SnapshotNode,
    given: list[tuple[str, int]],
    linked: tuple[SnapshotNode, ...],
    ids: dict[str, int],
) -> Iterable[SnapshotEdge]:
    for slot, (text, line) in enumerate(given):
        if text:
            source, _, output = text.rpartition(":")
            giver = ids.get(source)
            if giver is None or not _OUTPUT.match(output) or int(output) >= linked[giver].outputs:
                raise place.error(f"input '{text}' of node '{node.name}' names no output of the graph", line)
            yield SnapshotEdge(giver, int(output), node.id, slot)


def _control_edges(place: Place, node: RawNode, target: int, ids: dict[str, int]) -> Iterable[SnapshotEdge]:
    for text, line in node.inputs:
        source = text.removesuffix(":-1")
        if source == text:
            continue
        if source not in ids:
            raise place.error(f"control input '{text}' of node '{node.name}' names no node of the graph", line)
        yield SnapshotEdge(ids[source], CONTROL, target, CONTROL)


def _unlinked_outputs(
    nodes: tuple[SnapshotNode, ...], slots: list[list[Given]], data: list[SnapshotEdge]
) -> Iterable[SnapshotEdge]:
    """Edges OutputData.i -> NetOutput.i that the dump left out (artefact 2 of spec/lowering.md 9.6).

    An input that was unlinked is there as an empty text; a number of inputs alone would make edges out of nothing.
    """
    givers = [node for node in nodes if node.type == "OutputData"]
    takers = [node for node in nodes if node.type == "NetOutput"]
    if len(givers) != 1 or len(takers) != 1:
        return ()
    giver, taker = givers[0], takers[0]
    linked = {edge.target_input for edge in data if edge.target == taker.id}
    opened = range(min(len(slots[taker.id]), giver.outputs))
    return [SnapshotEdge(giver.id, slot, taker.id, slot) for slot in opened if slot not in linked]
