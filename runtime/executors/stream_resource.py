"""How many streams, events and notifies a model asks for when it is converted (spec/execution.md 3.3).

Static graphs below the root bring their own; what is left is the root's. Pure arithmetic over attributes, so that the
decision to roll back, the lines of the log and the description of the model all say the same numbers.
"""

from dataclasses import dataclass
from typing import Final

from getrace.errors import ModelError
from runtime.engines.static_subgraph.model import is_static_model
from runtime.graph.compute_graph import ComputeGraph
from runtime.lowering.stream_plan import ATTACHED_STREAM_ATTR, EVENT_NUM_ATTR, NOTIFY_NUM_ATTR, STREAM_NUM_ATTR

_HINT: Final = "raise the attribute of the root graph, or leave it out"


@dataclass(frozen=True, slots=True)
class StreamResource:
    """``total`` streams of the whole model; ``reusable`` and ``attached`` are those of the root."""

    total: int = 1
    reusable: int = 1
    attached: int = 0
    events: int = 0
    notifies: int = 0

    @property
    def streams(self) -> int:
        """Streams that a run of the root asks for."""
        return self.reusable + self.attached


def stream_resource(graph: ComputeGraph, *, has_root_model: bool = True) -> StreamResource:
    """Count for a model. ``has_root_model`` is False for a root that was not flattened, whose own attributes count.

    Raises ModelError in GE's words when the parts need more than the whole has.
    """
    static = [each for each in graph.all_graphs() if each is not graph and is_static_model(each)]
    below = {
        name: sum(_count(each, name) for each in static) for name in (STREAM_NUM_ATTR, EVENT_NUM_ATTR, NOTIFY_NUM_ATTR)
    }
    events, notifies = _count(graph, EVENT_NUM_ATTR), _count(graph, NOTIFY_NUM_ATTR)
    total, attached = _streams_of(graph), _count(graph, ATTACHED_STREAM_ATTR)
    if not has_root_model:
        if total <= attached:
            raise _insufficient(total, below[STREAM_NUM_ATTR], attached)
        return StreamResource(total + below[STREAM_NUM_ATTR], total - attached, attached, events, notifies)
    if total <= 1:
        return StreamResource()
    occupied = below[STREAM_NUM_ATTR] + attached
    if total <= occupied:
        raise _insufficient(total, below[STREAM_NUM_ATTR], attached)
    events = _rest("event", events, below[EVENT_NUM_ATTR])
    notifies = _rest("notify", notifies, below[NOTIFY_NUM_ATTR])
    return StreamResource(total, total - occupied, attached, events, notifies)


def _insufficient(total: int, static: int, attached: int) -> ModelError:
    return ModelError(
        f"Total stream num {total} is insufficient, static stream nums is {static}, attached stream nums is "
        f"{attached}.",
        _HINT,
    )


def _rest(what: str, total: int, static: int) -> int:
    if total < static:
        raise ModelError(f"Total {what} num {total} is less than static {what} nums is {static}.", _HINT)
    return total - static


def _streams_of(graph: ComputeGraph) -> int:
    """What the model says, else the streams that its operators name."""
    said = _count(graph, STREAM_NUM_ATTR)
    return said or max((node.op.stream_id for node in graph.nodes), default=0) + 1


def _count(graph: ComputeGraph, attribute: str) -> int:
    value = graph.attrs.get(attribute, 0)
    return value if isinstance(value, int) else 0
