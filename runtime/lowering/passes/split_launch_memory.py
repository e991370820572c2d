"""SplitMixedLaunchMemory: kernels that both take memory and give work to a stream are divided in two.

It owns the division, which a multi-thread executor needs: the memory part runs on the worker of the allocators, the
part that submits on the worker of launches. In a single thread the combined kernels do with one call.

Source: spec/lowering.md 7.6.
"""

from runtime.graph.execute_graph import FastEdge, FastNode
from runtime.lowering.passes.editor import Editor
from runtime.lowering.passes.kernel_kinds import CORE_LAUNCHES, DEVICE_COPIES, LAUNCH_SECTION

_LAUNCHES = CORE_LAUNCHES | LAUNCH_SECTION
_NUM, _INDEX, _RT_ARG, _FLOW_STREAM, _FLOW_ALLOCATOR, _FLOW_TUPLES = 0, 1, 2, 3, 4, 5
_STREAM, _ALLOCATOR, _TUPLES, _TUPLE = 0, 1, 2, 4
_COUNT = "copy_flow_count"

_Feed = tuple[FastNode, int]


class SplitMixedLaunchMemory:
    """Runs once, when the graph will be run by several threads."""

    name = "SplitMixedLaunchMemory"
    stage = "AfterSplitMixedLaunchMemory"

    def run(self, editor: Editor) -> None:
        """Divide every fused copy, then every copy that was left alone."""
        for graph in editor.root.all_subgraphs:
            for node in [node for node in graph.nodes if node.type == "CopyFlowLaunch"]:
                _split_flow(editor, node)
        for graph in editor.root.all_subgraphs:
            for node in [node for node in graph.nodes if node.type in DEVICE_COPIES]:
                _split_copy(editor, node)


def _add(editor: Editor, like: FastNode, name: str, type_name: str, outputs: int, *feeds: _Feed) -> FastNode:
    node = editor.add(like.graph, name, type_name, outputs=outputs)
    for source, output in feeds:
        editor.connect(source, output, node)
    return node


def _feeds(node: FastNode) -> list[_Feed]:
    return [(edge.source, edge.source_output) for edge in node.in_data if edge is not None]


def _inherit(node: FastNode, *heirs: FastNode) -> None:
    for heir in heirs:
        if "ComputeNodeIndex" in node.attrs:
            heir.attrs["ComputeNodeIndex"] = node.attrs["ComputeNodeIndex"]


def _hand_over(editor: Editor, edges: list[FastEdge], source: FastNode, output: int) -> None:
    for edge in edges:
        editor.disconnect(edge)
        editor.connect(source, output, edge.target, edge.target_input)


def _order_once(editor: Editor, before: FastNode, after: FastNode) -> None:
    if all(edge.source is not before for edge in after.in_control):
        editor.order(before, after)


def _hand_over_orders(editor: Editor, node: FastNode, first: FastNode, last: FastNode) -> None:
    """Let the first part wait for what the node waited for, and what waited for the node wait for the last part."""
    for edge in node.in_control:
        editor.order(edge.source, first)
    for edge in list(node.out_control):
        _order_once(editor, last, edge.target)


def _split_flow(editor: Editor, node: FastNode) -> None:
    feeds = _feeds(node)
    tuples = feeds[_FLOW_TUPLES:]
    num, arguments = feeds[_NUM], feeds[_RT_ARG]
    sizes = _add(editor, node, f"{node.name}_CalcAllocSizes", "CalcCopyFlowAllocSizes", 1, num, arguments, *tuples)
    memory = _add(
        editor, node, f"{node.name}_AllocCopyFlowHbm", "AllocCopyFlowHbm", 1, feeds[_FLOW_ALLOCATOR], (sizes, 0)
    )
    result = _add(
        editor,
        node,
        node.name,
        "PrepareCopyFlowResult",
        node.output_count,
        *(num, feeds[_INDEX], arguments, (memory, 0), *tuples),
    )
    launch = _add(
        editor,
        node,
        f"{node.name}_LaunchCopyFlowH2D",
        "LaunchCopyFlowH2D",
        0,
        *(num, feeds[_FLOW_STREAM], (memory, 0), *tuples),
    )
    for part in (sizes, memory, result, launch):
        part.attrs[_COUNT] = node.output_count
    _inherit(node, result, launch)
    editor.order(result, launch)
    _hand_over_orders(editor, node, sizes, launch)
    for output, group in enumerate(node.out_data):
        readers = [edge.target for edge in group]
        _hand_over(editor, list(group), result, output)
        for reader in readers:
            if reader.type in _LAUNCHES:
                _order_once(editor, launch, reader)
    editor.remove(node)


def _split_copy(editor: Editor, node: FastNode) -> None:
    for output in range(node.output_count):
        _split_output(editor, node, output)
    editor.remove(node)


def _split_output(editor: Editor, node: FastNode, output: int) -> None:
    feeds = _feeds(node)
    stream, allocator = feeds[_STREAM], feeds[_ALLOCATOR]
    place = _TUPLES + _TUPLE * output
    source, size, shape, dtype = feeds[place : place + _TUPLE]

    def add(type_name: str, outputs: int, *inputs: _Feed) -> FastNode:
        return _add(editor, node, f"{node.name}_Split_{output}_{type_name}", type_name, outputs, *inputs)

    sizes = add("CalcDeviceCopySizes", 2, source, allocator, dtype, shape, stream, size)
    memory = add("AllocMemHbm", 1, allocator, (sizes, 0))
    result = add("ShareH2DCopyResult", 1, (memory, 0), stream, source, (sizes, 1))
    launch = add("LaunchH2DCopy", 0, (memory, 0), stream, source, (sizes, 1))
    _inherit(node, launch)
    editor.order(result, launch)
    _hand_over_orders(editor, node, sizes, launch)
    edges = list(node.out_data[output])
    readers = [edge.target for edge in edges]
    _hand_over(editor, edges, result, 0)
    for reader in readers:
        if reader.type in _LAUNCHES:
            _order_once(editor, launch, reader)
        elif reader.type == "BuildRefTensor":
            _order_behind_reference(editor, launch, reader, readers)
    editor.replaced(node, output, result, 0)


def _order_behind_reference(editor: Editor, copy: FastNode, reference: FastNode, readers: list[FastNode]) -> None:
    """A launch that reads the copied bytes through a reference waits for the copy, and the memory for the launch."""
    for _, launch, _ in reference.data_successors:
        if launch.type in _LAUNCHES:
            _order_once(editor, copy, launch)
            for free in readers:
                if free.type == "FreeMemory":
                    _order_once(editor, launch, free)
