"""TrustOutTensor: a caller who gives output tensors with the right shape spares the model to infer it.

It owns the condition under which the caller's shapes are enough: every shape the kernel infers is that of a model
output. One that is not would have to be inferred anyway, and one that a later kernel writes once more (a reference by
name) would be written into a value nobody made.

Source: spec/lowering.md 7.4; option ``trust_shape_on_out_tensor``.
"""

from runtime.graph.execute_graph import FastNode
from runtime.lowering.passes.editor import Editor
from runtime.lowering.passes.parts import Endpoint, Parts, parts_of
from runtime.lowering.passes.pruner import prune_from

_COPY, _SPLIT = "EnsureTensorAtOutMemory", "SplitTensorForOutputData"
_SHAPE, _ADDRESS, _USER, _SIZE = 0, 1, 4, 2
_INFER = frozenset({"CompatibleInferShape", "InferShape"})


class TrustOutTensor:
    """Replaces inferred shapes of model outputs by those of the caller's tensors."""

    name = "TrustOutTensor"
    stage = "AfterTrustOutTensor"

    def run(self, editor: Editor) -> None:
        """Read shapes from OutputData where all that a kernel infers is there."""
        parts = parts_of(editor.root)
        copies = [node for node in parts.main_graph.nodes if node.type == _COPY]
        written_again = {name for node in editor.root.all_nodes() for name, _ in node.output_refs.values()}
        for infer in [node for node in parts.main_graph.nodes if node.type in _INFER]:
            trusted = {} if infer.name in written_again else _trusted_outputs(infer, copies)
            if trusted:
                _trust(editor, parts, infer, trusted)


def _trusted_outputs(infer: FastNode, copies: list[FastNode]) -> dict[int, Endpoint]:
    """For each used output of a kernel the model output whose shape it is; nothing unless all of them have one."""
    found: dict[int, Endpoint] = {}
    for copy in copies:
        shape, user = copy.in_data[_SHAPE], copy.in_data[_USER]
        if shape is not None and shape.source is infer and user is not None and user.source.type == "OutputData":
            found.setdefault(shape.source_output, Endpoint(user.source, user.source_output))
    used = {output for output, readers in enumerate(infer.out_data) if readers}
    return found if used and used == found.keys() else {}


def _trust(editor: Editor, parts: Parts, infer: FastNode, trusted: dict[int, Endpoint]) -> None:
    copies: list[FastNode] = []
    for output, user in trusted.items():
        for edge in list(infer.out_data[output]):
            reader, slot = edge.target, edge.target_input
            editor.disconnect(edge)
            editor.connect(*user, reader, slot)
            if reader.type == _COPY:
                copies.append(reader)
        editor.replaced(infer, output, *user)
    prune_from(editor, parts, [infer])
    for copy in copies:
        address = copy.in_data[_ADDRESS]
        if address is not None and address.source.type == _SPLIT:
            _drop_copy(editor, parts, copy, address.source)


def _drop_copy(editor: Editor, parts: Parts, copy: FastNode, split: FastNode) -> None:
    """Without a size to check there is nothing to make sure of: the caller's memory is what it is."""
    prune_from(editor, parts, [copy])
    size = split.in_data[_SIZE] if len(split.in_data) > _SIZE else None
    if size is None:
        return
    feeds: list[FastNode] = []
    if [target for _, target, _ in size.source.data_successors] == [split]:
        feeds = [edge.source for edge in size.source.in_data if edge is not None]
        editor.isolate(size.source)
    editor.drop_inputs(split, [_SIZE])
    prune_from(editor, parts, feeds)
