"""The wait-for graph as such: who is at the end of every chain of waits, and who waits in a circle.

Streams and ranks wait alike; were each to follow its chains by itself, one of them would run for ever on a circle.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)
Edges = Mapping[Node, Sequence[Node]]
"""Each node that waits, with those that it waits for."""


def cycles(edges: Edges[Node]) -> list[tuple[Node, ...]]:
    """Give the sets of nodes that wait for one another in circles, each in the order of ``edges``.

    A node that waits for itself is one, too.
    """
    place = {node: index for index, node in enumerate(_nodes(edges))}
    rings = [ring for ring in _components(edges) if len(ring) > 1 or ring[0] in edges.get(ring[0], ())]
    return sorted((tuple(sorted(ring, key=place.__getitem__)) for ring in rings), key=lambda ring: place[ring[0]])


def roots(edges: Edges[Node]) -> list[Node]:
    """Give the nodes that others wait for and that wait for nobody; and the circles that nothing leads out of.

    Those whom most nodes wait for, at once or through others, come first.
    """
    waited = {node for waits in edges.values() for node in waits}
    ends = [node for node in _nodes(edges) if node in waited and not edges.get(node)]
    closed = [node for ring in cycles(edges) if _is_closed(edges, ring) for node in ring]
    order = {node: index for index, node in enumerate(_nodes(edges))}
    return sorted([*ends, *closed], key=lambda node: (-len(behind(edges, node)), order[node]))


def behind(edges: Edges[Node], node: Node) -> set[Node]:
    """Give every node that waits for a node, at once or through others; the node itself only when it is in a circle."""
    waiters: dict[Node, list[Node]] = {}
    for waiter, waits in edges.items():
        for other in waits:
            waiters.setdefault(other, []).append(waiter)
    found: set[Node] = set()
    left = list(waiters.get(node, ()))
    while left:
        waiter = left.pop()
        if waiter not in found:
            found.add(waiter)
            left.extend(waiters.get(waiter, ()))
    return found


def _is_closed(edges: Edges[Node], ring: Iterable[Node]) -> bool:
    members = set(ring)
    return all(other in members for node in members for other in edges.get(node, ()))


def _nodes(edges: Edges[Node]) -> list[Node]:
    """Give all nodes, in the order in which they are named."""
    return list(dict.fromkeys(node for waiter, waits in edges.items() for node in (waiter, *waits)))


def _components(edges: Edges[Node]) -> list[list[Node]]:
    """Give the strongly connected components (Tarjan), without recursion: a chain may be longer than Python's stack."""
    number: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    stack: list[Node] = []
    held: set[Node] = set()
    found: list[list[Node]] = []
    for start in _nodes(edges):
        walk: list[tuple[Node, int]] = [] if start in number else [(start, 0)]
        while walk:
            node, at = walk.pop()
            if at == 0:
                number[node] = lowest[node] = len(number)
                stack.append(node)
                held.add(node)
            waits = edges.get(node, ())
            if at:
                lowest[node] = min(lowest[node], lowest[waits[at - 1]])
            while at < len(waits) and waits[at] in number:
                if waits[at] in held:
                    lowest[node] = min(lowest[node], number[waits[at]])
                at += 1
            if at < len(waits):
                walk += [(node, at + 1), (waits[at], 0)]
            elif lowest[node] == number[node]:
                ring = stack[stack.index(node) :]
                del stack[-len(ring) :]
                held.difference_update(ring)
                found.append(ring)
    return found
