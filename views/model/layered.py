"""A small layout in layers: where nodes of a graph stand when it is drawn in characters.

Only a window is laid out: the node that is looked at and those nearest to it, so the cost does not grow with the
graph. Nodes stand in layers, an edge goes one layer down or more, a long one through a joint in each layer between.
Columns are counted in characters; edges leave a node at an even column and come in at the odd one beside it, so the
two never lie on one another.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SWEEPS = 4
GAP = 2
JOINT = 3
"""Columns of a joint: it comes in at the one behind an even column, wherever it stands."""


class Arc(NamedTuple):
    """An edge between two nodes by their numbers; ``control`` carries order only."""

    source: int
    target: int
    control: bool


@dataclass(slots=True)
class Place:
    """Where a node stands, or a joint of a long edge (``node`` -1): its layer, first column and width."""

    node: int
    layer: int
    left: int = 0
    width: int = JOINT
    above: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)

    @property
    def port(self) -> int:
        """The column at which edges leave; they come in at the next one."""
        middle = self.left + self.width // 2
        return middle - middle % 2


class Wire(NamedTuple):
    """An edge from one layer to the next, by the numbers of its places."""

    source: int
    target: int
    control: bool


class Layout(NamedTuple):
    """``places`` by number, ``layers`` their numbers from left to right, ``wires`` between them.

    ``hidden`` counts for each shown node the neighbours that have no place, before it and behind it.
    """

    places: tuple[Place, ...]
    layers: tuple[tuple[int, ...], ...]
    wires: tuple[Wire, ...]
    hidden: Mapping[int, tuple[int, int]]


class Neighbours(NamedTuple):
    """The edges into and out of each node, read once for a graph."""

    into: Mapping[int, Sequence[Arc]]
    out: Mapping[int, Sequence[Arc]]


def neighbours(arcs: Sequence[Arc]) -> Neighbours:
    """Sort edges by their ends."""
    into: dict[int, list[Arc]] = {}
    out: dict[int, list[Arc]] = {}
    for arc in arcs:
        into.setdefault(arc.target, []).append(arc)
        out.setdefault(arc.source, []).append(arc)
    return Neighbours(into, out)


def window(graph: Neighbours, centre: int, budget: int, most: int) -> list[int]:
    """Give at most ``budget`` nodes, those nearest to the centre first; of one node's neighbours ``most`` each way."""
    found = {centre: None}
    edge = [centre]
    while edge and len(found) < budget:
        reached = []
        for node in edge:
            before = [arc.source for arc in graph.into.get(node, ())][:most]
            behind = [arc.target for arc in graph.out.get(node, ())][:most]
            for other in (*before, *behind):
                if other not in found and len(found) < budget:
                    found[other] = None
                    reached.append(other)
        edge = reached
    return list(found)


def lay_out(graph: Neighbours, nodes: Sequence[int], widths: Mapping[int, int], across: int) -> Layout:
    """Lay some nodes of a graph out in ``across`` columns; ``widths`` are those of their labels.

    The first of ``nodes`` is the most important one: where a layer has no room, the last ones of the list give way.
    """
    shown = _with_room(graph, nodes, widths, across)
    arcs = sorted({arc for node in shown for arc in graph.out.get(node, ()) if arc.target in shown})
    depth = _depths(sorted(shown), arcs)
    arcs = [arc for arc in arcs if depth[arc.source] < depth[arc.target]]
    places = [Place(node, depth[node], width=widths[node]) for node in sorted(shown)]
    number = {place.node: at for at, place in enumerate(places)}
    wires = _wires(places, number, arcs)
    for wire in wires:
        places[wire.source].below.append(wire.target)
        places[wire.target].above.append(wire.source)
    layers = _ordered(places)
    _place(places, layers, across)
    return Layout(tuple(places), tuple(map(tuple, layers)), tuple(wires), _hidden(graph, shown))


def _with_room(graph: Neighbours, nodes: Sequence[int], widths: Mapping[int, int], across: int) -> set[int]:
    """Leave out what does not fit: layers are worked out for all, then each is filled in the order of importance."""
    kept = list(nodes)
    while True:
        known = set(kept)
        arcs = sorted({arc for node in kept for arc in graph.out.get(node, ()) if arc.target in known})
        depth = _depths(sorted(known), arcs)
        room = _room_of_joints(arcs, depth)
        fitting = []
        for node in kept:
            used = room.get(depth[node], 0) + widths[node] + GAP
            if used <= across + GAP or node == nodes[0]:
                room[depth[node]] = used
                fitting.append(node)
        if len(fitting) == len(kept):
            # Joints alone may fill a layer; they go with the nodes that they tie together.
            if max(room.values(), default=0) <= across + GAP or len(kept) == 1:
                return known
            fitting.pop()
        kept = fitting


def _room_of_joints(arcs: Sequence[Arc], depth: Mapping[int, int]) -> dict[int, int]:
    """Give the columns that long edges take in the layers they pass."""
    joints = {
        (arc.source, arc.control, layer) for arc in arcs for layer in range(depth[arc.source] + 1, depth[arc.target])
    }
    return {layer: count * (JOINT + GAP) for layer, count in Counter(layer for *_, layer in joints).items()}


def _depths(nodes: Sequence[int], arcs: Sequence[Arc]) -> dict[int, int]:
    """Give each node its layer: below all that it needs; a node that needs nothing stands just above its first user.

    An edge that closes a circle is left out of account.
    """
    waiting = dict.fromkeys(nodes, 0)
    out: dict[int, list[int]] = {}
    for arc in arcs:
        waiting[arc.target] += 1
        out.setdefault(arc.source, []).append(arc.target)
    depth = dict.fromkeys(nodes, 0)
    ready = [node for node in nodes if not waiting[node]]
    done: set[int] = set()
    while len(done) < len(nodes):
        # In a circle nobody is ready: the first node of the list goes on.
        node = ready.pop(0) if ready else next(node for node in nodes if node not in done)
        if node in done:
            continue
        done.add(node)
        for other in out.get(node, ()):
            if other in done:
                continue
            depth[other] = max(depth[other], depth[node] + 1)
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    needed = {arc.target for arc in arcs}
    for node in nodes:
        users = [depth[other] for other in out.get(node, ()) if depth[other] > depth[node]]
        if node not in needed and users:
            depth[node] = min(users) - 1
    return depth


def _wires(places: list[Place], number: Mapping[int, int], arcs: Sequence[Arc]) -> list[Wire]:
    """Cut edges at each layer; the long edges of one node in one direction share their joints."""
    wires: dict[Wire, None] = {}
    joints: dict[tuple[int, bool, int], int] = {}
    for source, target, control in arcs:
        here = number[source]
        for layer in range(places[here].layer + 1, places[number[target]].layer):
            key = (source, control, layer)
            if key not in joints:
                joints[key] = len(places)
                places.append(Place(-1, layer))
            wires[Wire(here, joints[key], control)] = None
            here = joints[key]
        wires[Wire(here, number[target], control)] = None
    return list(wires)


def _ordered(places: Sequence[Place]) -> list[list[int]]:
    """Order each layer so that places stand near what they are tied to: means of positions, down and up in turn."""
    layers: list[list[int]] = [[] for _ in range(max((place.layer for place in places), default=-1) + 1)]
    for number, place in enumerate(places):
        layers[place.layer].append(number)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        position = {number: at for layer in layers for at, number in enumerate(layer)}
        for layer in layers if down else reversed(layers):
            means = {}
            for at, number in enumerate(layer):
                ties = places[number].above if down else places[number].below
                means[number] = sum(position[tie] for tie in ties) / len(ties) if ties else at
            layer.sort(key=lambda number, means=means: means[number])  # type: ignore[misc]
            position.update({number: at for at, number in enumerate(layer)})
    return layers


def _place(places: Sequence[Place], layers: Sequence[Sequence[int]], across: int) -> None:
    """Give columns: each layer in the middle, then each place nearer to what it is tied to, as far as there is room."""
    for layer in layers:
        wide = sum(places[number].width for number in layer) + GAP * (len(layer) - 1)
        left = max((across - wide) // 2, 0)
        for number in layer:
            places[number].left = left
            left += places[number].width + GAP
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            _pull(places, layer, across, down=sweep % 2 == 0)


def _pull(places: Sequence[Place], layer: Sequence[int], across: int, *, down: bool) -> None:
    wanted = []
    for number in layer:
        place = places[number]
        ties = place.above if down else place.below
        middle = sum(places[tie].port for tie in ties) / len(ties) if ties else place.port
        wanted.append(round(middle) - place.width // 2)
    lefts, free = [], 0
    for number, left in zip(layer, wanted, strict=True):
        lefts.append(max(left, free))
        free = lefts[-1] + places[number].width + GAP
    free = across
    for at in range(len(layer) - 1, -1, -1):
        lefts[at] = min(lefts[at], free - places[layer[at]].width)
        free = lefts[at] - GAP
    shift = -min(min(lefts, default=0), 0)
    for number, left in zip(layer, lefts, strict=True):
        places[number].left = left + shift


def _hidden(graph: Neighbours, shown: set[int]) -> dict[int, tuple[int, int]]:
    hidden = {}
    for node in sorted(shown):
        before = len({arc.source for arc in graph.into.get(node, ())} - shown)
        behind = len({arc.target for arc in graph.out.get(node, ())} - shown)
        if before or behind:
            hidden[node] = (before, behind)
    return hidden
