"""The events of a model: which stream tells which other stream that something is done, and under which number.

It owns the numbering. A kernel that numbered its own event would sooner or later record one that another stream waits
for with another meaning.

Source: spec/lowering.md 6, spec/kerneltrace.md 10.4; the texts are GE's (``bg_event.cc``).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from getrace.errors import ModelError
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.stream_assign import RECV_ATTR, SEND_ATTR
from runtime.kernels.payloads import EventInfo

_MAIN_STREAM = 0


@dataclass(frozen=True, slots=True)
class EventPlan:
    """All events by number: those of the model, then those of the first sync, the last sync and the clean-up.

    ``first``, ``last`` and ``clean`` give the event of an auxiliary stream. First-sync events go from stream 0 to it,
    the others from it to stream 0.
    """

    infos: tuple[EventInfo, ...] = ()
    first: Mapping[int, int] = field(default_factory=dict)
    last: Mapping[int, int] = field(default_factory=dict)
    clean: Mapping[int, int] = field(default_factory=dict)


def plan_events(graph: ComputeGraph, streams: int, events: int | None = None) -> EventPlan:
    """Number the events of a model on ``streams`` streams; ``events`` is how many it says it has, None for no word.

    Raises ModelError when events of the model are not in pairs.
    """
    model = _model_events(list(graph.all_nodes()), events)
    auxiliary = range(1, streams)
    numbers = count(len(model))
    first = dict(zip(_streams(graph, auxiliary, _starts), numbers, strict=False))
    last = dict(zip(_streams(graph, auxiliary, _ends), numbers, strict=False))
    clean = dict(zip(auxiliary, numbers, strict=False))
    infos = [
        *model,
        *(EventInfo(_MAIN_STREAM, stream) for stream in first),
        *(EventInfo(stream, _MAIN_STREAM) for stream in (*last, *clean)),
    ]
    return EventPlan(tuple(infos), first, last, clean)


def event_ids(node: ComputeNode, attribute: str) -> tuple[int, ...]:
    """Events that a node sends or waits for. Raises ModelError when the attribute is no list of numbers."""
    ids = node.op.attrs.get(attribute, ())
    if not isinstance(ids, tuple) or not all(isinstance(number, int) for number in ids):
        raise ModelError(f"attribute '{attribute}' of node {node.name} is not a list of event numbers")
    return tuple(number for number in ids if isinstance(number, int))


def _model_events(nodes: list[ComputeNode], events: int | None) -> list[EventInfo]:
    sent = _by_event(nodes, SEND_ATTR, "send", events)
    received = _by_event(nodes, RECV_ATTR, "receive", events)
    total = len(sent.keys() | received.keys()) if events is None else events
    if len(sent.keys() | received.keys()) != total:
        raise ModelError(f"EvenId in nodes is not equal with event num {total} on model.")
    infos = []
    for number in range(total):
        if number not in sent or number not in received:
            raise ModelError(
                f"Found event {number} no in pair.", f"one node has it in '{SEND_ATTR}', another one in '{RECV_ATTR}'"
            )
        infos.append(EventInfo(sent[number].op.stream_id, received[number].op.stream_id))
    return infos


def _by_event(nodes: Iterable[ComputeNode], attribute: str, word: str, events: int | None) -> dict[int, ComputeNode]:
    found: dict[int, ComputeNode] = {}
    for node in nodes:
        for number in event_ids(node, attribute):
            if number in found:
                raise ModelError(f"Found duplicated {word} event id {number} on node {node.name}.")
            if number < 0 or (events is not None and number >= events):
                raise ModelError(f"Found {word} event id {number} out of range {events}.", f"node {node.name} names it")
            found[number] = node
    return found


def _streams(graph: ComputeGraph, auxiliary: range, needs: Callable[[ComputeNode], bool]) -> Iterator[int]:
    """Auxiliary streams on which some node is not tied to the rest by an event."""
    open_ = {node.op.stream_id for node in graph.all_nodes() if needs(node)}
    return (stream for stream in auxiliary if stream in open_)


def _starts(node: ComputeNode) -> bool:
    return not any(node.inputs) and not node.control_inputs and not event_ids(node, RECV_ATTR)


def _ends(node: ComputeNode) -> bool:
    return not node.consumers and not node.control_consumers and not event_ids(node, SEND_ATTR)
