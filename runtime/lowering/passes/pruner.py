"""The pruner: deletes what computed a value nobody wants any more, back to where somebody else wants it.

It owns the list of kernels that may go. A kernel with an effect of its own must run whether its value is used or not.

Source: spec/lowering.md 7.4 and 7.8.
"""

from collections.abc import Iterable

from runtime.graph.execute_graph import FastNode
from runtime.lowering.passes.editor import Editor
from runtime.lowering.passes.kernel_kinds import ALLOCATIONS
from runtime.lowering.passes.parts import Parts

_PRUNED = ALLOCATIONS | {
    "CalcDeviceCopySizes",
    "CalcTensorSizeFromShape",
    "CalcTensorSizeFromStorage",
    "CalcUnalignedTensorSizeFromStorage",
    "CompatibleInferShape",
    "Const",
    "EnsureTensorAtOutMemory",
    "InferShape",
    "InnerData",
    "SelectL1Allocator",
    "SplitTensor",
}


def prune_from(editor: Editor, parts: Parts, starts: Iterable[FastNode]) -> None:
    """Delete nodes that nobody reads, then what only they read."""
    pending = list(starts)
    while pending:
        node = pending.pop(0)
        if editor.is_removed(node) or node.type not in _PRUNED:
            continue
        readers = [target for _, target, _ in node.data_successors]
        guarders = [reader for reader in readers if _releases(reader, node)]
        if len(guarders) < len(readers) or (guarders and node.type not in ALLOCATIONS):
            continue
        sources = dict.fromkeys(edge.source for edge in node.in_data if edge is not None)
        for guarder in guarders:
            editor.isolate(guarder)
        if node.type == "InnerData":
            _forget(editor, parts, node)
        editor.isolate(node)
        pending.extend(sources)


def _releases(reader: FastNode, node: FastNode) -> bool:
    index = reader.attrs.get("ReleaseResourceIndex")
    edge = reader.in_data[index] if isinstance(index, int) and index < len(reader.in_data) else None
    return edge is not None and edge.source is node


def _forget(editor: Editor, parts: Parts, inner: FastNode) -> None:
    """Let Init not compute what an InnerData of Main was the last to stand for.

    The output of Init stays, fed by a NoOp: outputs of Init have positions (spec/lowering.md 12.3).
    """
    slot = inner.attrs["index"]
    assert isinstance(slot, int)
    del inner.graph.inner_data[slot]
    owner = inner.graph.parent_node
    feed = owner.in_data[slot] if owner is parts.main else None
    if feed is None or feed.source is not parts.init or len(parts.init.out_data[feed.source_output]) > 1:
        return
    leaving = parts.exit.in_data[feed.source_output]
    if leaving is not None and all(target is parts.exit for _, target, _ in leaving.source.data_successors):
        _replace_on_init(editor, parts, leaving.source)


def _replace_on_init(editor: Editor, parts: Parts, node: FastNode) -> None:
    stand_in = editor.add(parts.init_graph, f"{node.name}_Replaced_NoOp", "NoOp", outputs=node.output_count)
    waiting = dict.fromkeys(node.control_successors)
    leaving = [edge for group in node.out_data for edge in group]
    for edge in leaving:
        editor.disconnect(edge)
        editor.connect(stand_in, edge.source_output, edge.target, edge.target_input)
    editor.remove(node)
    for target in waiting:
        editor.order(stand_in, target)
