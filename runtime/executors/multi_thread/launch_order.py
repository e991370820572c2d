"""What launches need beside the edges of the graph when several threads run it.

Launches keep the order of the model's operators, though nothing else would make one wait for the other: two launches
that share no value could reach the stream in any order, and memory that one gives up early would be filled by one that
was launched before it (spec/execution.md 2.2, ``EnsureNodeExeInOrder``, and 2.5).
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise

from runtime.executors.order import execution_order
from runtime.executors.watchers import Relations
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.lowering.passes.kernel_kinds import SUBMITTING
from runtime.lowering.passes.launch_free_edge import RELATIONS


def order_launches(numbers: Mapping[FastNode, int], found: Relations) -> None:
    """Let each launch of a graph wait for the one before, in the order in which the sequential executor runs them.

    GE orders the launches of one operator and those of the next; this order is one of those it allows, and since the
    whole graph can run in it, no circle comes of it.
    """
    for graph in _graphs(numbers):
        launches = [node for node in execution_order(graph) if node.type in SUBMITTING]
        for before, after in pairwise(launches):
            _order(numbers[before], numbers[after], found)


def restore_waits(numbers: Mapping[FastNode, int], found: Relations) -> None:
    """Let each free wait for its launches again, as before the pass RemoveLaunchFreeEdge.

    For graphs with control flow: there a launch may be known much later than its free, and a launch of a branch in
    between would fill the memory. And for an executor with one thread, whose launches ``order_launches`` does not
    keep in order: first in, first out, another launch would fill the memory in the same way.
    """
    for graph in _graphs(numbers):
        for free, launch in launch_pairs(graph):
            _order(numbers[launch], numbers[free], found)


def launch_pairs(graph: ExecuteGraph) -> Iterable[tuple[FastNode, FastNode]]:
    """Give the (free, launch) pairs that the pass RemoveLaunchFreeEdge left on a graph."""
    pairs = graph.attrs.get(RELATIONS, {})
    assert isinstance(pairs, dict)
    return tuple(pairs)


def _graphs(numbers: Mapping[FastNode, int]) -> Iterable[ExecuteGraph]:
    return dict.fromkeys(node.graph for node in numbers)


def _order(before: int, after: int, found: Relations) -> None:
    if after not in found.watchers[before]:
        found.watchers[before].append(after)
        found.indegrees[after] += 1
