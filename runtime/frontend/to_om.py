"""A compute graph as an OM: so that the simulator's models come through the same door as those of real machines.

It owns where weights go and what a compiler would have said in the header. Reading the file again is nobody's special
case: it is any OM.

Source: spec/formats.md 1.5 (static or dynamic), 1.9, 1.11 (places of weights), 1.12.
"""

from collections.abc import Iterator
from dataclasses import replace

from getrace.dumps.om_file import OmFile
from getrace.dumps.om_header import OmHeader
from getrace.dumps.om_inout import InOut, OmTensor
from getrace.dumps.om_model import OmModel
from getrace.dumps.om_tasks import TASK_TYPES, Task, TaskList, kernel_task
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode
from runtime.graph.compute_graph import ComputeGraph, TensorDesc
from runtime.graph.to_snapshot import snapshot_of_compute_graph

_SLOT = 512
"""Weights lie at multiples of this, the first one not at 0."""

_MOST_NAME = 31
_CALL = "PartitionedCall"


def om_of(graph: ComputeGraph) -> OmFile:
    """Compile nothing and write everything: the model with its sub graphs, weights, inputs, outputs and tasks.

    A model with an unknown dimension becomes a dynamic file, and every static graph below a PartitionedCall is one more
    model in it.
    """
    dynamic = any(not _is_static(each) for each in graph.all_graphs())
    models = [_model(graph, dynamic)]
    if dynamic:
        below = [each for each in graph.all_graphs() if each.parent_node is not None]
        folded = [each for each in below if each.parent_node.type == _CALL and _is_static(each)]  # type: ignore[union-attr]
        models += [_model(each, dynamic=False) for each in sorted(folded, key=lambda each: each.name)]
    name = graph.name.encode("utf-8", "replace")[:_MOST_NAME]
    header = OmHeader(name=name.ljust(32, b"\0"), user_info=bytes(32), model_num=len(models), is_dynamic=int(dynamic))
    return OmFile(replace(header, platform_version=bytes(20)), tuple(models))


def _is_static(graph: ComputeGraph) -> bool:
    return all(desc.storage.is_known for node in graph.nodes for desc in (*node.op.inputs, *node.op.outputs))


def _model(graph: ComputeGraph, dynamic: bool) -> OmModel:
    weights = _Weights()
    picture = snapshot_of_compute_graph(graph, "")
    graphs = {name: _graph(each, weights) for name, each in picture.graphs.items()}
    if dynamic:
        root = graphs[picture.root]
        marks: dict[str, AttrValue] = {"_dynamic_shape_partitioned": True, "_graph_unknown_flag": True}
        graphs[picture.root] = replace(root, attrs={**root.attrs, **marks})
    blob = bytes(weights.blob)
    return OmModel(
        graph.name,
        GraphSnapshot(picture.stage, picture.root, graphs),
        {"weight_size": len(blob), "stream_num": 1 + max((node.op.stream_id for node in graph.nodes), default=0)},
        weights_data=memoryview(blob),
        task_list=TaskList(tuple(_tasks(graph))),
        inout=_inout(graph),
    )


class _Weights:
    """The weights of a model while they are laid out."""

    def __init__(self) -> None:
        self.blob = bytearray()

    def place(self, content: bytes) -> int:
        """Append a constant; gives its offset."""
        offset = max(_SLOT, -(-len(self.blob) // _SLOT) * _SLOT)
        self.blob += bytes(offset - len(self.blob)) + content
        return offset


def _graph(graph: SnapshotGraph, weights: _Weights) -> SnapshotGraph:
    return replace(graph, nodes=tuple(_node(node, weights) for node in graph.nodes))


def _node(node: SnapshotNode, weights: _Weights) -> SnapshotNode:
    content = node.attrs.get("value")
    if node.type not in ("Const", "Constant") or not isinstance(content, bytes):
        return node
    shape = node.attrs.get("output_desc_shape:0", ())
    dims = tuple(("dim", dim) for dim in shape) if isinstance(shape, tuple) else ()
    desc: tuple[AttrValue, ...] = (
        ("dtype", node.attrs.get("output_desc_dtype:0", "DT_FLOAT")),
        ("shape", dims),
        ("layout", node.attrs.get("output_desc_layout:0", "ND")),
    )
    # A constant without elements has no place of its own.
    where = (("weight_size", len(content)), ("data_offset", weights.place(content))) if content else ()
    return replace(node, attrs={**node.attrs, "value": (("t", (("desc", (*desc, *where)),)),)})


def _tasks(graph: ComputeGraph) -> Iterator[Task]:
    for node in graph.nodes:
        for task in node.op.tasks:
            yield kernel_task(TASK_TYPES.index(task), node.id, node.op.stream_id, node.name)


def _inout(graph: ComputeGraph) -> InOut:
    data = [node for node in graph.nodes if node.type == "Data"]
    inputs = tuple(_tensor(node.name, node.op.outputs[0]) for node in data)
    ends = [node for node in graph.nodes if node.type == "NetOutput"]
    outputs = [
        _tensor(f"output_{slot}_{source[0].name}_{source[1]}", source[0].op.outputs[source[1]])
        for node in ends
        for slot, source in enumerate(node.inputs)
        if source is not None
    ]
    return InOut(inputs, tuple(outputs))


def _tensor(name: str, desc: TensorDesc) -> OmTensor:
    bits = desc.storage.elements * desc.dtype.bits if desc.storage.is_known else 0
    dims = tuple(desc.storage)
    return OmTensor(
        name, (bits + 7) // 8, desc.format.storage.value, int(desc.dtype), dims, dims, desc.shape_range or ()
    )
