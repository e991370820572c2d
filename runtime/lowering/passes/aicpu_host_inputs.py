"""AicpuHostInputsFuse: host inputs of a single AI CPU operator lie in the buffer of its arguments.

It owns the fusion for the AI CPU; launches on AI Core have a pass of their own, because their arguments are laid out
by the tiling and these are laid out here.

Source: spec/lowering.md 7.5; the edges as in GE's dumps of GraphExecutorWithKernelUnitTest.SingleNodeAiCpuTf.
"""

from runtime.graph.execute_graph import ExecuteGraph, FastEdge, FastNode
from runtime.lowering.passes.editor import Editor

_UPDATE, _COPY, _FREE = "UpdateAicpuIoAddr", "MakeSureTensorAtDevice", "FreeMemory"
_HANDLER, _FIRST_ADDRESS = 0, 1
_COPY_HEAD, _COPY_SOURCE = slice(0, 2), slice(2, 6)
"""Inputs of a copy: stream and allocator, then address, size, shape and type of what is copied."""


class AicpuHostInputsFuse:
    """Runs in the single operator scene only."""

    name = "AicpuHostInputsFuse"
    stage = "AfterAicpuFuseHostInputs"

    def run(self, editor: Editor) -> None:
        """Fuse the copies that an address update alone reads."""
        for graph in editor.root.all_subgraphs:
            for update in [node for node in graph.nodes if node.type == _UPDATE]:
                copies = [edge for edge in update.in_data if edge is not None and _is_read_by(edge.source, update)]
                if copies:
                    _fuse(editor, graph, update, copies)


def _is_read_by(copy: FastNode, update: FastNode) -> bool:
    """Whether a node copies host memory for an address update and for nothing else."""
    readers = [target for _, target, _ in copy.data_successors]
    others = [reader for reader in readers if reader.type != _FREE]
    return copy.type == _COPY and others == [update]


def _fuse(editor: Editor, graph: ExecuteGraph, update: FastNode, copies: list[FastEdge]) -> None:
    fused = editor.add(graph, f"{update.name}_FuseHostInputs", "AicpuFuseHost", outputs=len(copies))
    index = editor.add(graph, f"Const_{fused.name}_Index", "Const", outputs=1)
    places = tuple(edge.target_input - _FIRST_ADDRESS for edge in copies)
    index.attrs.update({"is_string": True, "value": places})
    handler = update.in_data[_HANDLER]
    assert handler is not None
    editor.connect(handler.source, handler.source_output, fused)
    editor.connect(index, 0, fused)
    feeds = [*copies[0].source.in_data[_COPY_HEAD]]
    for edge in copies:
        feeds += edge.source.in_data[_COPY_SOURCE]
    for feed in filter(None, feeds):
        editor.connect(feed.source, feed.source_output, fused)
    for output, edge in enumerate(copies):
        _take_over(editor, edge.source, fused, output)


def _take_over(editor: Editor, copy: FastNode, fused: FastNode, output: int) -> None:
    for edge in [edge for group in copy.out_data for edge in group]:
        editor.disconnect(edge)
        editor.connect(fused, output, edge.target, edge.target_input)
    for edge in list(copy.in_control):
        editor.order(edge.source, fused)
    for edge in list(copy.out_control):
        editor.order(fused, edge.target)
    editor.replaced(copy, 0, fused, output)
    editor.remove(copy)
