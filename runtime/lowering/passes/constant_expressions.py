"""ConstantExpressionMotion: what does not change from step to step is computed once, on Init.

It owns the choice of what moves and the mending of every edge that crosses from Init to Main afterwards. After it,
Main and the graphs below hold no Const.

Source: spec/lowering.md 7.2, 10.2, 12.1, 12.17 and 12.18; the order of lists and names as in GE's dumps.
"""

from collections import deque

from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.lowering.passes.editor import Editor
from runtime.lowering.passes.equivalents import equivalents_of
from runtime.lowering.passes.inner_data import bring_down, remove_unused
from runtime.lowering.passes.kernel_kinds import ALLOCATIONS, CONSTANTS
from runtime.lowering.passes.name_numbers import PassNumbers
from runtime.lowering.passes.parts import Endpoint, Parts, graphs_below, init_source, is_control_frame, parts_of

_EXITS = frozenset({"NetOutput", "InnerNetOutput"})
_STOPS = _EXITS | ALLOCATIONS
_VALUES = CONSTANTS | {"ConstData"}

_Crossing = tuple[Endpoint, FastNode, int]
"""What feeds an input from another graph, and the input."""


class ConstantExpressionMotion:
    """One optimizer has one of it: it numbers its nodes, and what a run moved is what the next run's nodes wait for."""

    name = "ConstantExpressionMotion"
    stage = "AfterCEM"

    def __init__(self, numbers: PassNumbers | None = None) -> None:
        self._numbers = numbers or PassNumbers()
        self._moved_before: frozenset[str] | None = None

    def run(self, editor: Editor) -> None:
        """Move constants and what follows from them alone, graph by graph from Main down."""
        parts = parts_of(editor.root)
        run = _Motion(editor, parts, self._waited_for(parts), self._numbers)
        graphs = graphs_below(editor.root, parts.main)
        for graph in graphs:
            if not is_control_frame(graph):
                run.move_out_of(graph)
        remove_unused(editor, [*graphs, parts.deinit_graph])
        self._moved_before = frozenset(node.name for node in run.moved)

    def _waited_for(self, parts: Parts) -> list[FastNode]:
        """Nodes of Init that ran for their effects so far, once for each value they export."""
        before = self._moved_before
        sources: list[FastNode] = []
        for node in parts.init_graph.nodes:
            if before is not None and node.name not in before:
                continue
            readers = (*node.out_data, node.out_control)
            if node is not parts.exit and not any(readers):
                sources.append(node)
            elif node.type not in _VALUES:
                sources.extend(node for group in readers for edge in group if edge.target is parts.exit)
        return sources


class _Motion:
    """One run of the pass. ``moved`` are the nodes that came to Init, in order."""

    def __init__(self, editor: Editor, parts: Parts, waited_for: list[FastNode], numbers: PassNumbers) -> None:
        self.moved: list[FastNode] = []
        self._editor = editor
        self._parts = parts
        self._waited_for = waited_for
        self._numbers = numbers
        self._equivalents = equivalents_of(parts)
        self._fence: FastNode | None = None

    def move_out_of(self, graph: ExecuteGraph) -> None:
        """Move what is constant out of one graph, and its guarders to DeInit."""
        origins = self._origins(graph)
        moving = _constant_nodes(graph, origins)
        if not moving:
            return
        guarders = _guarders_of(moving, origins)
        homes = dict.fromkeys(moving, self._parts.init_graph) | dict.fromkeys(guarders, self._parts.deinit_graph)
        free = [node for node in moving if node.type not in CONSTANTS and _reads_only(node, origins)]
        crossing = self._cut(homes, origins)
        self._editor.move(moving, self._parts.init_graph)
        self._editor.move(guarders, self._parts.deinit_graph)
        self._put_behind_fence(free)
        for source, target, slot in crossing:
            self._connect(source, target, slot)
        self.moved += moving

    def _origins(self, graph: ExecuteGraph) -> dict[FastNode, Endpoint]:
        """Nodes of a graph that stand for a value of Init, each with it."""
        found = {node: source for node, source in self._equivalents.items() if node.graph is graph}
        for node in graph.inner_data.values():
            source = init_source(node, self._parts, self._equivalents)
            if source is not None:
                found[node] = source
        return found

    def _cut(self, homes: dict[FastNode, ExecuteGraph], origins: dict[FastNode, Endpoint]) -> list[_Crossing]:
        """Take every edge away that would cross graphs; the data edges are given back, to be made again."""
        crossing: list[_Crossing] = []
        for node in homes:
            for slot, edge in enumerate(node.in_data):
                if edge is not None and edge.source in origins:
                    self._editor.disconnect(edge)
                    crossing.append((origins[edge.source], node, slot))
        for node, home in homes.items():
            for output, group in enumerate(node.out_data):
                leaving = [edge for edge in group if homes.get(edge.target) is not home]
                if len(leaving) > 1:  # readers on Main come first: their InnerData have the smaller numbers
                    leaving.sort(key=lambda edge: edge.target in homes)
                for edge in leaving:
                    self._editor.disconnect(edge)
                    crossing.append((Endpoint(node, output), edge.target, edge.target_input))
            for edge in (*node.in_control, *node.out_control):
                if homes.get(edge.source) is not homes.get(edge.target):
                    self._editor.disconnect(edge)
        return crossing

    def _connect(self, source: Endpoint, target: FastNode, slot: int) -> None:
        if target.graph is self._parts.init_graph:
            self._editor.connect(*source, target, slot)
            return
        output = self._export(source)
        inner = bring_down(self._editor, Endpoint(self._parts.init, output), target.graph, self._name_inner_data)
        self._editor.connect(inner, 0, target, slot)

    def _export(self, source: Endpoint) -> int:
        """Give the output of the Init node that an endpoint inside leaves by."""
        for edge in source.node.out_data[source.output]:
            if edge.target is self._parts.exit:
                return edge.target_input
        self._editor.connect(*source, self._parts.exit)
        return self._editor.add_output(self._parts.init)

    def _put_behind_fence(self, nodes: list[FastNode]) -> None:
        """Let moved nodes wait for all that Init did for its effects before; GE's name for the fence says NoOp."""
        if not nodes or not self._waited_for:
            return
        if self._fence is None:
            self._fence = self._editor.add(self._parts.init_graph, f"CEM_NoOp_{next(self._numbers.fences)}", "NoOp")
            for source in self._waited_for:
                self._editor.order(source, self._fence)
        for node in nodes:
            self._editor.order(self._fence, node)

    def _name_inner_data(self, graph: ExecuteGraph) -> str:
        return f"CEM_{graph.name}_InnerData_{next(self._numbers.moved_values)}"


def _constant_nodes(graph: ExecuteGraph, origins: dict[FastNode, Endpoint]) -> list[FastNode]:
    """The Const of a graph, then the nodes whose inputs are all known, in the order in which they become known."""
    constants: list[FastNode] = []
    queue: deque[FastNode] = deque()
    for node in graph.nodes:
        if node.type in CONSTANTS:
            constants.append(node)
            queue.append(node)
        elif node in origins:
            queue.append(node)
    known = set(queue)
    following: list[FastNode] = []
    while queue:
        for group in queue.popleft().out_data:
            for edge in group:
                node = edge.target
                if node not in known and _follows(node, known) and _may_move(node):
                    known.add(node)
                    following.append(node)
                    queue.append(node)
    return constants + following


def _follows(node: FastNode, known: set[FastNode]) -> bool:
    """Whether a node comes after known ones only; one that waits for a kernel of a step belongs to the step."""
    for edge in node.in_data:
        if edge is None or edge.source not in known:
            return False
    return all(edge.source in known for edge in node.in_control)


def _may_move(node: FastNode) -> bool:
    if node.type in _STOPS or node.subgraph_names or "ReleaseResourceIndex" in node.attrs:
        return False
    return all(edge.target.type not in _EXITS for group in node.out_data for edge in group)


def _guarders_of(moving: list[FastNode], origins: dict[FastNode, Endpoint]) -> list[FastNode]:
    """What releases a moved node's resource and reads nothing that stays on Main."""
    known = {*moving, *origins}
    found: dict[FastNode, None] = {}
    for node in moving:
        for _, target, slot in node.data_successors:
            if target.attrs.get("ReleaseResourceIndex") != slot or target.output_count:
                continue
            if all(edge is not None and edge.source in known for edge in target.in_data):
                found[target] = None
    return list(found)


def _reads_only(node: FastNode, origins: dict[FastNode, Endpoint]) -> bool:
    """Whether all that a node reads stood on Init or was a Const before the run."""
    sources = [edge.source for edge in node.in_data if edge is not None]
    return all(source in origins or source.type in CONSTANTS for source in sources)
