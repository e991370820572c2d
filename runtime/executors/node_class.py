"""The seven classes of nodes of an execute graph, and what each becomes (spec/lowering.md 1.3, execution.md 2.1).

An executor that asked a node for its type while running would pay for it on every run; and two tables, one for the
sequential and one for the topological builder, would sooner or later disagree about a type.
"""

from collections.abc import Iterator
from enum import Enum, auto

from runtime.graph.execute_graph import ExecuteGraph, FastNode


class NodeClass(Enum):
    """What becomes of a node."""

    INPUT = auto()
    OUTPUT = auto()
    ALIAS = auto()
    CONTROL_FLOW = auto()
    CONSTANT = auto()
    EXECUTED = auto()


_CLASSES: dict[str, NodeClass] = {
    "Data": NodeClass.INPUT,
    "AippData": NodeClass.INPUT,
    "ConstData": NodeClass.INPUT,
    "NetOutput": NodeClass.OUTPUT,
    "OutputData": NodeClass.ALIAS,
    "InnerData": NodeClass.ALIAS,
    "InnerNetOutput": NodeClass.ALIAS,
    "If": NodeClass.CONTROL_FLOW,
    "Case": NodeClass.CONTROL_FLOW,
    "While": NodeClass.CONTROL_FLOW,
    "SubgraphCall": NodeClass.CONTROL_FLOW,
    "Const": NodeClass.CONSTANT,
    "Constant": NodeClass.CONSTANT,
}


def class_of(node: FastNode) -> NodeClass:
    """Give the class of a node; whatever is not named in the table is a kernel."""
    return _CLASSES.get(node.type, NodeClass.EXECUTED)


def nodes_below(graph: ExecuteGraph) -> Iterator[FastNode]:
    """Walk depth first over a graph and the graphs its nodes own, as ``GetAllNodes`` does from the root."""
    pending = list(reversed(graph.nodes))
    while pending:
        node = pending.pop()
        yield node
        for inner in reversed(node.subgraphs):
            pending.extend(reversed(inner.nodes))
