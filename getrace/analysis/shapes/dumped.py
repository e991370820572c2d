"""Why a graph is dynamic, from its dump: which inputs leave dimensions open, and which operator first opens one.

If the log's reader guessed this by itself, it would call every operator behind a dynamic input a reason.
Sources: spec/lowering.md 4.5, 5.1, 5.3; spec/gears_engines.md A.17.
"""

from collections.abc import Iterable, Iterator, Sequence

from getrace.analysis.confidence import Confidence
from getrace.analysis.resolution import tensors
from getrace.analysis.shapes.facts import ANY_RANK, GraphKind, Reason, Seen, Shape
from getrace.analysis.shapes.linked import Linked
from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode

DATA = frozenset({"Data", "RefData", "AippData", "AnnData"})
"""Types of nodes by which a value of the caller enters a graph."""

_CONSTANT = frozenset({"Const", "Constant", "FileConstant", "Variable"})
_EXECUTE = frozenset({"Init", "Main", "DeInit", "InnerData", "InnerNetOutput"})
_HEADS = ("ComputeGraphBeforeLowering", "Build")
_KIND_ATTRS = ("_graph_unknown_flag", "_fe_is_unknown_graph", "_dynamic_shape_partitioned")

_CLASSES = {
    2: "its output shape follows from the value of an input (class 2, depends on a constant's value)",
    3: "its output shape is known only after it ran; a range is inferred before (class 3, shape range)",
    4: "its output shape is known only after it ran (class 4, depends on the computation)",
}
"""What ``_unknown_shape_type`` says (spec/lowering.md 5.3); class 1 depends on input shapes alone."""

_BY_VALUE = frozenset({"Reshape", "Fill", "Range", "Tile", "BroadcastTo", "Slice", "StridedSlice", "Pad", "OneHot"})
_BY_COMPUTING = frozenset({"NonZero", "Where", "Unique", "UniqueExt2", "UniqueWithCounts", "NonMaxSuppressionV6"})


def is_open(shape: Shape | None) -> bool:
    """Say whether a shape has a dimension that is not known beforehand."""
    return shape is not None and any(dim < 0 for dim in shape)


def shapes_of_node(node: SnapshotNode, side: str) -> list[Shape | None]:
    """Give the shapes of a node's inputs or outputs; None where the dump has no numbers."""
    return [_dims(tensor.shape) for tensor in tensors(node, side)]


def _dims(value: object) -> Shape | None:
    if not isinstance(value, tuple):
        return None
    dims = tuple(dim for dim in value if isinstance(dim, int))
    return dims if len(dims) == len(value) else None


def compute_snapshots(snapshots: Sequence[GraphSnapshot]) -> list[GraphSnapshot]:
    """Give the dumps of compute graphs, one for each root graph: the stage that tells shapes best, then the last."""
    best: dict[str, tuple[int, int, GraphSnapshot]] = {}
    for number, snapshot in enumerate(snapshots):
        if any(node.type in _EXECUTE for graph in snapshot.graphs.values() for node in graph.nodes):
            continue
        rank = (_HEADS[::-1].index(snapshot.stage) + 1 if snapshot.stage in _HEADS else 0, number, snapshot)
        if snapshot.root not in best or rank[:2] > best[snapshot.root][:2]:
            best[snapshot.root] = rank
    return [snapshot for _, _, snapshot in sorted(best.values(), key=lambda rank: rank[1])]


def has_inputs(snapshot: GraphSnapshot) -> bool:
    """Say whether the caller gives the model anything."""
    return any(node.type in DATA for node in snapshot.graphs[snapshot.root].nodes)


def graph_kinds(snapshot: GraphSnapshot) -> list[GraphKind]:
    """Say of each graph of a dump whether it is static, dynamic or made of gears."""
    return [_kind(snapshot, graph) for graph in snapshot.graphs.values()]


def _kind(snapshot: GraphSnapshot, graph: SnapshotGraph) -> GraphKind:
    seen = Seen(file=snapshot.source, node=graph.nodes[0].name if graph.nodes else "")
    for name in _KIND_ATTRS:
        flag = graph.attrs.get(name)
        if isinstance(flag, bool) and (flag or name == _KIND_ATTRS[0]):
            return GraphKind(graph.name, "dynamic" if flag else "static", seen, Confidence.HIGH)
    if any("_batch_num" in node.attrs or node.attrs.get("mbatch-inserted-node") for node in graph.nodes):
        return GraphKind(graph.name, "gears", seen, Confidence.HIGH)
    opened = any(is_open(shape) for node in graph.nodes for shape in shapes_of_node(node, "output"))
    return GraphKind(graph.name, "dynamic" if opened else "static", seen, Confidence.MEDIUM)


def dumped_reasons(snapshot: GraphSnapshot) -> Iterator[Reason]:
    """Give the reasons of all graphs of a dump: its inputs in order, then operators in order."""
    for graph in snapshot.graphs.values():
        inner = graph.name != snapshot.root
        if not inner:
            yield from _inputs(snapshot, graph)
        yield from _operators(snapshot, graph)


def _inputs(snapshot: GraphSnapshot, graph: SnapshotGraph) -> Iterator[Reason]:
    for node in graph.nodes:
        shape = next(iter(shapes_of_node(node, "output")), None)
        if node.type not in DATA or shape is None or not is_open(shape):
            continue
        host = node.attrs.get("_host_tensor") is True
        ranked = shape != ANY_RANK
        why = "its dimensions are chosen at run time" if ranked else "even the number of its dimensions is open"
        yield Reason(
            kind="input",
            name=node.name,
            why=why + (", and it lies on the host" if host else ""),
            confidence=Confidence.HIGH,
            seen=Seen(file=snapshot.source, node=node.name),
            graph=graph.name,
            type=node.type,
            dims=tuple(at for at, dim in enumerate(shape) if dim < 0) if ranked else None,
            shape=shape,
            first=True,
        )


def _operators(snapshot: GraphSnapshot, graph: SnapshotGraph) -> Iterator[Reason]:
    linked = Linked(graph)
    for node in graph.nodes:
        if node.type in DATA | _CONSTANT or node.type == "NetOutput":
            continue
        opened = next((shape for shape in shapes_of_node(node, "output") if is_open(shape)), None)
        number = node.attrs.get("_unknown_shape_type")
        declared = number if isinstance(number, int) and number in _CLASSES else None
        if opened is None and declared is None:
            continue
        first = not any(is_open(shape) for shape in _input_shapes(linked, node))
        if opened is None or not (first or (declared or 0) > 2):
            continue
        why, confidence = _why(linked, node, declared)
        yield Reason(
            kind="operator",
            name=node.name,
            why=why,
            confidence=confidence,
            seen=Seen(file=snapshot.source, node=node.name),
            graph=graph.name,
            type=node.type,
            dims=tuple(at for at, dim in enumerate(opened) if dim < 0) if opened != ANY_RANK else None,
            shape=opened,
            shape_class=declared,
            first=first,
        )


def _input_shapes(linked: Linked, node: SnapshotNode) -> Iterable[Shape | None]:
    """Give what goes in: as the node says itself, and as the nodes before it say of their outputs."""
    yield from shapes_of_node(node, "input")
    for source, output in linked.producers(node):
        shapes = shapes_of_node(source, "output")
        yield shapes[output] if output < len(shapes) else None


def _why(linked: Linked, node: SnapshotNode, declared: int | None) -> tuple[str, Confidence]:
    """Say why an operator opens a shape, and how sure that is."""
    if declared is not None:
        return _CLASSES[declared] + _host_value(linked, node), Confidence.HIGH
    if node.subgraphs:
        return f"its outputs come from the sub graphs {', '.join(node.subgraphs[:4])}", Confidence.HIGH
    depends = node.attrs.get("op_infer_depends")
    if isinstance(depends, tuple) and depends:
        names = ", ".join(map(str, depends))
        return f"its output shape follows from the value of {names}" + _host_value(linked, node), Confidence.HIGH
    if node.type in _BY_VALUE:
        return f"a {node.type} reads its output shape from an input" + _host_value(linked, node), Confidence.MEDIUM
    if node.type in _BY_COMPUTING:
        return f"a {node.type} knows its output shape only after it ran", Confidence.MEDIUM
    return "what goes in is known and what comes out is not; the dump has no _unknown_shape_type that says why", (
        Confidence.LOW
    )


def _host_value(linked: Linked, node: SnapshotNode) -> str:
    """Name the model inputs that are read as values."""
    given = [each for each, _ in linked.producers(node)]
    names = [each.name for each in given if each.type in DATA and each.attrs.get("_host_tensor") is True]
    return f"; {', '.join(names)} is given by the host" if names else ""
