"""The part of a graph around one of its nodes, as a graph of its own: for a picture that has pixels.

A picture of a whole model is grey at the size of a terminal. What is drawn in characters and what is drawn as an image
are the same choice of nodes, so that one can be read beside the other.
"""

from dataclasses import replace

from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph
from views.model.graph_book import GraphBook
from views.model.layered import window

NODES = 40
"""Nodes of an image: labels stay readable on a screen."""
NEIGHBOURS = 8


def around(book: GraphBook, sheet: int, node: int) -> GraphSnapshot:
    """Give the nodes nearest to a node with the edges between them; the node itself is marked by its name."""
    graph = book.sheets[sheet].graph
    chosen = window(book.ties(sheet), node, NODES, NEIGHBOURS)
    place = {old: new for new, old in enumerate(chosen)}
    nodes = tuple(
        replace(
            graph.nodes[old],
            id=place[old],
            name=f">> {graph.nodes[old].name} <<" if old == node else graph.nodes[old].name,
            subgraphs=(),
        )
        for old in chosen
    )
    edges = tuple(
        replace(edge, source=place[edge.source], target=place[edge.target])
        for edge in graph.edges
        if edge.source in place and edge.target in place
    )
    name = f"{book.sheets[sheet].role} near {graph.nodes[node].name}"
    return GraphSnapshot(book.sheets[sheet].stage, name, {name: SnapshotGraph(name, nodes, edges)})
