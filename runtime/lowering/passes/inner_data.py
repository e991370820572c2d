"""InnerData: bringing a value down into the graph that reads it, and taking away what nobody reads any more.

It owns the agreement between the inputs of a node with sub graphs, the InnerData below it and their indices. A pass
that dropped an input alone would shift the meaning of all later ones.

Source: spec/lowering.md 1.6, 7.2 and 7.8 (InnerDataRemover).
"""

from collections.abc import Callable

from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.lowering.passes.editor import Editor
from runtime.lowering.passes.parts import Endpoint


def bring_down(
    editor: Editor,
    source: Endpoint,
    graph: ExecuteGraph,
    name: Callable[[ExecuteGraph], str],
    *,
    anew: bool = False,
) -> FastNode:
    """Give the InnerData of a graph that stands for an endpoint of a graph above it.

    What is on the way already is used again unless it shall be made ``anew``. New InnerData are named from the lowest
    graph up.
    """
    levels = [graph]
    while (owner := levels[-1].parent_node) is not None and owner.graph is not source.node.graph:
        levels.append(owner.graph)
    reached, feed = len(levels), source
    for place in range(len(levels) - 1, -1, -1):
        known = None if anew else _known(feed, levels[place])
        if known is None:
            break
        reached, feed = place, Endpoint(known, 0)
    if reached == 0:
        return feed.node
    made = [editor.add(level, name(level), "InnerData", outputs=1) for level in levels[:reached]]
    for inner in reversed(made):
        _feed(editor, feed, inner, anew=anew)
        feed = Endpoint(inner, 0)
    return made[0]


def _known(feed: Endpoint, graph: ExecuteGraph) -> FastNode | None:
    """The InnerData of a graph that an endpoint one level up feeds already."""
    owner = graph.parent_node
    for edge in feed.node.out_data[feed.output]:
        if edge.target is owner and edge.target_input in graph.inner_data:
            return graph.inner_data[edge.target_input]
    return None


def _feed(editor: Editor, feed: Endpoint, inner: FastNode, *, anew: bool) -> None:
    owner = inner.graph.parent_node
    assert owner is not None
    edges = () if anew else feed.node.out_data[feed.output]
    slot = next((edge.target_input for edge in edges if edge.target is owner), None)
    if slot is None:
        slot = editor.connect(*feed, owner)
    inner.attrs["index"] = slot
    inner.graph.inner_data[slot] = inner


def remove_unused(editor: Editor, graphs: list[ExecuteGraph]) -> None:
    """Delete the InnerData that nobody reads, and the inputs that no InnerData stands for, from the lowest graph up.

    ``graphs`` has a graph before those below it.
    """
    owners: dict[ExecuteGraph, dict[FastNode, None]] = {}
    for graph in graphs:
        if graph.parent_node is not None:
            owners.setdefault(graph.parent_node.graph, {})[graph.parent_node] = None
    for graph in reversed(graphs):
        for owner in owners.pop(graph, ()):
            _drop_unread(editor, owner)
        for node in list(graph.inner_data.values()):
            if not node.out_data[0] and not node.out_control:
                editor.remove(node)
                del graph.inner_data[_index(node)]
    for above in owners.values():
        for owner in above:
            _drop_unread(editor, owner)


def _drop_unread(editor: Editor, owner: FastNode) -> None:
    # Inputs of a While stand by its outputs: a loop variable keeps its place even when no round reads it.
    read = set(range(owner.output_count)) if owner.type == "While" else set()
    read.update(slot for graph in owner.subgraphs for slot in graph.inner_data)
    unread = [slot for slot in range(len(owner.in_data)) if slot not in read]
    if not unread:
        return
    editor.drop_inputs(owner, unread)
    place = {old: new for new, old in enumerate(sorted(read))}
    for graph in owner.subgraphs:
        for inner in graph.inner_data.values():
            inner.attrs["index"] = place[_index(inner)]
        graph.inner_data = {_index(inner): inner for inner in graph.inner_data.values()}


def _index(inner: FastNode) -> int:
    index = inner.attrs["index"]
    assert isinstance(index, int)
    return index
