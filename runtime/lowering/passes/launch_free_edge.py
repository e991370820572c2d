"""RemoveLaunchFreeEdge: giving memory back no longer waits for the launch that uses it.

It owns the exchange of an edge for a relation. The stream keeps launch and later use in order by itself; only before
memory leaves the stream must the launch have been submitted, and that an executor reads from the relation.

Source: spec/lowering.md 7.7.
"""

from runtime.graph.execute_graph import ExecuteGraph, FastEdge, FastNode
from runtime.lowering.passes.editor import Editor
from runtime.lowering.passes.kernel_kinds import HELD_RELEASES, HOST_ALLOCATIONS, LAUNCH_SECTION, MEMORY_SECTION

RELATIONS = "FreeLaunchRelations"
"""Attribute of a graph: (free node, launch) pairs, the launch to be submitted before the memory leaves its stream."""

_PRODUCERS = MEMORY_SECTION - HOST_ALLOCATIONS - {"AccessMemCrossStream"}


class RemoveLaunchFreeEdge:
    """Runs once, behind SplitMixedLaunchMemory."""

    name = "RemoveLaunchFreeEdge"
    stage = "RemoveLaunchFreeEdgeAfter"

    def run(self, editor: Editor) -> None:
        """Exchange every edge from a launch to the release of memory that a worker of the allocators made."""
        for graph in editor.root.all_subgraphs:
            edges: list[FastEdge] = []
            for launch in graph.nodes:
                if launch.type in LAUNCH_SECTION:
                    edges += _order_of(editor, graph, launch)
            for edge in edges:
                editor.disconnect(edge)
                free = edge.target
                if free.type in HELD_RELEASES:
                    held = HELD_RELEASES[free.type]
                    editor.turn_into(free, held, f"{held}_{free.name}")


def _order_of(editor: Editor, graph: ExecuteGraph, launch: FastNode) -> list[FastEdge]:
    """Let all memory of a launch be taken before any of it is given back; returns the edges that are not needed now."""
    matched = [(edge, producer) for edge in launch.out_control if (producer := _producer(edge.target)) is not None]
    if not matched:
        return []
    producers = dict.fromkeys(producer for _, producer in matched)
    frees = dict.fromkeys(edge.target for edge, _ in matched)
    for free in frees:
        before = {edge.source for edge in (*filter(None, free.in_data), *free.in_control)}
        for producer in producers:
            if producer not in before:
                editor.order(producer, free)
    for producer in producers:
        producer.attrs["remove_launch_free_edge_alloc"] = 1
    relations = graph.attrs.setdefault(RELATIONS, {})
    assert isinstance(relations, dict)
    relations.update({(free, launch): None for free in frees})
    return [edge for edge, _ in matched]


def _producer(free: FastNode) -> FastNode | None:
    """What took the memory that a node gives back, if a launch need not stand between the two."""
    index = free.attrs.get("ReleaseResourceIndex")
    if free.type not in HELD_RELEASES or not isinstance(index, int):
        return None
    edge = free.in_data[index]
    if edge is None or edge.source.type not in _PRODUCERS:
        return None
    return edge.source
