"""Which node of which graph a kernel of the log belongs to: the join of a log and the graph dumps beside it.

A kernel's NAME is a node of the execute graph, and holds the operator that it works for, a node of the compute graph
(spec/kerneltrace.md 4). A folder may hold dumps of many graphs, and short names stand in several; so the dump that
knows most of the log's names is asked first. If each view joined by itself, one would blame a node of another model.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from getrace.dumps.ge_proto_attrs import DESC_DEFAULTS, desc_key
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotNode
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store


class How(StrEnum):
    """By what a kernel was found."""

    KERNEL = "kernel"
    """Its NAME is a node, of an execute graph."""
    OPERATOR = "operator"
    """The operator in its NAME is a node."""


@dataclass(frozen=True, slots=True)
class NodeAt:
    """A node and where it stands; ``others`` counts the nodes of this name in other graphs of the same dump."""

    snapshot: GraphSnapshot
    graph: str
    node: SnapshotNode
    others: int = 0


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is known of one NAME: its operator or "", and the node, or the reason why there is none."""

    kernel: str
    op: str
    how: How | None = None
    at: NodeAt | None = None
    reason: str = ""


class Tensor(NamedTuple):
    """An input or output of a node as its descriptor has it; -1 is a dimension that is not known."""

    dtype: AttrValue
    shape: AttrValue
    layout: AttrValue


class NodeIndex:
    """Nodes of some dumps by name; the dump that knows most of the wanted names is asked first, then the later one."""

    def __init__(self, snapshots: Sequence[GraphSnapshot], wanted: Iterable[str]) -> None:
        names = set(wanted)
        known = [_by_name(snapshot, names) for snapshot in snapshots]
        order = sorted(range(len(known)), key=lambda number: (len(known[number]), number), reverse=True)
        self._nodes = [known[number] for number in order]

    def find(self, name: str) -> NodeAt | None:
        """Give a node of a name that was wanted, None when no dump has it."""
        return next((nodes[name] for nodes in self._nodes if name in nodes), None)


def resolve(names: Iterable[str], snapshots: Sequence[GraphSnapshot]) -> list[Resolution]:
    """Find the nodes of kernels by their NAMEs, in the order of these."""
    parts = [(name, split_kernel_name(name).node) for name in names]
    index = NodeIndex(snapshots, {text for pair in parts for text in pair if text})
    return [_resolve(name, op, index, bool(snapshots)) for name, op in parts]


def resolve_store(store: Store) -> list[Resolution]:
    """Find the nodes of all kernels of a log in the graphs beside it, by NAME."""
    numbers = np.unique(store.column("kernel")).tolist()
    names = {store.names.text(number) for number in numbers if number != none_of("kernel")}
    return resolve(sorted(names - {""}), store.graphs)


def node_of(store: Store, op: str) -> NodeAt | None:
    """Find the node of one operator; the other kernels of the log decide between dumps."""
    numbers = np.unique(store.column("kernel")).tolist()
    names = [store.names.text(number) for number in numbers if number != none_of("kernel")]
    return NodeIndex(store.graphs, {op, *(split_kernel_name(name).node for name in names)}).find(op)


def tensors(node: SnapshotNode, side: str) -> list[Tensor]:
    """Give the inputs or outputs of a node of a compute graph; ``side`` is ``input`` or ``output``."""
    count = node.inputs if side == "input" else node.outputs
    return [Tensor(*(_field(node, side, name, index) for name in Tensor._fields)) for index in range(count)]


def _field(node: SnapshotNode, side: str, name: str, index: int) -> AttrValue:
    return node.attrs.get(desc_key(side, name, index), DESC_DEFAULTS[name])


def _resolve(name: str, op: str, index: NodeIndex, given: bool) -> Resolution:
    for how, text in ((How.KERNEL, name), (How.OPERATOR, op)):
        at = index.find(text) if text else None
        if at is not None:
            return Resolution(name, op, how, at)
    if not op:
        return Resolution(name, op, reason="a kernel of the executor itself, for no operator")
    said = f"no dump has a node '{op}'" if given else "there is no graph dump beside the log"
    return Resolution(name, op, reason=said)


def _by_name(snapshot: GraphSnapshot, wanted: set[str]) -> dict[str, NodeAt]:
    """Find the wanted nodes of a dump; of several graphs the one with most of them is taken, then the first."""
    found = [
        (node.name, graph.name, node)
        for graph in snapshot.graphs.values()
        for node in graph.nodes
        if node.name in wanted
    ]
    share = Counter(graph for _, graph, _ in found)
    count = Counter(name for name, _, _ in found)
    nodes: dict[str, NodeAt] = {}
    for name, graph, node in found:
        if name not in nodes or share[graph] > share[nodes[name].graph]:
            nodes[name] = NodeAt(snapshot, graph, node, count[name] - 1)
    return nodes
