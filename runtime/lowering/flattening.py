"""Flattening: the graphs of stage calls become kernels of Main, in front of the operators or behind them.

It owns the two NoOps that take the place of a call. The executor has no kernel for a PartitionedCall, and the kernels
inside need one place where everything before them, and everything behind them, meets.

Source: spec/lowering.md 2.4.
"""

from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.lowering.sync_stages import SyncStages


def flatten(stages: SyncStages, end: FastNode) -> None:
    """Put the stages of a model in place; ``end`` is its NetOutput. A later stage runs behind the ones before it."""
    main = end.graph
    if stages.first is not None:
        allocators = _stream_allocators(main)
        _, post = _unfold(main, stages.first)
        consumers = {target: None for node in allocators for _, target, _ in node.data_successors}
        for consumer in consumers:
            if consumer.type != "PartitionedCall" and consumer.graph is main and not _made_by(consumer, post):
                main.add_control_edge(post, consumer)
    for call in stages.last:
        feeding = [edge.source for edge in (*filter(None, end.in_data), *end.in_control)]
        pre, post = _unfold(main, call)
        for before in dict.fromkeys(feeding):
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


def _made_by(consumer: FastNode, post: FastNode) -> bool:
    """Whether a kernel comes from the stage itself and so runs in front of its end."""
    seen, pending = {consumer}, [consumer]
    while pending:
        for after in (*pending[-1].control_successors, *(node for _, node, _ in pending.pop().data_successors)):
            if after is post:
                return True
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return False


def _unfold(main: ExecuteGraph, call: FastNode) -> tuple[FastNode, FastNode]:
    """Move the kernels of a call's graph to Main, between two new NoOps; gives them."""
    pre = main.add_node(f"{call.name}_pre_noop", "NoOp")
    post = main.add_node(f"{call.name}_post_noop", "NoOp")
    (inside,) = call.subgraphs
    entries: dict[FastNode, None] = {}
    moved: dict[FastNode, FastNode] = {}
    edges = []
    for node in list(inside.nodes):
        if node.type in ("InnerData", "InnerNetOutput"):
            continue
        ...
    return pre, post
