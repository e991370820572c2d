"""Flattening: the graphs of stage calls become kernels of Main, in front of the operators or behind them.

It owns the two NoOps that take the place of a call. The executor has no kernel for a PartitionedCall, and the kernels
inside need one place where everything before them, and everything behind them, meets.

Source: spec/lowering.md 2.4.
"""

from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.lowering.sorting import sort_nodes
from runtime.lowering.sync_stages import SyncStages

_ENDS = frozenset({"InnerData", "InnerNetOutput"})


def flatten(stages: SyncStages, end: FastNode) -> None:
    """Put the stages of a model in place; ``end`` is its NetOutput. A later stage runs behind the ones before it."""
    main = end.graph
    if stages.first is not None:
        readers = [target for node in _stream_allocators(main) for _, target, _ in node.data_successors]
        _, post = _unfold(main, stages.first)
        for reader in dict.fromkeys(readers):
            if reader.type != "PartitionedCall":
                main.add_control_edge(post, reader)
    for call in stages.last:
        feeding = [edge.source for edge in (*filter(None, end.in_data), *end.in_control)]
        pre, post = _unfold(main, call)
        for before in feeding:
            main.add_control_edge(before, pre)
        main.add_control_edge(post, end)


def _stream_allocators(main: ExecuteGraph) -> list[FastNode]:
    """The allocators that belong to a stream: SelectL2Allocator fed by SplitRtStreams."""
    return [
        node
        for node in main.nodes
        if node.type == "SelectL2Allocator"
        and any(edge is not None and edge.source.type == "SplitRtStreams" for edge in node.in_data)
    ]


def _unfold(main: ExecuteGraph, call: FastNode) -> tuple[FastNode, FastNode]:
    """Move the kernels of a call's graph to Main, between two new NoOps; gives them.

    What reads a value of Main waits for the first NoOp; the second one waits for what the graph ended behind.
    """
    pre = main.add_node(f"{call.name}_pre_noop", "NoOp")
    post = main.add_node(f"{call.name}_post_noop", "NoOp")
    (inside,) = call.subgraphs
    sort_nodes(inside)
    kernels = [node for node in inside.nodes if node.type not in _ENDS]
    kernels.sort(key=lambda node: node.type == "Const")
    outside: list[tuple[FastNode, int, FastNode, int]] = []
    for node in inside.nodes:
        for edge in [edge for group in node.out_data for edge in group] if node.type == "InnerData" else ():
            index = node.attrs["index"]
            assert isinstance(index, int)
            source = call.inputs[index]
            assert source is not None
            outside.append((*source, edge.target, edge.target_input))
            inside.remove_edge(edge)
        for edge in list(node.in_control) if node.type == "InnerNetOutput" else ():
            inside.remove_edge(edge)
    leaves = [node for node in kernels if not node.data_successors and not node.control_successors]
    call.subgraph_names = ()
    main.root.unregister(inside)
    main.remove_node(call)
    inside.drop(kernels)
    main.adopt(kernels)
    for producer, output, target, slot in outside:
        main.add_edge(producer, output, target, slot)
    for entry in dict.fromkeys(target for _, _, target, _ in outside):
        main.add_control_edge(pre, entry)
    for leaf in leaves:
        main.add_control_edge(leaf, post)
    return pre, post
