"""How many streams a model runs on.

It owns the count the skeleton splits; a converter that met a stream the skeleton does not know would have none to use.

Source: spec/lowering.md 2.1 (1), 2.2 (4).
"""

from dataclasses import dataclass

from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import ComputeGraph

ATTACHED_STREAM_ATTR = "_attached_stream_num"


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """``reusable`` logic streams by id, then ``attached`` ones that ride along with one of them."""

    reusable: int = 1
    attached: int = 0


def plan_streams(graph: ComputeGraph, options: LoweringOptions) -> StreamPlan:
    """Count the streams of a model and the graphs below it; one when the session wants a single stream."""
    if options.single_stream:
        return StreamPlan()
    attached = graph.attrs.get(ATTACHED_STREAM_ATTR, 0)
    return StreamPlan(
        max((node.op.stream_id for node in graph.all_nodes()), default=0) + 1,
        attached if isinstance(attached, int) else 0,
    )
