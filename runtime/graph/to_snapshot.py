"""Snapshots of both kinds of graphs, for dumps and views.

It owns what leaves the runtime when a graph is looked at. If views walked execute graphs, a graph read from a file
would need a second set of views.
"""

from collections.abc import Mapping

from getrace.dumps.snapshot import CONTROL, AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from runtime.graph.compute_graph import ComputeGraph, ComputeNode, TensorDesc
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.payload import payload_attr
from runtime.values import DType, Format


def snapshot_of(graph: ComputeGraph | ExecuteGraph, stage: str) -> GraphSnapshot:
    """Take a picture of either kind of graph."""
    if isinstance(graph, ComputeGraph):
        return snapshot_of_compute_graph(graph, stage)
    return snapshot_of_execute_graph(graph, stage)


def snapshot_of_execute_graph(root: ExecuteGraph, stage: str) -> GraphSnapshot:
    """Take a picture of a root and all its sub graphs; ``stage`` is GE's dump stage, such as ExeGraphBeforeOptimize.

    Control edges come by target, then by source: GE's dumps copy edges source by source, so the order in which they
    were made shows in neither.
    """
    graphs = {graph.name: _execute_graph(graph) for graph in (root, *root.all_subgraphs)}
    return GraphSnapshot(stage, root.name, graphs)


def snapshot_of_compute_graph(graph: ComputeGraph, stage: str) -> GraphSnapshot:
    """Take a picture of a model; types and shapes of tensors become ``output_desc_<field>:<index>`` attributes."""
    return GraphSnapshot(stage, graph.name, {each.name: _compute_graph(each) for each in graph.all_graphs()})


def _compute_graph(graph: ComputeGraph) -> SnapshotGraph:
    position = {node: index for index, node in enumerate(graph.nodes)}
    nodes = tuple(_compute_node(node, position[node]) for node in graph.nodes)
    data = [
        SnapshotEdge(position[source[0]], source[1], position[node], slot)
        for node in graph.nodes
        for slot, source in enumerate(node.inputs)
        if source is not None
    ]
    control = [
        SnapshotEdge(position[before], CONTROL, position[node], CONTROL)
        for node in graph.nodes
        for before in node.control_inputs
    ]
    return SnapshotGraph(graph.name, nodes, (*data, *control), graph.attrs)


def _execute_graph(graph: ExecuteGraph) -> SnapshotGraph:
    position = {node: index for index, node in enumerate(graph.nodes)}
    nodes = tuple(
        SnapshotNode(
            position[node],
            node.name,
            node.type,
            len(node.in_data),
            node.output_count,
            _execute_attrs(node),
            tuple(node.subgraph_names),
            position[node] if node.id < 0 else node.id,
        )
        for node in graph.nodes
    )
    data = [
        SnapshotEdge(position[edge.source], edge.source_output, position[node], slot)
        for node in graph.nodes
        for slot, edge in enumerate(node.in_data)
        if edge is not None
    ]
    control = [
        SnapshotEdge(source, CONTROL, position[node], CONTROL)
        for node in graph.nodes
        for source in sorted(position[edge.source] for edge in node.in_control)
    ]
    return SnapshotGraph(graph.name, nodes, (*data, *control))


def _execute_attrs(node: FastNode) -> Mapping[str, AttrValue]:
    attrs: dict[str, AttrValue] = {}
    for key, value in node.attrs.items():
        attrs[key] = value if key != "value" and isinstance(value, int | float | str | bytes) else payload_attr(value)
    for output, (name, index) in node.output_refs.items():
        attrs[f"output_desc_RefFromNode:{output}"] = name
        attrs[f"output_desc_RefFromIndex:{output}"] = index
    return attrs


def _compute_node(node: ComputeNode, position: int) -> SnapshotNode:
    attrs: dict[str, AttrValue] = dict(node.op.attrs)
    if node.op.engine:
        attrs["_ge_attr_op_kernel_lib_name"] = node.op.engine
    if node.op.stream_id:
        attrs["stream_id"] = node.op.stream_id
    for side, descs in (("input", node.op.inputs), ("output", node.op.outputs)):
        for index, desc in enumerate(descs):
            for name, value in _desc_attrs(desc).items():
                attrs[f"{side}_desc_{name}:{index}"] = value
    return SnapshotNode(
        position,
        node.name,
        node.type,
        len(node.inputs),
        len(node.op.outputs),
        attrs,
        tuple(graph.name for graph in node.subgraphs),
        node.id,
    )


def _desc_attrs(desc: TensorDesc) -> dict[str, AttrValue]:
    """What a descriptor says beyond GE's defaults (a float scalar in ND), in GE's words."""
    found: dict[str, AttrValue] = {"origin_shape_initialized": True}
    if desc.storage:
        found["shape"] = tuple(desc.storage)
    if desc.shape:
        found["origin_shape"] = tuple(desc.shape)
    if desc.dtype != DType.FLOAT:
        found["dtype"] = desc.dtype.ge_name
    if desc.format.storage != Format.ND:
        found["layout"] = desc.format.storage.ge_name
        found["format_for_int"] = desc.format.storage.value
    if desc.format.origin != Format.ND:
        found["origin_format"] = desc.format.origin.ge_name
        found["origin_format_for_int"] = desc.format.origin.value
    if desc.shape_range:
        found["shape_range"] = desc.shape_range
    return found
