"""From a snapshot back to an execute graph: a dump of GE becomes a graph that passes and executors can work on.

It owns what a dump adds to a graph for its own sake. If it stayed, the next dump of the graph would hold it twice.

Source: spec/lowering.md 9.6. The reader of dumps has undone the two artefacts of this section already.
"""

from collections import defaultdict
from collections.abc import Mapping

from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode
from getrace.errors import InputError
from runtime.graph.execute_graph import ExecuteGraph, FastNode

_DUMP_ONLY = ("_input_name_", "_output_name_", "_src_out_peer_", "_opt_input", "_ir_", "input_desc_", "output_desc_")
_PEER = "_src_out_peer_index_for_ge_txt_load"
_REF_NODE, _REF_INDEX = "output_desc_RefFromNode:", "output_desc_RefFromIndex:"


def execute_graph_of(snapshot: GraphSnapshot) -> ExecuteGraph:
    """Build the execute graph of a snapshot, with all sub graphs registered in the order of the snapshot.

    Consumers of an output stand as the dump says; control edges stand by source, then target, since no dump says how
    they stood. A Const keeps GE's bytes. Raises InputError when a sub graph belongs to no node.
    """
    graphs = {name: ExecuteGraph(name) for name in snapshot.graphs}
    owners: dict[str, FastNode] = {}
    for name, graph in graphs.items():
        _fill(graph, snapshot.graphs[name])
        for node, picture in zip(graph.nodes, snapshot.graphs[name].nodes, strict=True):
            owners.update(dict.fromkeys(picture.subgraphs, node))
    _hang(graphs, owners, snapshot)
    return graphs[snapshot.root]


def _fill(graph: ExecuteGraph, picture: SnapshotGraph) -> None:
    for known in picture.nodes:
        node = graph.add_node(known.name, known.type, known.inputs, known.outputs)
        node.attrs = {key: value for key, value in known.attrs.items() if not key.startswith(_DUMP_ONLY)}
        node.output_refs = _references(known.attrs)
        if node.type == "InnerData":
            index = node.attrs.get("index")
            if isinstance(index, int):
                graph.inner_data[index] = node
    nodes = graph.nodes
    places = defaultdict(list)
    for edge in picture.edges:
        if edge.is_control:
            graph.add_control_edge(nodes[edge.source], nodes[edge.target])
        else:
            place = _place(picture.nodes[edge.target], edge.target_input)
            places[edge.source, edge.source_output].append((place, edge.target, edge.target_input))
    for (source, output), targets in places.items():
        for _, target, slot in sorted(targets):
            graph.add_edge(nodes[source], output, nodes[target], slot)


def _place(node: SnapshotNode, slot: int) -> int:
    """Where an input stands among the consumers of what feeds it."""
    places = node.attrs.get(_PEER, ())
    place = places[slot] if isinstance(places, tuple) and slot < len(places) else 0
    return place if isinstance(place, int) else 0


def _references(attrs: Mapping[str, AttrValue]) -> dict[int, tuple[str, int]]:
    found: dict[int, tuple[str, int]] = {}
    for key, value in attrs.items():
        if key.startswith(_REF_NODE):
            output = key.removeprefix(_REF_NODE)
            index = attrs.get(f"{_REF_INDEX}{output}", 0)
            assert isinstance(index, int)
            found[int(output)] = (str(value), index)
    return found


def _hang(graphs: dict[str, ExecuteGraph], owners: Mapping[str, FastNode], snapshot: GraphSnapshot) -> None:
    """Give each graph its parent, then register all of them on the root in the order of the snapshot."""
    for name, graph in graphs.items():
        if name == snapshot.root:
            continue
        if name not in owners:
            raise InputError(f"graph {name} of stage {snapshot.stage} belongs to no node", "the dump is cut short")
        graph.parent_node = owners[name]
    root = graphs[snapshot.root]
    for graph in graphs.values():
        if graph is not root:
            root.register(graph)
    for name, picture in snapshot.graphs.items():
        for node, known in zip(graphs[name].nodes, picture.nodes, strict=True):
            node.subgraph_names = (*node.subgraph_names, *known.subgraphs)
