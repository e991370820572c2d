"""Are two pictures of execute graphs the same graph, whatever their nodes are called and however they are listed?

Colours are refined until they say all that edges can say (Weisfeiler and Leman), twins that are left are told apart by
choice, and the mapping that comes out is checked edge by edge: colours alone could call two graphs equal that are not.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass

from getrace.dumps.snapshot import GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode

Label = Callable[[SnapshotGraph, SnapshotNode], Hashable]
Key = tuple[str, int]


def by_type_and_compute_node(_: SnapshotGraph, node: SnapshotNode) -> Hashable:
    """Tell nodes apart by type, compute node, index, released input, and how many inputs and outputs they have."""
    attrs = node.attrs
    named = ("ComputeNodeIndex", "index", "ReleaseResourceIndex", "branch")
    return (node.type, node.inputs, node.outputs, len(node.subgraphs), *(attrs.get(name, -9) for name in named))


def by_type_alone(_: SnapshotGraph, node: SnapshotNode) -> Hashable:
    """As ``by_type_and_compute_node`` where the numbers of InnerData and compute nodes may differ."""
    return (node.type, node.inputs, node.outputs, len(node.subgraphs))


@dataclass(slots=True)
class _Side:
    """One picture, taken apart: keys are (graph, node id)."""

    labels: dict[Key, Hashable]
    around: dict[Key, list[tuple[Hashable, Key]]]
    edges: Counter[tuple[Key, int, Key, int]]


def differences(left: GraphSnapshot, right: GraphSnapshot, label: Label = by_type_and_compute_node) -> list[str]:
    """List how two pictures differ; empty when one is the other with nodes renamed and listed in another order."""
    mine, theirs = _take_apart(left, label), _take_apart(right, label)
    found = _counted(mine, theirs, left, right)
    if found:
        return found
    colours = _refine({**_tagged(0, mine.labels)}, {**_tagged(1, theirs.labels)}, mine, theirs)
    if isinstance(colours, list):
        return [_said(text, left, right) for text in colours]
    mapping = _match(colours, mine, theirs)
    if mapping is None:
        return ["nodes of one colour cannot be paired"]
    moved = Counter({(mapping[a], o, mapping[b], i): n for (a, o, b, i), n in mine.edges.items()})
    wrong = (moved - theirs.edges) + (theirs.edges - moved)
    return [f"edge {edge} stands on one side only" for edge in list(wrong)[:5]]


def _take_apart(picture: GraphSnapshot, label: Label) -> _Side:
    side = _Side({}, defaultdict(list), Counter())
    for graph in picture.graphs.values():
        for node in graph.nodes:
            key = (graph.name, node.id)
            side.labels[key] = label(graph, node)
            for position, below in enumerate(node.subgraphs):
                for inner in picture.graphs[below].nodes:
                    side.around[key].append((("owns", position), (below, inner.id)))
                    side.around[(below, inner.id)].append((("owned", position), key))
        for edge in graph.edges:
            _add_edge(side, graph.name, edge)
    return side


def _add_edge(side: _Side, graph: str, edge: SnapshotEdge) -> None:
    source, target = (graph, edge.source), (graph, edge.target)
    side.edges[source, edge.source_output, target, edge.target_input] += 1
    side.around[source].append((("out", edge.source_output, edge.target_input), target))
    side.around[target].append((("in", edge.source_output, edge.target_input), source))


def _counted(mine: _Side, theirs: _Side, left: GraphSnapshot, right: GraphSnapshot) -> list[str]:
    have, want = Counter(mine.labels.values()), Counter(theirs.labels.values())
    names = [(left.stage or "left", have - want), (right.stage or "right", want - have)]
    return [f"only in {side}: {count} x {label}" for side, rest in names for label, count in rest.items()]


def _tagged(side: int, labels: dict[Key, Hashable]) -> dict[tuple[int, Key], Hashable]:
    return {(side, key): label for key, label in labels.items()}


_Colours = dict[tuple[int, Key], int]


def _refine(
    left: dict[tuple[int, Key], Hashable], right: dict[tuple[int, Key], Hashable], mine: _Side, theirs: _Side
) -> _Colours | list[str]:
    colours = _numbered({**left, **right})
    while True:
        signatures = {
            (side, key): (
                colour,
                tuple(sorted((hash(tag), colours[side, other]) for tag, other in (mine, theirs)[side].around[key])),
            )
            for (side, key), colour in colours.items()
        }
        finer = _numbered(signatures)
        unequal = _unequal(finer)
        if unequal:
            return unequal
        if len(set(finer.values())) == len(set(colours.values())):
            return finer
        colours = finer


def _numbered(values: Mapping[tuple[int, Key], Hashable]) -> _Colours:
    numbers: dict[Hashable, int] = {}
    return {key: numbers.setdefault(value, len(numbers)) for key, value in values.items()}


def _unequal(colours: _Colours) -> list[str]:
    sides: dict[int, list[list[Key]]] = defaultdict(lambda: [[], []])
    for (side, key), colour in colours.items():
        sides[colour][side].append(key)
    return [f"{len(a)} against {len(b)}: {a[:1]} {b[:1]}" for a, b in sides.values() if len(a) != len(b)][:6]


def _said(text: str, left: GraphSnapshot, right: GraphSnapshot) -> str:
    names = {
        repr((graph.name, node.id)): f"{graph.name}/{node.name}"
        for picture in (left, right)
        for graph in picture.graphs.values()
        for node in graph.nodes
    }
    for key, name in names.items():
        text = text.replace(key, name)
    return f"surroundings differ, {text}"


def _match(colours: _Colours, mine: _Side, theirs: _Side) -> dict[Key, Key] | None:
    """Pair the nodes of each colour; of twins one pair is made first and the colours are refined again."""
    while True:
        groups: dict[int, list[list[Key]]] = defaultdict(lambda: [[], []])
        for (side, key), colour in colours.items():
            groups[colour][side].append(key)
        twins = next((group for group in groups.values() if len(group[0]) > 1), None)
        if twins is None:
            return {a[0]: b[0] for a, b in groups.values()}
        chosen = _choose(colours, twins, mine, theirs)
        if chosen is None:
            return None
        colours = chosen


def _choose(colours: _Colours, twins: list[list[Key]], mine: _Side, theirs: _Side) -> _Colours | None:
    first = twins[0][0]
    for other in _candidates(twins[1]):
        marked: dict[tuple[int, Key], Hashable] = dict(colours)
        marked[0, first] = marked[1, other] = -1
        refined = _refine(
            {key: value for key, value in marked.items() if key[0] == 0},
            {key: value for key, value in marked.items() if key[0] == 1},
            mine,
            theirs,
        )
        if not isinstance(refined, list):
            return refined
    return None


def _candidates(keys: list[Key]) -> Iterator[Key]:
    yield from keys[:8]
