"""Operators onto several streams: what a compiler does for a model whose author did not.

GE's engines leave stream numbers on the operators of a compiled model; this stands in for them where a model has none.
A chain stays on one stream, so that events are needed only where the model branches and where it comes together.
"""

from typing import Final

from getrace.errors import ModelError
from runtime.graph.builder import GE_LOCAL
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.stream_assign import assign_events

LIMIT: Final = 4
"""Streams that a model is given at most."""


def spread(graph: ComputeGraph, limit: int = LIMIT) -> int:
    """Put each branch of a model on a stream of its own as far as there are any, and number the events.

    Gives how many streams the model has then. Operators that GE runs itself stay on stream 0, and so does what lies in
    graphs below the model. A model that has several streams keeps them. Raises ModelError for less than one stream.
    """
    if limit < 1:
        raise ModelError(f"{limit} streams are none", "give 1 or more")
    if not any(node.op.stream_id for node in graph.all_nodes()):
        _assign(graph, limit)
        assign_events(graph)
    return max((node.op.stream_id for node in graph.all_nodes()), default=0) + 1


def _assign(graph: ComputeGraph, limit: int) -> None:
    loads = [0] * limit
    continued: set[ComputeNode] = set()
    for node in graph.nodes:
        if node.op.engine == GE_LOCAL or node.subgraphs:
            continue
        sources = [source[0] for source in node.inputs if source is not None]
        ahead = next((source for source in sources if _is_open(source, continued)), None)
        if ahead is None:
            node.op.stream_id = loads.index(min(loads))
        else:
            continued.add(ahead)
            node.op.stream_id = ahead.op.stream_id
        loads[node.op.stream_id] += 1


def _is_open(source: ComputeNode, continued: set[ComputeNode]) -> bool:
    """Say whether a node's chain can go on: it is an operator of some engine, and nobody has gone on with it."""
    return source.op.engine != GE_LOCAL and not source.subgraphs and source not in continued
