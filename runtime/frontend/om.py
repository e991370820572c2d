"""An offline model as a compute graph: its graphs, its weights, and the tasks its compiler left.

It owns what an OM says beside its graphs. Older compilers leave out engines and indices that newer ones write; if a
converter guessed them, one model would be lowered in two ways.

Source: spec/formats.md 1.7, 1.11, 1.12 (``op_index`` is the id of a node).
"""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import Final

from getrace.dumps.om_file import OmFile
from getrace.dumps.om_model import OmModel
from getrace.dumps.snapshot import GraphSnapshot, SnapshotNode
from getrace.errors import ModelError
from runtime.frontend.from_snapshot import compute_graph_of
from runtime.frontend.placing import engine_of
from runtime.graph.compute_graph import (
    ALL_KERNEL,
    DSA,
    KERNEL,
    KERNEL_EX,
    VECTOR_ALL_KERNEL,
    VECTOR_KERNEL,
    ComputeGraph,
    ComputeNode,
)

_OF_OPERATORS: Final = frozenset({ALL_KERNEL, DSA, KERNEL, KERNEL_EX, VECTOR_ALL_KERNEL, VECTOR_KERNEL})
"""Tasks that compute; events, streams and the end of the model belong to no operator's lowering."""

_IR_INPUTS: Final = "_ir_inputs_value"
_ENGINE_OF_FUSION: Final = "_lxfusion_op_kernel_lib_name"


def compute_graph_of_om(om: OmFile) -> ComputeGraph:
    """Rebuild the first model of a file; its weights are copied out of it.

    Raises InputError for weights outside the file, ModelError for a graph that is no model.
    """
    model = om.models[0] if om.models else _inner(om)
    snapshot = model.snapshot
    try:
        graph = compute_graph_of(snapshot, _tasks(model), lambda node: _weight(model, node))
    except KeyError as error:
        raise ModelError(f"{model.name} holds no graph {error}, which a node of it owns", "make it again") from error
    complete(graph)
    return graph


def launch_order(om: OmFile) -> tuple[str, ...]:
    """Name the nodes of the root model in the order of its task list, each once."""
    if not om.models:
        return ()
    names = _names_by_id(om.models[0].snapshot)
    ids = (task.op_index for task in om.models[0].tasks if task.type_name in _OF_OPERATORS)
    return tuple(dict.fromkeys(names[index] for index in ids if index in names))


def _inner(om: OmFile) -> OmModel:
    for sub in om.submodels:
        if sub.om is not None and sub.om.models:
            return sub.om.models[0]
    raise ModelError("the file holds no model of its own", "give one of the files that it was bundled from")


def _weight(model: OmModel, node: SnapshotNode) -> tuple[bytes, tuple[int, int] | None]:
    found = model.weights(node)
    return (b"" if found is None else bytes(found)), None


def _tasks(model: OmModel) -> Mapping[str, tuple[str, ...]]:
    names = _names_by_id(model.snapshot)
    tasks: dict[str, tuple[str, ...]] = {}
    for task in model.tasks:
        name = names.get(task.op_index) if task.op_index is not None else None
        if name is not None and task.type_name in _OF_OPERATORS:
            tasks[name] = (*tasks.get(name, ()), task.type_name)
    return tasks


def _names_by_id(snapshot: GraphSnapshot) -> dict[int, str]:
    return {node.topo_id: node.name for graph in snapshot.graphs.values() for node in graph.nodes}


def complete(graph: ComputeGraph) -> None:
    """Add what older compilers leave out: engines, and the numbers of inputs, which then stand in order.

    Raises ModelError when nodes wait for each other.
    """
    for each in graph.all_graphs():
        for node in each.nodes:
            if not node.op.engine:
                node.op.engine = str(node.op.attrs.get(_ENGINE_OF_FUSION) or engine_of(node.type))
            _drop_open_end(node)
        _sort(each)
        for index, data in enumerate(each.of_type(["Data"])):
            data.op.attrs.setdefault("index", index)


def _sort(graph: ComputeGraph) -> None:
    """Put producers first, which a file need not; nodes stay as close to their places as that allows.

    Raises ModelError when nodes wait for each other.
    """
    waiting = {node: len({id(before) for before in _before(node)}) for node in graph.nodes}
    place = {node: at for at, node in enumerate(graph.nodes)}
    ready = [place[node] for node, count in waiting.items() if not count]
    heapify(ready)
    ordered: list[ComputeNode] = []
    while ready:
        node = graph.nodes[heappop(ready)]
        ordered.append(node)
        for after in dict.fromkeys((*(consumer for _, consumer, _ in node.consumers), *node.control_consumers)):
            waiting[after] -= 1
            if not waiting[after]:
                heappush(ready, place[after])
    if len(ordered) < len(graph.nodes):
        raise ModelError(f"nodes of graph '{graph.name}' wait for each other", "the model is broken; make it again")
    graph.nodes[:] = ordered


def _before(node: ComputeNode) -> list[ComputeNode]:
    return [*(source[0] for source in node.inputs if source is not None), *node.control_inputs]


def _drop_open_end(node: ComputeNode) -> None:
    """Drop inputs at the end that nothing feeds, where no definition says that they may be left out."""
    if _IR_INPUTS in node.op.attrs or not any(node.inputs):
        return
    while node.inputs[-1] is None:
        node.inputs.pop()
    node.op.inputs = node.op.inputs[: len(node.inputs)]
