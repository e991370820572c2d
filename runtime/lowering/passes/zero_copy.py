"""ModelOutTensorZeroCopy: a model output is written where the caller wants it, not copied there.

It owns the search for the kernel that takes the memory of an output. Whether the caller's memory is good enough is
decided in each step by ``AllocModelOutTensor`` itself.

Source: spec/lowering.md 7.1.
"""

from collections.abc import Iterator

from runtime.graph.execute_graph import ExecuteGraph, FastEdge, FastNode
from runtime.lowering.passes.editor import Editor
from runtime.lowering.passes.inner_data import bring_down
from runtime.lowering.passes.kernel_kinds import OUTPUT_ALLOCATIONS
from runtime.lowering.passes.name_numbers import PassNumbers
from runtime.lowering.passes.parts import Endpoint, parts_of

_COPY = "EnsureTensorAtOutMemory"
_ADDRESS, _USER = 1, 4
_BRANCHING = frozenset({"If", "Case"})


class ModelOutTensorZeroCopy:
    """``always`` is the option ``always_zero_copy``: the caller's memory is used without a look at it."""

    name = "ModelOutTensorZeroCopy"
    stage = "AfterZeroCopy"

    def __init__(self, numbers: PassNumbers | None = None, *, always: bool = False) -> None:
        self._numbers = numbers or PassNumbers()
        self._always = always

    def run(self, editor: Editor) -> None:
        """Let what takes memory for a model output take the caller's."""
        main = parts_of(editor.root).main_graph
        outputs = next((node for node in main.nodes if node.type == "OutputData"), None)
        if outputs is None:
            return
        for index, edges in enumerate(outputs.out_data):
            for copy in [edge.target for edge in edges if edge.target.type == _COPY and edge.target_input == _USER]:
                address = copy.in_data[_ADDRESS]
                for allocation in list(_allocations(address)):
                    self._rewrite(editor, allocation, copy, Endpoint(outputs, index))

    def _rewrite(self, editor: Editor, allocation: FastNode, copy: FastNode, user: Endpoint) -> None:
        if self._always and allocation.graph is copy.graph:
            _take_user_memory(editor, allocation, user)
            return

        def name(graph: ExecuteGraph) -> str:
            return f"OutputData_{user.output}_{graph.name}_InnerData_{next(self._numbers.output_values)}"

        if allocation.graph is not user.node.graph:
            user = Endpoint(bring_down(editor, user, allocation.graph, name, anew=True), 0)
        editor.turn_into(allocation, "AllocModelOutTensor")
        editor.connect(*user, allocation)


def _allocations(edge: FastEdge | None) -> Iterator[FastNode]:
    """What takes the memory that an edge brings: nothing, one kernel, or one for each branch."""
    if edge is not None and edge.source.type == "IdentityAddr":
        edge = edge.source.in_data[edge.source_output]
    if edge is None:
        return
    if edge.source.type in OUTPUT_ALLOCATIONS:
        yield edge.source
    elif edge.source.type in _BRANCHING:
        for branch in edge.source.subgraphs[1:]:
            for end in branch.nodes:
                if end.type == "InnerNetOutput":
                    yield from _allocations(end.in_data[edge.source_output])


def _take_user_memory(editor: Editor, allocation: FastNode, user: Endpoint) -> None:
    """Turn an allocation into {OutputData, allocator, size} -> (shape, address); the caller's memory is not freed."""
    feeds = [edge for edge in allocation.in_data if edge is not None]
    for edge in feeds:
        editor.disconnect(edge)
    editor.turn_into(allocation, "SplitTensorForOutputData")
    editor.connect(*user, allocation, 0)
    for edge in feeds:
        editor.connect(edge.source, edge.source_output, allocation, edge.target_input + 1)
    address = editor.add_output(allocation)
    for edge in list(allocation.out_data[0]):
        reader, slot = edge.target, edge.target_input
        editor.disconnect(edge)
        if reader.attrs.get("ReleaseResourceIndex") == slot:
            editor.remove(reader)
        else:
            editor.connect(allocation, address, reader, slot)
    for node in editor.root.all_nodes():
        for output, shared in node.output_refs.items():
            if shared == (allocation.name, 0):
                node.output_refs[output] = (allocation.name, address)
