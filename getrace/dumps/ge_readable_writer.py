"""From a GraphSnapshot to the text of a ge_readable dump: one line per node, data edges only.

Source: spec/lowering.md 9.4, spec/formats.md 3.5; the order of sub graphs (owner by owner, in depth) is that of GE's
own files.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode

_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
_DYNAMIC = 2
_SHOWN_ITEMS = 6
_EDGE_ITEMS = 3


def lines_of(snapshot: GraphSnapshot) -> Iterator[str]:
    """Write a snapshot, as lines without their ends."""
    for number, graph in enumerate(_in_depth(snapshot)):
        if number:
            yield ""
        yield from _graph_lines(graph)


def _in_depth(snapshot: GraphSnapshot) -> Iterator[SnapshotGraph]:
    """Give the root, then each node's graphs with all below them, then graphs without an owner."""
    left = dict(snapshot.graphs)
    waiting = [*reversed(left), snapshot.root]
    while waiting:
        graph = left.pop(waiting.pop(), None)
        if graph is not None:
            yield graph
            waiting += [name for node in reversed(graph.nodes) for name in reversed(node.subgraphs)]


def _graph_lines(graph: SnapshotGraph) -> Iterator[str]:
    yield f'graph("{_one_line(graph.name)}"):'
    shown = _value_names(graph)
    inputs: dict[int, list[tuple[int, str]]] = defaultdict(list)
    users: dict[tuple[int, int], int] = defaultdict(int)
    for edge in graph.edges:
        if not edge.is_control:
            inputs[edge.target].append((edge.target_input, shown[edge.source, edge.source_output]))
            users[edge.source, edge.source_output] += 1
    for node in graph.nodes:
        if node.type != "NetOutput":
            yield f"  %{_one_line(node.name)} : [#users={node.outputs}] = {_call(node, inputs[node.id])}"
        for output in range(node.outputs if node.outputs > 1 else 0):
            yield (
                f"  %{shown[node.id, output]} : [#users={users[node.id, output]}] = "
                f"get_element[node=%{_one_line(node.name)}]({output})"
            )
    for node in graph.nodes:
        if node.type == "NetOutput" and inputs[node.id]:
            yield ""
            yield f"  return ({_results(inputs[node.id])})"


def _value_names(graph: SnapshotGraph) -> dict[tuple[int, int], str]:
    """Name every output: the node's own name when it has one, ``ret``, ``ret_1``, ... when it has several."""
    names: dict[tuple[int, int], str] = {}
    taken = {_one_line(node.name) for node in graph.nodes}
    number = 0
    for node in graph.nodes:
        if node.outputs == 1:
            names[node.id, 0] = _one_line(node.name)
            continue
        for output in range(node.outputs):
            while (name := f"ret_{number}" if number else "ret") in taken:
                number += 1
            names[node.id, output] = name
            number += 1
    return names


def _call(node: SnapshotNode, inputs: list[tuple[int, str]]) -> str:
    labels = _labels(node)
    given = ", ".join(f"{labels.get(slot, f'_input_{slot}')}=%{value}" for slot, value in sorted(inputs))
    attrs = [f"_graph_{number}: %{_one_line(name)}" for number, name in enumerate(node.subgraphs)]
    names = node.attrs.get("_ir_attr_names", ())
    shown = [name for name in names if isinstance(name, str) and name in node.attrs] if isinstance(names, tuple) else []
    attrs += [f"{_one_line(name)}: {_value(node.attrs[name])}" for name in shown]
    parts = [f"inputs = ({given})"] if given else []
    parts += [f"attrs = {{{', '.join(attrs)}}}"] if attrs else []
    return f"Node[type={_one_line(node.type)}] ({', '.join(parts)})"


def _labels(node: SnapshotNode) -> dict[int, str]:
    """Name inputs as the operator's prototype does; one with any number of inputs is numbered from 0."""
    keys, kinds = node.attrs.get("_ir_inputs_key", ()), node.attrs.get("_ir_inputs_value", ())
    given = node.attrs.get("_input_name_key", ())
    if not (isinstance(keys, tuple) and isinstance(kinds, tuple) and isinstance(given, tuple)):
        return {}
    labels: list[str] = []
    for key, kind in zip(map(str, keys), kinds, strict=False):
        if kind == _DYNAMIC:
            count = sum(re.fullmatch(re.escape(key) + r"\d+", str(name)) is not None for name in given)
            labels += [f"{key}_{number}" for number in range(count)]
        else:
            labels.append(key)
    return dict(enumerate(map(_one_line, labels)))


def _results(inputs: list[tuple[int, str]]) -> str:
    if len(inputs) == 1:
        return f"%{inputs[0][1]}"
    return ", ".join(f"output_{slot}=%{value}" for slot, value in sorted(inputs))


def _value(value: AttrValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return "<not_supported>"
    if not isinstance(value, tuple):
        return _one_line(str(value))
    if not value:
        return "<empty>"
    if len(value) <= _SHOWN_ITEMS:
        return f"[{', '.join(map(_value, value))}]"
    ends = [*map(_value, value[:_EDGE_ITEMS]), "...", *map(_value, value[-_EDGE_ITEMS:])]
    return f"[{', '.join(ends)}]"


def _one_line(text: str) -> str:
    return _BREAKS.sub("_", text)
