"""The kernels that stand for an If, a Case, a While or a SubgraphCall while it runs (spec/execution.md 2.4).

Such a node is not executed itself: what must run before it is attached to its first key node, what runs after it to its
last, and each of its graphs hangs between a pivot and a done node.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from getrace.errors import ModelError
from runtime.graph.execute_graph import ExecuteGraph, FastNode

_START: Final = {"If": "SwitchNotify", "Case": "SwitchNotify", "While": "Enter", "SubgraphCall": "BranchPivot"}
_END: Final = {"If": "WaitAnyone", "Case": "WaitAnyone", "While": "Exit", "SubgraphCall": "BranchDone"}
_WITH_BRANCHES: Final = frozenset({"If", "Case"})
_BODY: Final = 1
"""The graph of a While or of a SubgraphCall that its one pivot guards."""


class Branch(NamedTuple):
    """A graph, the kernel that lets it start and the one that waits for it."""

    graph: ExecuteGraph
    pivot: FastNode
    done: FastNode


def start_of(node: FastNode) -> FastNode:
    """Give the kernel that what comes before a control-flow node leads to. Raises ModelError when it is missing."""
    return _key_node(node, _START[node.type])


def end_of(node: FastNode) -> FastNode:
    """Give the kernel that what comes after a control-flow node waits for. Raises ModelError when it is missing."""
    return _key_node(node, _END[node.type])


def loop_entry(node: FastNode) -> FastNode:
    """Give the WaitAnyone that a While comes back to."""
    return _key_node(node, "WaitAnyone")


def branches_of(node: FastNode) -> Iterator[Branch]:
    """Give the graphs of a control-flow node with their guards. Raises ModelError with GE's text when one is missing.

    The pivots of If and Case carry the number of their graph; a While or a SubgraphCall has one graph to guard.
    """
    if node.type in _WITH_BRANCHES:
        done = {_branch_number(one): one for one in _of_type(node, "BranchDone")}
        for pivot in _of_type(node, "BranchPivot"):
            number = _branch_number(pivot)
            yield Branch(_graph(node, number), pivot, done[number])
    else:
        yield Branch(_graph(node, _BODY), _key_node(node, "BranchPivot"), _key_node(node, "BranchDone"))


def _graph(node: FastNode, number: int) -> ExecuteGraph:
    graphs = node.subgraphs
    if not 0 < number < len(graphs):
        raise ModelError(f"Failed to find branch graph for node {node.name}, index {number}")
    return graphs[number]


def _of_type(node: FastNode, type_name: str) -> list[FastNode]:
    graphs = node.subgraphs
    return [inner for inner in graphs[0].nodes if inner.type == type_name] if graphs else []


def _key_node(node: FastNode, type_name: str) -> FastNode:
    found = _of_type(node, type_name)
    if not found:
        raise ModelError(f"Key node {type_name} not found in cond graph of node {node.name}")
    return found[0]


def _branch_number(node: FastNode) -> int:
    number = node.attrs.get("branch")
    if not isinstance(number, int):
        raise ModelError(f"Failed to get attr 'branch' from node {node.name}")
    return number
