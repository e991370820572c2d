"""From a picture of a compute graph back to a compute graph, so that GE's own dumps can be lowered.

It owns the way back from GE's names of fields. If each caller read pictures itself, one dump would lower to several
graphs.

Source: spec/lowering.md 9.3, 9.6.
"""

from collections.abc import Callable, Mapping

from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode
from getrace.errors import ModelError
from runtime.frontend.dumped_weight import FLATTEN_OFFSET, Zeros, weight_of
from runtime.graph.compute_graph import ComputeGraph, OpDesc, TensorDesc
from runtime.graph.usual_tasks import usual_tasks
from runtime.values import UNKNOWN_RANK, DType, Format, Shape, StorageFormat

ENGINE_ATTR = "_ge_attr_op_kernel_lib_name"


Weights = Callable[[SnapshotNode], tuple[bytes, tuple[int, int] | None]]
"""Gives a constant's bytes, and its (offset, size) in the weight memory where it is said."""


def dumped_weights() -> Weights:
    """Give the weights of one model as its dump holds them."""
    zeros = Zeros()
    return lambda node: weight_of(node.attrs["value"], zeros)


def compute_graph_of(
    snapshot: GraphSnapshot,
    tasks: Mapping[str, tuple[str, ...]] | None = None,
    weights: Weights | None = None,
) -> ComputeGraph:
    """Rebuild a model with its sub graphs. ``tasks`` names the tasks of nodes that differ from their engine's usual.

    ``weights`` are by default those of the dump. Raises ModelError for a picture that is no model (names twice, inputs
    fed twice, a graph owned twice) and KeyError for a sub graph that is not in it.
    """
    given = dumped_weights() if weights is None else weights
    built = {snapshot.root: _graph(snapshot.graphs[snapshot.root], tasks or {}, given)}
    pending = [snapshot.root]
    while pending:
        name = pending.pop()
        for node in snapshot.graphs[name].nodes:
            for below in node.subgraphs:
                if below in built:
                    raise ModelError(
                        f"node '{node.name}' owns graph '{below}', which stands elsewhere in the model too"
                    )
                built[below] = _graph(snapshot.graphs[below], tasks or {}, given)
                built[name].add_subgraph(built[name].nodes[node.id], built[below])
                pending.append(below)
    return built[snapshot.root]


def _graph(picture: SnapshotGraph, tasks: Mapping[str, tuple[str, ...]], weights: Weights) -> ComputeGraph:
    graph = ComputeGraph(picture.name, picture.attrs)
    for node in picture.nodes:
        graph.add(_op(node, tasks, weights)).id = node.topo_id
    for edge in picture.edges:
        source, target = graph.nodes[edge.source], graph.nodes[edge.target]
        if edge.is_control:
            graph.order(source, target)
        else:
            graph.connect(source, edge.source_output, target, edge.target_input)
    return graph


def _op(node: SnapshotNode, tasks: Mapping[str, tuple[str, ...]], weights: Weights) -> OpDesc:
    engine = _text(node.attrs.get(ENGINE_ATTR, ""), f"attribute '{ENGINE_ATTR}' of node '{node.name}'")
    own = {key: value for key, value in node.attrs.items() if "_desc_" not in key and key != ENGINE_ATTR}
    if isinstance(own.get("value"), tuple):
        own["value"], placed = weights(node)
        if placed is not None:
            own[FLATTEN_OFFSET] = placed
    op = OpDesc(
        node.name,
        node.type,
        tuple(_desc(node, "input", index) for index in range(node.inputs)),
        tuple(_desc(node, "output", index) for index in range(node.outputs)),
        engine,
        tasks.get(node.name, usual_tasks(engine, own)),
        own,
    )
    op.stream_id = op.number("stream_id")
    return op


def _desc(node: SnapshotNode, side: str, index: int) -> TensorDesc:
    try:
        return _read_desc(node, side, index)
    except ModelError as error:
        raise ModelError(f"{side} {index} of node '{node.name}': {error.message}", error.hint) from error


def _read_desc(node: SnapshotNode, side: str, index: int) -> TensorDesc:
    def field(name: str, default: AttrValue) -> AttrValue:
        return node.attrs.get(f"{side}_desc_{name}:{index}", default)

    def text(name: str, default: str) -> str:
        return _text(field(name, default), name)

    rows = field("shape_range", ())
    ranges = [_ints(row) for row in rows] if isinstance(rows, tuple) else []
    return TensorDesc(
        _shape(field("origin_shape", ())),
        DType.of(text("dtype", "DT_FLOAT")),
        StorageFormat(Format.of(text("origin_format", "ND")), Format.of(text("layout", "ND"))),
        text("name", ""),
        _shape(field("shape", ())),
        tuple((row[0], row[1]) for row in ranges if len(row) == 2) or None,
        text("assign_var_name", "") or text("ref_var_src_var_name", ""),
    )


def _text(value: AttrValue, what: str) -> str:
    if isinstance(value, str):
        return value
    kind = "is a list" if isinstance(value, tuple) else f"is {value!r}"
    raise ModelError(f"{what} {kind} and no text", "dump the model again, or mend the file")


def _shape(value: AttrValue) -> Shape:
    """Give a shape. GE's tests write -2 (the rank is unknown) beside other dimensions, and GE does not mind."""
    dims = _ints(value)
    return Shape((UNKNOWN_RANK,) if UNKNOWN_RANK in dims else dims)


def _ints(value: AttrValue) -> tuple[int, ...]:
    return tuple(item for item in value if isinstance(item, int)) if isinstance(value, tuple) else ()
