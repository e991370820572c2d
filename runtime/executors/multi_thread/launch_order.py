"""Launches keep the order of the model's operators, though nothing else would make one wait for the other.

Without these relations two launches that share no value could reach the stream in any order, and two runs of one
model would differ on the device (spec/execution.md 2.2, ``EnsureNodeExeInOrder``).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from runtime.executors.order import priority_of
from runtime.executors.watchers import Relations
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.lowering.passes.kernel_kinds import SUBMITTING


def order_launches(numbers: Mapping[FastNode, int], found: Relations) -> None:
    """Let the launches of each priority, graph by graph, wait for those of the priority before.

    Only a later node of a graph is made to wait for an earlier one: the order of the nodes is one in which they can
    run, so no circle comes of it.
    """
    for groups in _groups(numbers).values():
        for priority, following in pairwise(sorted(groups)):
            for before in groups[priority]:
                for after in groups[following]:
                    _order(numbers[before], numbers[after], found)


def _groups(numbers: Mapping[FastNode, int]) -> Mapping[ExecuteGraph, dict[int, Sequence[FastNode]]]:
    groups: dict[ExecuteGraph, dict[int, list[FastNode]]] = {}
    for node in numbers:
        if node.type in SUBMITTING:
            groups.setdefault(node.graph, {}).setdefault(priority_of(node), []).append(node)
    return {graph: dict(of_graph) for graph, of_graph in groups.items()}


def _order(before: int, after: int, found: Relations) -> None:
    if before < after and after not in found.watchers[before]:
        found.watchers[before].append(after)
        found.indegrees[after] += 1
