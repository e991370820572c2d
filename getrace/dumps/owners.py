"""Guessing which node owns a sub graph, where a dump does not say it (spec/formats.md 3.3, spec/lowering.md 9.4).

Names are tried from the surest to the weakest: those that lowering gives to the graphs of a kernel, those that the
front ends give, and last what is left over when only one node can own it. A node whose links were guessed says so in
the attribute ``GUESSED``, so that a view can mark them.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Final

from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode

GUESSED: Final = "getrace_guessed_subgraphs"
"""Attribute of a node whose sub graphs were guessed; no dump of GE has it, and none of ours is written with it."""

_KERNELS: Mapping[str, tuple[str, ...]] = {
    "Init": ("Init",),
    "Main": ("Main",),
    "DeInit": ("DeInit",),
    "If": ("CondGraph", "then_graph", "else_graph"),
    "Case": ("CondGraph", "branch_"),
    "While": ("control_frame", "body"),
    "SubgraphCall": ("control_frame", "f"),
    "PartitionedCall": ("exec_sub_graph",),
}
"""The stems of the graphs that lowering makes for a kernel, in the order of its sub graphs (spec/lowering.md 4.12)."""

_LEFT_OVER: Mapping[str, tuple[str, ...]] = {
    "If": ("then|true", "else|false"),
    "StatelessIf": ("then|true", "else|false"),
    "While": ("cond", "body|loop"),
    "StatelessWhile": ("cond", "body|loop"),
    "PartitionedCall": ("",),
    "StatefulPartitionedCall": ("",),
    "Case": (),
    "StatelessCase": (),
}
"""Operators that own graphs: what the name of each graph holds; of a Case the graphs are as many as there are."""

_KERNEL_NAME = re.compile(r"(?P<stem>.+)_(?P<number>\d{1,18})\Z", re.DOTALL)
_BRANCH = re.compile(r"_(\d{1,9})_[^_]*\Z")
_NUMBER = re.compile(r"(\d{1,18})")

Owners = dict[tuple[str, int], list[str]]
"""By graph and node id: the sub graphs of the node, in order."""


def guess_owners(snapshot: GraphSnapshot) -> GraphSnapshot:
    """Give a snapshot in which every sub graph has an owner, as far as its name tells; known owners are kept."""
    known = {name for graph in snapshot.graphs.values() for node in graph.nodes for name in node.subgraphs}
    open_names = [name for name in snapshot.graphs if name != snapshot.root and name not in known]
    if not open_names:
        return snapshot
    nodes = [(graph.name, node) for graph in snapshot.graphs.values() for node in graph.nodes if not node.subgraphs]
    owners: Owners = {}
    for guess in (_by_kernel, _by_operator, _by_leaving):
        found = guess(nodes, open_names)
        taken = {name for names in found.values() for name in names}
        open_names = [name for name in open_names if name not in taken]
        nodes = [(graph, node) for graph, node in nodes if (graph, node.id) not in found]
        owners.update(found)
    graphs = {name: _owned(graph, owners) for name, graph in snapshot.graphs.items()}
    return GraphSnapshot(snapshot.stage, snapshot.root, graphs)


def _owned(graph: SnapshotGraph, owners: Owners) -> SnapshotGraph:
    nodes = tuple(
        replace(node, subgraphs=tuple(owners[graph.name, node.id]), attrs={**node.attrs, GUESSED: True})
        if (graph.name, node.id) in owners
        else node
        for node in graph.nodes
    )
    return SnapshotGraph(graph.name, nodes, graph.edges)


def _by_kernel(nodes: Iterable[tuple[str, SnapshotNode]], names: Iterable[str]) -> Owners:
    """Names of lowering: ``then_graph_if_135`` is of the youngest ``If_if_<n>`` that is older than 135."""
    makers: dict[str, list[tuple[int, int, tuple[str, int]]]] = defaultdict(list)
    for graph, node in nodes:
        split = _KERNEL_NAME.match(node.name)
        if split is None or not split["stem"].startswith(node.type):
            continue
        suffix = split["stem"].removeprefix(node.type)
        for slot, stem in enumerate(_KERNELS.get(node.type, ())):
            makers[stem + suffix].append((int(split["number"]), slot, (graph, node.id)))
    for row in makers.values():
        row.sort()
    found: dict[tuple[str, int], list[tuple[tuple[int, int], str]]] = defaultdict(list)
    for name in names:
        split = _KERNEL_NAME.match(name)
        if split is None:
            continue
        stem, branch = _without_branch(split["stem"])
        older = bisect_left(makers[stem], int(split["number"]), key=itemgetter(0)) if stem in makers else 0
        if older:
            _, slot, owner = makers[stem][older - 1]
            found[owner].append(((slot, branch), name))
    return {owner: [name for _, name in sorted(pairs)] for owner, pairs in found.items()}


def _without_branch(stem: str) -> tuple[str, int]:
    """Take the number out of ``branch_<k>_<node>``; other stems stay."""
    found = re.match(r"branch_(\d{1,9})(?=_|\Z)", stem)
    return (stem, 0) if found is None else ("branch_" + stem[found.end() :], int(found[1]))


def _by_operator(nodes: Iterable[tuple[str, SnapshotNode]], names: Iterable[str]) -> Owners:
    """Names of front ends: ``<graph>_PartitionedCall_<n>`` owns ``<graph>``, ``<owner>_<idx>_<branch>`` is of owner."""
    by_name = {node.name: (graph, node.id) for graph, node in nodes}
    calls = {
        node.name.rpartition("_PartitionedCall_")[0]: (graph, node.id)
        for graph, node in nodes
        if node.type == "PartitionedCall"
    }
    found: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    for name in names:
        branch = _BRANCH.search(name)
        owner = by_name.get(name[: branch.start()]) if branch is not None else None
        if name in calls:
            found[calls[name]].append((0, name))
        elif branch is not None and owner is not None:
            found[owner].append((int(branch[1]), name))
    return {owner: [name for _, name in sorted(pairs)] for owner, pairs in found.items()}


def _by_leaving(nodes: Iterable[tuple[str, SnapshotNode]], names: list[str]) -> Owners:
    """When one node alone can own graphs, all that are left are its own, if their number and names fit."""
    able = [(graph, node) for graph, node in nodes if node.type in _LEFT_OVER]
    if len(able) != 1 or not names:
        return {}
    graph, node = able[0]
    words = _LEFT_OVER[node.type]
    ordered = list(_in_order(words, names)) if words else sorted(names, key=_natural)
    return {(graph, node.id): ordered} if len(ordered) == len(names) else {}


def _in_order(words: tuple[str, ...], names: list[str]) -> Iterator[str]:
    left = list(names)
    for word in words:
        fitting = [name for name in left if re.search(word, name, re.IGNORECASE)]
        if len(fitting) == 1:
            left.remove(fitting[0])
            yield fitting[0]


def _natural(name: str) -> list[tuple[bool, int, str]]:
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in _NUMBER.split(name)]
