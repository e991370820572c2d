"""Init, Main and DeInit of a lowered graph, and where a value of Main comes from.

It owns the way from an InnerData back to what feeds it, over any number of levels. Each pass that followed it alone
would stop at another level.

Source: spec/lowering.md 1.2, 7.2 and 12.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from getrace.errors import InternalError
from runtime.graph.execute_graph import ExecuteGraph, FastNode

CONTROL_FLOW = frozenset({"If", "Case", "While"})


class Endpoint(NamedTuple):
    """An output of a node."""

    node: FastNode
    output: int


_NONE: Mapping[FastNode, Endpoint] = {}


@dataclass(frozen=True, slots=True)
class Parts:
    """The three nodes of ROOT; ``exit`` is the InnerNetOutput of the Init graph."""

    init: FastNode
    main: FastNode
    deinit: FastNode
    exit: FastNode

    @property
    def init_graph(self) -> ExecuteGraph:
        """The graph that Load runs."""
        return self.init.subgraphs[0]

    @property
    def main_graph(self) -> ExecuteGraph:
        """The graph that Execute runs."""
        return self.main.subgraphs[0]

    @property
    def deinit_graph(self) -> ExecuteGraph:
        """The graph that UnLoad runs."""
        return self.deinit.subgraphs[0]


def parts_of(root: ExecuteGraph) -> Parts:
    """Find the three nodes. Raises InternalError when one of them, or the end of Init, is missing."""
    found = {node.type: node for node in root.nodes}
    missing = [name for name in ("Init", "Main", "DeInit") if name not in found]
    if missing:
        raise InternalError(f"graph {root.name} has no {missing[0]} node")
    for node in found["Init"].subgraphs[0].nodes:
        if node.type == "InnerNetOutput":
            return Parts(found["Init"], found["Main"], found["DeInit"], node)
    raise InternalError(f"the Init graph of {root.name} has no InnerNetOutput")


def graphs_below(root: ExecuteGraph, part: FastNode) -> list[ExecuteGraph]:
    """All graphs whose owners lead up to a node, parents before children."""
    found: dict[ExecuteGraph, None] = {}
    for graph in root.all_subgraphs:
        owner = graph.parent_node
        if owner is part or (owner is not None and owner.graph in found):
            found[graph] = None
    return list(found)


def is_control_frame(graph: ExecuteGraph) -> bool:
    """Whether a graph is the part of an If, Case or While that decides what runs."""
    owner = graph.parent_node
    return owner is not None and owner.type in CONTROL_FLOW and owner.subgraph_names[0] == graph.name


def feed_of(inner: FastNode) -> Endpoint | None:
    """What feeds an InnerData, one level up; None for a value that changes from round to round of a While."""
    owner, index = inner.graph.parent_node, inner.attrs["index"]
    assert owner is not None
    assert isinstance(index, int)
    if owner.type == "While" and index < owner.output_count:
        return None
    edge = owner.in_data[index]
    return None if edge is None else Endpoint(edge.source, edge.source_output)


def init_source(inner: FastNode, parts: Parts, equivalents: Mapping[FastNode, Endpoint] = _NONE) -> Endpoint | None:
    """The endpoint inside Init that an InnerData of any depth stands for; None when it is no value of Init.

    ``equivalents`` are kernels of Main that give what an endpoint of Init gives.
    """
    seen = inner
    while (feed := feed_of(seen)) is not None and feed.node.type == "InnerData":
        seen = feed.node
    if feed is None:
        return None
    if feed.node is not parts.init:
        return equivalents.get(feed.node) if feed.output == 0 else None
    edge = parts.exit.in_data[feed.output]
    return None if edge is None else Endpoint(edge.source, edge.source_output)
