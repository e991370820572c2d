"""From snapshots to the scene of one stage.

Owns the meaning of ``--stage``: which snapshot shows it, which graphs belong to it, and how a value goes from the
Init graph to the Main graph. Pure: snapshots in, records out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from getrace.dumps.snapshot import CONTROL, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.errors import InputError, UsageError
from views.graph.labels import dot_text, shorten
from views.graph.operators import operators_of
from views.graph.scene import Area, Item, Link, Scene
from views.graph.wording import item_of

OWNERS = {"init": "Init", "main": "Main", "deinit": "DeInit"}
"""Stage of an execute graph -> type of the root's node that owns it (spec/lowering.md 1.2)."""

STAGES = ("compute", *OWNERS, "all")


def widest_stage(snapshots: Sequence[GraphSnapshot]) -> str:
    """Give the stage that shows most: all execute graphs where there are some, else the compute graph."""
    return "all" if any(map(_is_execute, snapshots)) else "compute"


def scene_of(snapshots: Sequence[GraphSnapshot], stage: str) -> Scene:
    """Make the scene of a stage out of the last snapshot that has it: later ones are nearer to what runs.

    Raises UsageError for an unknown stage or one that no snapshot holds, InputError for a graph with a loose edge.
    """
    if stage not in STAGES:
        raise UsageError(f"unknown stage {stage!r}", f"the stages are {', '.join(STAGES)}")
    fitting = [snapshot for snapshot in snapshots if _holds(snapshot, stage)]
    if not fitting:
        raise UsageError(f"nothing here holds the stage {stage!r}", _what_there_is(snapshots))
    return _Painter(fitting[-1]).paint(stage)


def _holds(snapshot: GraphSnapshot, stage: str) -> bool:
    if stage == "compute":
        return not _is_execute(snapshot)
    if stage == "all":
        return _is_execute(snapshot)
    return snapshot.owned(OWNERS[stage]) is not None


def _is_execute(snapshot: GraphSnapshot) -> bool:
    return any(snapshot.owned(owner) is not None for owner in OWNERS.values())


def _what_there_is(snapshots: Sequence[GraphSnapshot]) -> str:
    held = [stage for stage in STAGES if any(_holds(snapshot, stage) for snapshot in snapshots)]
    return f"it holds {', '.join(held)}" if held else "there is no graph in it"


class _Painter:
    """Collects areas and links of one snapshot; keys are numbered in drawing order, so they repeat run after run."""

    def __init__(self, snapshot: GraphSnapshot) -> None:
        self._snapshot = snapshot
        self._links: list[Link] = []
        self._drawn: dict[str, Area] = {}

    def paint(self, stage: str) -> Scene:
        title = f"{self._snapshot.stage}: {self._snapshot.root}, {stage}"
        if stage == "compute":
            areas = [self._area(self._snapshot.root, "compute graph")]
        elif stage == "all":
            areas = [self._stage_area(owner) for owner in OWNERS.values() if self._snapshot.owned(owner) is not None]
            bridges = list(self._bridges())
            self._links.extend(bridges)
            areas = [_with_doorstep(area, {bridge.target for bridge in bridges}) for area in areas]
        else:
            areas = [self._stage_area(OWNERS[stage])]
        return Scene(title, tuple(areas), tuple(self._links))

    def _stage_area(self, owner: str) -> Area:
        graph = self._snapshot.owned(owner)
        assert graph is not None
        return self._area(graph.name, owner)

    def _area(self, name: str, role: str) -> Area:
        graph = self._snapshot.graphs.get(name)
        key = f"g{len(self._drawn)}"
        if graph is None:
            return Area(key, f"{role}: {shorten(name)}, not in this dump", ())
        self._drawn[name] = area = Area(key, "", tuple(_items(key, graph)))
        self._links.extend(_links(key, graph))
        inner = tuple(self._owned(graph, area))
        count = len(graph.nodes)
        self._drawn[name] = Area(
            key, f"{role}: {shorten(name)}, {count} node{'' if count == 1 else 's'}", area.items, inner
        )
        return self._drawn[name]

    def _owned(self, graph: SnapshotGraph, area: Area) -> Iterator[Area]:
        for node, item in zip(graph.nodes, area.items, strict=True):
            for position, name in enumerate(node.subgraphs):
                if name in self._drawn:
                    continue  # a graph inside itself, which only a broken file has
                inner = self._area(name, f"sub graph {position} of {shorten(node.name)}")
                entered = list(self._entered(graph, node, item, name)) if inner.items else []
                fed = {link.target for link in entered}
                self._links.extend(entered or [Link(item.key, each.key, "owns") for each in inner.items[:1]])
                yield _with_doorstep(inner, fed)

    def _entered(self, graph: SnapshotGraph, owner: SnapshotNode, item: Item, name: str) -> Iterator[Link]:
        """Yield owner -> node of its sub graph that stands for input k of the owner."""
        makers = {
            edge.target_input: f"{graph.nodes[edge.source].name}:{edge.source_output}"
            for edge in graph.edges
            if edge.target == owner.id and not edge.is_control
        }
        for node, inside in zip(self._snapshot.graphs[name].nodes, self._drawn[name].items, strict=True):
            slot = _slot(node)
            if slot is not None:
                text = f"input {slot} of {shorten(owner.name)}, made by {shorten(makers.get(slot, '?'))}"
                yield Link(item.key, inside.key, "owns", dot_text([text]))

    def _bridges(self) -> Iterator[Link]:
        """Yield Init output k -> Main input i: from InnerNetOutput to the InnerData with that index (1.2)."""
        root = self._snapshot.graphs[self._snapshot.root]
        for edge in root.edges:
            _check(root, edge)
            names = [(root.nodes[end].subgraphs or ("",))[0] for end in (edge.source, edge.target)]
            if edge.is_control or not all(name in self._drawn for name in names):
                continue
            source, target = (self._snapshot.graphs[name] for name in names)
            gate = next((node.id for node in source.nodes if node.type == "InnerNetOutput"), None)
            door = next((node.id for node in target.nodes if _is_door(node.type, node.attrs.get("index"), edge)), None)
            if gate is not None and door is not None:
                here, there = self._drawn[source.name], self._drawn[target.name]
                yield Link(here.items[gate].key, there.items[door].key, "between", _handed(source, gate, edge))


def _with_doorstep(area: Area, fed: set[str]) -> Area:
    items = tuple(replace(item, operator="") if item.key in fed else item for item in area.items)
    return replace(area, items=items, doorstep=frozenset(item.key for item in items if item.key in fed))


def _slot(node: SnapshotNode) -> int | None:
    """Give the input of the owner that a node of a sub graph stands for (spec/lowering.md 1.2), None for another node.

    A compute graph's Data says it in an attribute of its own, because its index counts the inputs of the model.
    """
    name = {"InnerData": "index", "Data": "_parent_node_index"}.get(node.type, "")
    value = node.attrs.get(name)
    return value if isinstance(value, int) else None


def _is_door(node_type: str, index: object, edge: SnapshotEdge) -> bool:
    return node_type == "InnerData" and index == edge.target_input


def _handed(source: SnapshotGraph, gate: int, edge: SnapshotEdge) -> str:
    """Say which value goes over: input k of InnerNetOutput is output k of the graph."""
    made_by = next(
        (
            source.nodes[inner.source].name
            for inner in source.edges
            if (inner.target, inner.target_input) == (gate, edge.source_output)
        ),
        "?",
    )
    return dot_text([f"output {edge.source_output}, made by {made_by}, is input {edge.target_input}"])


def _items(key: str, graph: SnapshotGraph) -> Iterator[Item]:
    operators = operators_of(graph)
    for node, operator in zip(graph.nodes, operators, strict=True):
        yield item_of(f"{key}n{node.id}", node, operator)


def _links(key: str, graph: SnapshotGraph) -> Iterator[Link]:
    for edge in graph.edges:
        _check(graph, edge)
        source, target = graph.nodes[edge.source].name, graph.nodes[edge.target].name
        if edge.source_output == CONTROL:
            text = f"{shorten(source)} before {shorten(target)}"
        else:
            text = f"{shorten(source)}:{edge.source_output} \N{RIGHTWARDS ARROW} {shorten(target)}:{edge.target_input}"
        kind = "control" if edge.is_control else "data"
        yield Link(f"{key}n{edge.source}", f"{key}n{edge.target}", kind, dot_text([text]))


def _check(graph: SnapshotGraph, edge: SnapshotEdge) -> None:
    count = len(graph.nodes)
    if not (0 <= edge.source < count and 0 <= edge.target < count):
        raise InputError(
            f"graph {graph.name!r} has an edge {edge.source} -> {edge.target}, and {count} nodes",
            "the dump is cut or damaged: dump the graph again",
        )
