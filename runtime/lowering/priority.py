"""Priorities: which of several ready kernels of Main runs first.

It owns the numbers; executors only compare them. A launch gets its number from the place of its operator in the model,
what it needs gets the same number, and what releases memory comes right behind the last user.

Source: spec/lowering.md 8.2 (NodePriorityCalculator).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.lowering.passes.kernel_kinds import ATOMIC_LAUNCHES, RELEASES, SUBMITTING
from runtime.lowering.passes.parts import graphs_below, parts_of

UNSET = (1 << 63) - 1
"""INT64_MAX: the priority of a node that nothing decided about."""

_PER_OPERATOR, _LAUNCH, _ATOMIC = 10, 9, 4
_BRANCHING = frozenset({"If", "Case"})


def assign_priorities(root: ExecuteGraph, places: Sequence[int] | None = None) -> None:
    """Give each node of Main and below its attribute ``priority``.

    ``places`` are the topological ids of the compute nodes by ``ComputeNodeIndex``; None takes them from the model
    the root was lowered from.
    """
    main = parts_of(root).main
    known = _places(root) if places is None else places
    graphs = graphs_below(root, main)
    priorities = _Priorities()
    for target, priority in _targets(graphs[0], known):
        priorities.give_back(target, priority)
    for graph in graphs:
        for node in graph.nodes:
            if node.type in _ENDS:
                priorities.follow(node, _ENDS[node.type])
    for graph in graphs:
        if graph.parent_node is not None and graph.parent_node.type in _BRANCHING:
            priorities.set_branch(graph)
    for graph in graphs:
        for node in graph.nodes:
            node.attrs["priority"] = priorities.or_of_parent(node)


def _places(root: ExecuteGraph) -> list[int]:
    """The topological id of each compute node.

    A model that was sorted has them: no two nodes that are lowered one by one have the same id. Ids of any other model
    are positions in its graphs; there the place in a walk over all graphs is GE's id. A node that an engine made for a
    task of another one keeps the id it was given.
    """
    order = [] if root.compute_graph is None else list(_walk(root.compute_graph))
    is_sorted = len({node.id for node in order}) == len(order)
    place = {} if is_sorted else {node: number for number, node in enumerate(order)}
    return [place.get(node, node.id) for node in root.compute_nodes]


def _walk(graph: ComputeGraph) -> Iterator[ComputeNode]:
    for node in graph.nodes:
        yield node
        if node.type != "PartitionedCall":  # compiled as a whole: its nodes keep numbers of their own
            for below in node.subgraphs:
                yield from _walk(below)


def _targets(main: ExecuteGraph, places: Sequence[int]) -> list[tuple[FastNode, int]]:
    """What the order is about: launches and nodes with sub graphs, by priority, then by place."""
    found: list[tuple[FastNode, int]] = []
    running = 0
    for node in _all_nodes(main):
        if node.type not in SUBMITTING and not node.subgraph_names:
            continue
        index = node.attrs.get("ComputeNodeIndex")
        if isinstance(index, int):
            place = _ATOMIC if node.type in ATOMIC_LAUNCHES else _LAUNCH
            running = places[index] * _PER_OPERATOR + place
        found.append((node, running))
        running += 1
    return sorted(found, key=lambda item: item[1])


def _all_nodes(graph: ExecuteGraph) -> Iterable[FastNode]:
    for node in graph.nodes:
        yield node
        if node.subgraph_names:
            for below in node.subgraphs:
                yield from _all_nodes(below)


def _before(node: FastNode) -> list[FastNode]:
    data = [edge.source for edge in node.in_data if edge is not None]
    return [*data, *(edge.source for edge in node.in_control)]


class _Priorities:
    """The numbers given so far."""

    def __init__(self) -> None:
        self._of: dict[FastNode, int] = {}

    def give_back(self, target: FastNode, priority: int) -> None:
        """Give a target's priority to it and to all it needs that have none yet."""
        self._of[target] = priority
        pending = _before(target)
        while pending:
            node = pending.pop()
            if node not in self._of:
                self._of[node] = priority
                pending += _before(node)

    def follow(self, node: FastNode, later: int) -> None:
        """Put a node, and what only it needs, right behind the last of those it waits for."""
        largest, between = self._reach(node)
        if largest is None:
            return
        self._of.update(dict.fromkeys(between, largest))
        self._of[node] = largest + later

    def _reach(self, node: FastNode) -> tuple[int | None, list[FastNode]]:
        largest: int | None = None
        between: dict[FastNode, None] = {}
        pending = _before(node)
        while pending:
            before = pending.pop()
            priority = self._of.get(before)
            if priority is None:
                if before not in between:
                    between[before] = None
                    pending.extend(_before(before))
            elif largest is None or priority > largest:
                largest = priority
        return largest, list(between)

    def set_branch(self, graph: ExecuteGraph) -> None:
        """Let the choice of a branch be as early, and its end as late, as anything inside."""
        owner = graph.parent_node
        assert owner is not None
        inside = [self._of[node] for below in owner.subgraphs for node in _all_nodes(below) if node in self._of]
        inside += [self._of[owner]] if owner in self._of else []
        for node in graph.nodes:
            choose = _BRANCH_NODES.get(node.type)
            if choose is not None and inside:
                self._of[node] = choose(inside)
        for node in graph.nodes:
            if node not in self._of:
                self.follow(node, 0)

    def or_of_parent(self, node: FastNode) -> int:
        """The priority of a node, else that of the nearest node above its graph that has one."""
        seen: FastNode | None = node
        while seen is not None:
            if seen in self._of:
                return self._of[seen]
            seen = seen.graph.parent_node
        return UNSET


_ENDS: dict[str, int] = {**dict.fromkeys(RELEASES, 0), "SendEvents": 1}
_BRANCH_NODES: dict[str, Callable[[list[int]], int]] = {"SwitchNotify": min, "BranchDone": max, "WaitAnyone": max}
