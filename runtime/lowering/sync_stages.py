"""What happens before the first and after the last operator of a model on several streams.

It owns the three stages: auxiliary streams start behind stream 0, stream 0 ends behind them, and all memory goes back.
Each is written into a PartitionedCall of its own before the operators are, and joined to them once they are known
(``flattening``). Written as ordinary kernels, they would have nothing to wait for yet.

Source: spec/lowering.md 1.7, 2.2 (4), 6.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from runtime.engines.allocators import l2_allocator, l2_vector
from runtime.engines.context import NOTIFIES, LoweringContext
from runtime.graph.execute_graph import FastNode
from runtime.graph.value_holder import VOID, ValueHolder
from runtime.lowering.event_kernels import GERT_EVENTS, create_events, events_kernel
from runtime.lowering.stream_plan import StreamPlan


@dataclass(frozen=True, slots=True)
class SyncStages:
    """The PartitionedCall nodes on Main: what runs first, and what runs last, in order."""

    first: FastNode | None = None
    last: tuple[FastNode, ...] = ()


def lower_stream_resources(context: LoweringContext, plan: StreamPlan) -> SyncStages:
    """Write events, the stages that a model needs, and notifies, in GE's order. The current graph is Main."""
    events = plan.events
    create_events(context, events)
    first = _stage(context, lambda: _first_sync(context, plan)) if events.first else None
    last = []
    if events.last:
        last.append(_stage(context, lambda: _join(context, events.last, "SendEvents", "WaitEvents")))
    if events.clean:
        last.append(_stage(context, lambda: _join(context, events.clean, "LastSendEvents", "LastWaitEvents")))
    if plan.notifies:
        feed, holders = context.skeleton.main_notifies, context.holders
        context.unique(
            NOTIFIES, lambda: holders.many("CreateNotifies", plan.notifies, feed, holders.const(plan.notifies))
        )
    return SyncStages(first, tuple(last))


def _stage(context: LoweringContext, build: Callable[[], ValueHolder]) -> FastNode:
    """Write a PartitionedCall whose one graph ends behind the kernel that ``build`` gives."""
    holders = context.holders
    call = holders.single("PartitionedCall").node
    with holders.frame(holders.subgraph(call, "exec_sub_graph")):
        holders.export([], [build()])
    holders.hold(call, VOID)  # nobody asks for it; GE's names count it
    return call


def _first_sync(context: LoweringContext, plan: StreamPlan) -> ValueHolder:
    send = events_kernel(context, "SendEvents", tuple(plan.events.first.values()))
    wait = send
    for stream, number in plan.events.first.items():
        with context.on_stream(stream):
            wait = events_kernel(context, "WaitEvents", [number])
        context.holders.order(send, wait)
    return wait


def _join(context: LoweringContext, events: Mapping[int, int], send_type: str, wait_type: str) -> ValueHolder:
    """Write one send per auxiliary stream and the wait of stream 0 for all of them."""
    numbers = tuple(events.values())
    wait = _last_wait(context, numbers) if wait_type == "LastWaitEvents" else events_kernel(context, wait_type, numbers)
    for stream, number in events.items():
        with context.on_stream(stream):
            context.holders.order(events_kernel(context, send_type, [number]), wait)
    return wait


def _last_wait(context: LoweringContext, ids: tuple[int, ...]) -> ValueHolder:
    """The last wait takes back the memory of all streams, so it takes all allocators."""
    holders = context.holders
    numbers = holders.const(ids)
    l2_allocator(context)
    events, rt_events = context.known(GERT_EVENTS)[0], context.skeleton.main_rt_events
    return holders.void("LastWaitEvents", context.main_stream, numbers, events, rt_events, l2_vector(context))
