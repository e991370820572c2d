"""What makes an execute graph legal, as a table of sentences, each with its check.

It owns the rules every converter and every pass must keep. If the executor found a broken graph instead, the error
would name a kernel and not the step that broke it.

Source: spec/lowering.md 1.1, 1.2, 1.3 and 12; texts in GE's words where GE has them.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from getrace.errors import ModelError
from runtime.graph.execute_graph import ExecuteGraph, FastEdge

_PARTS = ("Init", "DeInit", "Main")


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule: its sentence, and where it is broken."""

    rule: str
    where: str


Check = Callable[[ExecuteGraph], Iterator[str]]


def violations(root: ExecuteGraph) -> list[Violation]:
    """List every broken rule of a lowered graph; empty when it is legal."""
    return [Violation(sentence, where) for sentence, check in RULES for where in check(root)]


def violations_of_optimized(root: ExecuteGraph) -> list[Violation]:
    """List every broken rule of a graph that the passes have gone over."""
    return violations(root) + [Violation(sentence, where) for sentence, check in OPTIMIZED for where in check(root)]


def require_legal(root: ExecuteGraph) -> None:
    """Raise ModelError for the first broken rule."""
    for broken in violations(root):
        raise ModelError(
            f"the execute graph is not legal: {broken.rule} ({broken.where})", "a converter or a pass broke it"
        )


def _graphs(root: ExecuteGraph) -> list[ExecuteGraph]:
    return [root, *root.all_subgraphs]


def _parts(root: ExecuteGraph) -> Iterator[str]:
    count = Counter(node.type for node in root.nodes)
    for part in _PARTS:
        if count[part] != 1:
            yield f"{count[part]} {part} nodes"
    for node in root.nodes:
        if node.type in _PARTS and len(node.subgraph_names) != 1:
            yield f"{node.name} owns {len(node.subgraph_names)} graphs"


def _names(root: ExecuteGraph) -> Iterator[str]:
    for graph in _graphs(root):
        count = Counter(node.name for node in graph.nodes)
        yield from (f"{name} in {graph.name}" for name, times in count.items() if times > 1)


def _edges(root: ExecuteGraph) -> Iterator[str]:
    for graph in _graphs(root):
        members = set(graph.nodes)
        for node in graph.nodes:
            for edge in (*node.in_data, *node.in_control):
                if edge is not None and not (edge.source in members and _leaves(edge)):
                    yield f"{edge.source.name} -> {node.name} in {graph.name}"


def _leaves(edge: FastEdge) -> bool:
    source = edge.source
    return edge in (source.out_control if edge.is_control else source.out_data[edge.source_output])


def _inputs(root: ExecuteGraph) -> Iterator[str]:
    for graph in _graphs(root):
        for node in graph.nodes:
            if None in node.in_data:
                yield from (f"input {slot} of {node.name}" for slot, edge in enumerate(node.in_data) if edge is None)


def _inner_data(root: ExecuteGraph) -> Iterator[str]:
    for graph in root.all_subgraphs:
        parent = graph.parent_node
        fed = 0 if parent is None else len(parent.in_data)
        for node in [node for node in graph.nodes if node.type == "InnerData"]:
            index = node.attrs.get("index")
            if not (isinstance(index, int) and 0 <= index < fed):
                yield f"{node.name} in {graph.name}, index {index} of {fed}"


def _exports(root: ExecuteGraph) -> Iterator[str]:
    for node in root.nodes:
        for graph in node.subgraphs:
            leaving = sum(len(inner.in_data) for inner in graph.nodes if inner.type == "InnerNetOutput")
            if leaving != node.output_count:
                yield f"{node.name} has {node.output_count} outputs, {graph.name} gives {leaving}"


def _main_without_const_data(root: ExecuteGraph) -> Iterator[str]:
    for owner in root.nodes:
        if owner.type == "Main":
            for graph in owner.subgraphs:
                yield from (node.name for node in graph.nodes if node.type == "ConstData")


def _feeds(root: ExecuteGraph) -> Iterator[str]:
    for graph in root.all_subgraphs:
        seen: Counter[object] = Counter(node.attrs.get("index") for node in graph.nodes if node.type == "Data")
        yield from (f"{graph.name}, index {index} stands twice" for index, times in seen.items() if times > 1)
        indices = [index for index in seen if isinstance(index, int)]
        for wanted in (*range(max([*indices, -1]) + 1), *range(min([*indices, 0]), 0)):
            if wanted not in seen:
                yield f"{graph.name}, index {wanted} is missing"


def _guarders(root: ExecuteGraph) -> Iterator[str]:
    for graph in _graphs(root):
        for node in graph.nodes:
            index = node.attrs.get("ReleaseResourceIndex")
            if isinstance(index, int) and not (0 <= index < len(node.in_data) and node.in_data[index]):
                yield f"{node.name}, input {index}"


def _cycles(root: ExecuteGraph) -> Iterator[str]:
    for graph in _graphs(root):
        waiting = {node: len(node.in_control) + len(node.in_data) - node.in_data.count(None) for node in graph.nodes}
        ready = [node for node, count in waiting.items() if count == 0]
        for node in ready:  # it grows; from front to back it goes through memory in the order of creation
            for group in (*node.out_data, node.out_control):
                for edge in group:
                    after = edge.target
                    left = waiting.get(after, 0) - 1
                    waiting[after] = left
                    if left == 0:
                        ready.append(after)
        stuck = next((node for node, count in waiting.items() if count > 0), None)
        if stuck is not None:
            yield f"{graph.name}, through {stuck.name}"


RULES: tuple[tuple[str, Check], ...] = (
    ("the root has one Init, one DeInit and one Main, each with one graph", _parts),
    ("nodes of one graph have different names", _names),
    ("both ends of an edge lie in one graph and know it", _edges),
    ("every data input is connected", _inputs),
    ("an InnerData stands for an input of the node that owns its graph", _inner_data),
    ("the owner of a graph has one output per input of its InnerNetOutput", _exports),
    ("Main graph cannot hold ConstData", _main_without_const_data),
    ("feeds are numbered 0, 1, ... and -1, -2, ... without gaps", _feeds),
    ("a node that releases a resource reads it", _guarders),
    ("a graph has no cycle", _cycles),
)


def _constants_of_steps(root: ExecuteGraph) -> Iterator[str]:
    below: set[ExecuteGraph] = set()
    for graph in root.all_subgraphs:
        owner = graph.parent_node
        if owner is not None and (owner.type == "Main" or owner.graph in below):
            below.add(graph)
            frame = owner.type in {"If", "Case", "While"} and owner.subgraph_names[0] == graph.name
            if not frame:
                yield from (
                    f"{node.name} in {graph.name}" for node in graph.nodes if node.type in {"Const", "Constant"}
                )


def _exits_of_deinit(root: ExecuteGraph) -> Iterator[str]:
    for owner in root.nodes:
        if owner.type == "DeInit":
            for graph in owner.subgraphs:
                yield from (node.name for node in graph.nodes if node.type == "InnerNetOutput")


OPTIMIZED: tuple[tuple[str, Check], ...] = (
    ("Main and the graphs below hold no Const", _constants_of_steps),
    ("DeInit gives nothing", _exits_of_deinit),
)
"""Rules that hold once ConstantExpressionMotion has run (spec/lowering.md 1.2, 7.2, 12.1)."""
