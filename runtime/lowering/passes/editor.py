"""The editor: the only door through which passes change a graph, and the book of what they changed.

A pass that edited the graph itself would have to remember what to report, and would report what it meant to do and
not what it did. Deleted nodes leave the lists of their graphs when the pass ends: taking them out one by one would
make a pass over a large model quadratic.
"""

from collections.abc import Collection, Iterable, Iterator

from getrace.events.graphs import PassApplied
from runtime.graph.execute_graph import ExecuteGraph, FastEdge, FastNode

CHANGED_INFO = "_pass_changed_info"
"""Attribute of ROOT that says who gives what a replaced node gave (spec/lowering.md 7)."""

_Before = tuple[str, str, tuple[FastEdge | None, ...], tuple[FastEdge, ...]]
"""A node before it was touched: name, type, and the edges that come in. Where an edge begins never changes."""


def _state(node: FastNode) -> _Before:
    return node.name, node.type, tuple(node.in_data), tuple(node.in_control)


def _ends(state: _Before) -> Iterator[object]:
    """Give what makes a node another one for the reader of a report: name, type, inputs, control inputs."""
    name, type_name, data, control = state
    yield name, type_name
    yield [None if edge is None else (edge.source, edge.source_output) for edge in data]
    yield [edge.source for edge in control]


def _is_rewired(before: _Before, now: _Before) -> bool:
    return before != now and list(_ends(before)) != list(_ends(now))


class Editor:
    """Edits one graph and all below it during one run of one pass."""

    def __init__(self, root: ExecuteGraph) -> None:
        self.root = root
        self._added: dict[FastNode, None] = {}
        self._removed: dict[FastNode, None] = {}
        self._moved: dict[FastNode, None] = {}
        self._before: dict[FastNode, _Before] = {}

    def add(self, graph: ExecuteGraph, name: str, type_name: str, inputs: int = 0, outputs: int = 0) -> FastNode:
        """Append a node to a graph."""
        node = graph.add_node(name, type_name, inputs, outputs)
        self._added[node] = None
        return node

    def connect(self, source: FastNode, output: int, target: FastNode, slot: int | None = None) -> int:
        """Feed an input, a new one behind the last when ``slot`` is None; returns its index."""
        self._touch(target)
        place = len(target.in_data) if slot is None else slot
        target.graph.add_edge(source, output, target, place)
        return place

    def order(self, before: FastNode, after: FastNode) -> None:
        """Make a node wait for another one of its graph."""
        self._touch(after)
        after.graph.add_control_edge(before, after)

    def disconnect(self, edge: FastEdge) -> None:
        """Take an edge out."""
        self._touch(edge.target)
        edge.target.graph.remove_edge(edge)

    def turn_into(self, node: FastNode, type_name: str, name: str = "") -> None:
        """Change the type of a node, and its name when one is given."""
        self._touch(node)
        node.type = type_name
        node.name = name or node.name

    def add_output(self, node: FastNode) -> int:
        """Give a node one more output; returns its index."""
        return node.graph.add_output(node)

    def remove(self, node: FastNode) -> None:
        """Delete a node with its edges. Until the pass ends it still stands in the list of its graph."""
        for edge in (*filter(None, node.in_data), *node.in_control):
            node.graph.remove_edge(edge)
        for edge in (*(edge for group in node.out_data for edge in group), *node.out_control):
            self.disconnect(edge)
        self._removed[node] = None

    def isolate(self, node: FastNode) -> None:
        """Delete a node; who came after it goes on waiting for whatever it came after."""
        before = dict.fromkeys(edge.source for edge in (*filter(None, node.in_data), *node.in_control))
        after = dict.fromkeys((*(target for _, target, _ in node.data_successors), *node.control_successors))
        self.remove(node)
        for source in before:
            for target in after:
                self.order(source, target)

    def is_removed(self, node: FastNode) -> bool:
        """Whether the pass has deleted a node."""
        return node in self._removed

    def move(self, nodes: Collection[FastNode], graph: ExecuteGraph) -> None:
        """Take nodes of one graph to the end of another. Edges that cross afterwards are the caller's to mend."""
        self._moved.update(dict.fromkeys(nodes))
        _drop(nodes)
        graph.adopt(nodes)

    def drop_inputs(self, node: FastNode, slots: Collection[int]) -> None:
        """Take data inputs of a node away; later inputs move up."""
        self._touch(node)
        node.graph.drop_inputs(node, slots)

    def replaced(self, old: FastNode, output: int, new: FastNode, by: int, *, consumer: FastNode | None = None) -> None:
        """Note who gives a value now, for dumps and profilers that know the old node; ``consumer``: only to this one.

        The notes are the root's attribute ``_pass_changed_info``: (old name, output[, consumer]) -> (name, output).
        """
        notes = self.root.attrs.setdefault(CHANGED_INFO, {})
        assert isinstance(notes, dict)
        key = (old.name, output) if consumer is None else (old.name, output, consumer.name)
        notes[key] = (new.name, by)

    def finish(self, name: str, turn: int) -> PassApplied | None:
        """Clear the lists of deleted nodes and say what the pass did; None when it did nothing."""
        gone = self._removed.keys()
        _drop(gone)
        added = _names(node for node in self._added if node not in gone)
        removed = _names(node for node in self._removed if node not in self._added)
        old = [node for node in self._before if node not in gone and node not in self._added]
        rewired = _names(node for node in old if _is_rewired(self._before[node], _state(node)))
        moved = _names(node for node in self._moved if node not in gone and node not in self._added)
        if not (added or removed or rewired or moved):
            return None
        return PassApplied(name, turn, added, removed, rewired, moved)

    def _touch(self, node: FastNode) -> None:
        if node not in self._before and node not in self._added:
            self._before[node] = _state(node)


def _names(nodes: Iterable[FastNode]) -> tuple[str, ...]:
    return tuple(node.name for node in nodes)


def _drop(nodes: Iterable[FastNode]) -> None:
    """Take nodes without edges to those that stay out of the lists of their graphs."""
    homes: dict[ExecuteGraph, list[FastNode]] = {}
    for node in nodes:
        homes.setdefault(node.graph, []).append(node)
    for graph, leaving in homes.items():
        graph.drop(leaving)
