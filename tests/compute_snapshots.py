"""Compute graphs as dumps have them, made by hand: nodes with shapes, and edges by name."""

from collections.abc import Mapping, Sequence

from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode

Shape = tuple[int, ...]


def node(
    name: str,
    type_name: str,
    inputs: Sequence[Shape] = (),
    outputs: Sequence[Shape] = (),
    attrs: Mapping[str, AttrValue] | None = None,
    subgraphs: tuple[str, ...] = (),
) -> SnapshotNode:
    """Make a node with the shapes of its inputs and outputs."""
    sides = {"input": inputs, "output": outputs}
    shapes: dict[str, AttrValue] = {
        f"{side}_desc_shape:{at}": shape for side, all_shapes in sides.items() for at, shape in enumerate(all_shapes)
    }
    return SnapshotNode(0, name, type_name, len(inputs), len(outputs), {**shapes, **(attrs or {})}, subgraphs)


def graph(name: str, nodes: Sequence[SnapshotNode], *edges: tuple[str, str, int]) -> SnapshotGraph:
    """Make a graph; an edge is (source, target, input), and takes the source's first output."""
    placed = tuple(
        SnapshotNode(at, each.name, each.type, each.inputs, each.outputs, each.attrs, each.subgraphs)
        for at, each in enumerate(nodes)
    )
    ids = {each.name: each.id for each in placed}
    return SnapshotGraph(name, placed, tuple(SnapshotEdge(ids[a], 0, ids[b], at) for a, b, at in edges))


def snapshot(*graphs: SnapshotGraph, stage: str = "ComputeGraphBeforeLowering", source: str = "") -> GraphSnapshot:
    """Make a dump; the first graph is the root."""
    return GraphSnapshot(stage, graphs[0].name, {each.name: each for each in graphs}, source)
