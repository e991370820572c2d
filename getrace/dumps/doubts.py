"""What is odd about graphs that can be drawn all the same: sub graphs that are missing, or own themselves.

A reader that refused them would take away the picture that shows what is wrong; one that kept silent would let a cut
dump pass for a whole one.

Source: spec/formats.md 3.2 (``subgraph_name``); GE itself writes dumps of the Main graph alone.
"""

from collections.abc import Iterator
from itertools import islice

from getrace.dumps.snapshot import GraphSnapshot

MOST = 5
"""Sentences of each kind; a dump of the Main graph alone has one for each branch and body."""


def doubts_of(snapshot: GraphSnapshot) -> list[str]:
    """Give a sentence for each sub graph that is not there and each that lies inside itself, few of each kind."""
    return [*_few(list(_missing(snapshot)), "sub graphs that are not in the file"), *_inside_themselves(snapshot)]


def _few(said: list[str], what: str) -> Iterator[str]:
    yield from islice(said, MOST)
    if len(said) > MOST:
        yield f"and {len(said) - MOST} more {what}"


def _missing(snapshot: GraphSnapshot) -> Iterator[str]:
    for graph in snapshot.graphs.values():
        for node in graph.nodes:
            for name in node.subgraphs:
                if name not in snapshot.graphs:
                    yield f"node '{node.name}' of graph '{graph.name}' owns graph '{name}', which is not in the file"


def _inside_themselves(snapshot: GraphSnapshot) -> Iterator[str]:
    """Go down from the root and from every graph that nothing leads to; an owner of an open graph is the odd one."""
    done: set[str] = set()
    said: list[str] = []
    for top in (snapshot.root, *snapshot.graphs):
        if top not in done:
            said += _circles(snapshot, top, done)
    yield from _few(said, "graphs inside themselves")


def _circles(snapshot: GraphSnapshot, top: str, done: set[str]) -> Iterator[str]:
    open_graphs = {top}
    stack = [(top, _below(snapshot, top))]
    while stack:
        name, below = stack[-1]
        step = next(below, None)
        if step is None:
            stack.pop()
            open_graphs.discard(name)
            done.add(name)
            continue
        node, inner = step
        if inner in open_graphs:
            yield f"node '{node}' of graph '{name}' owns graph '{inner}', which it lies in itself"
        elif inner not in done:
            open_graphs.add(inner)
            stack.append((inner, _below(snapshot, inner)))


def _below(snapshot: GraphSnapshot, name: str) -> Iterator[tuple[str, str]]:
    graph = snapshot.graphs[name]
    return ((node.name, inner) for node in graph.nodes for inner in node.subgraphs if inner in snapshot.graphs)
