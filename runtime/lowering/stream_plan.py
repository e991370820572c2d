"""The streams, events and notifies of a model, as its attributes and its operators say.

It owns the counts the skeleton splits; a converter that met a stream the skeleton does not know would have none to use.

Source: spec/lowering.md 2.1 (1), 2.2 (4); spec/execution.md 3.3.
"""

from dataclasses import dataclass, field

from getrace.errors import ModelError
from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import ComputeGraph
from runtime.lowering.event_plan import EventPlan, plan_events

STREAM_NUM_ATTR, EVENT_NUM_ATTR, NOTIFY_NUM_ATTR = "stream_num", "event_num", "notify_num"
ATTACHED_STREAM_ATTR = "_attached_stream_num"

MAX_STREAMS = 64
"""Reusable streams of a model: memory keeps one bit per stream, in a word of 64 (spec/execution.md 5.7)."""


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """``reusable`` logic streams by id, then ``attached`` ones that ride along with one of them."""

    reusable: int = 1
    attached: int = 0
    notifies: int = 0
    events: EventPlan = field(default_factory=EventPlan)


def plan_streams(graph: ComputeGraph, options: LoweringOptions) -> StreamPlan:
    """Count the streams of a model and the graphs below it; one when the session wants a single stream.

    ``stream_num`` counts attached streams, too; a model that does not say it has the streams its operators name.
    Raises ModelError when a count is no number, an operator names a stream beyond that, events are not in pairs, or
    there are more than ``MAX_STREAMS``.
    """
    if options.single_stream:
        return StreamPlan()
    total, attached = _number(graph, STREAM_NUM_ATTR), _number(graph, ATTACHED_STREAM_ATTR)
    event_num, notifies = _number(graph, EVENT_NUM_ATTR), _number(graph, NOTIFY_NUM_ATTR)
    if total and total <= attached:
        raise ModelError(
            f"Total stream num {total} is insufficient, static stream nums is 0, attached stream nums is {attached}.",
            f"raise the attribute '{STREAM_NUM_ATTR}' of graph '{graph.name}', or leave it out",
        )
    named = max((node.op.stream_id for node in graph.all_nodes()), default=0) + 1
    reusable = total - attached if total else named
    for node in graph.all_nodes():
        if not 0 <= node.op.stream_id < reusable:
            raise ModelError(
                f"node {node.name} runs on stream {node.op.stream_id}, the model has {reusable}",
                f"number streams from 0, or raise the model's attribute '{STREAM_NUM_ATTR}'",
            )
    if reusable > MAX_STREAMS:
        raise ModelError(
            f"graph '{graph.name}' has {reusable} streams, its memory can tell {MAX_STREAMS} apart",
            f"use streams 0 to {MAX_STREAMS - 1}",
        )
    if reusable == 1 and not attached:
        return StreamPlan()
    return StreamPlan(reusable, attached, notifies, plan_events(graph, reusable, event_num or None))


def _number(graph: ComputeGraph, attribute: str) -> int:
    """Give a count that the model says, 0 when it says none. GE reads no other type and takes the model as silent."""
    value = graph.attrs.get(attribute, 0)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ModelError(
        f"attribute '{attribute}' of graph '{graph.name}' is {value!r}, which is no number",
        "give a whole number, or leave it out",
    )
