"""Kernels that send and wait for events, as they stand around an operator.

They own the inputs of these kernels and the control edges that keep them beside their operator. A converter that wrote
its own events would have to know who consumes its results.

Source: spec/lowering.md 6 (kernels, LoweringEventSync).
"""

from collections.abc import Sequence

from runtime.engines.allocators import l2_allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerResult
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.stream_assign import RECV_ATTR, SEND_ATTR
from runtime.graph.value_holder import ValueHolder
from runtime.lowering.event_plan import EventPlan, event_ids

GERT_EVENTS = "GertEvents"
"""Key of the unique holder of all events; nobody has asked for it when the model runs on one stream."""


def create_events(context: LoweringContext, plan: EventPlan) -> None:
    """Write the kernel that makes all events, on Init; nothing for a model without events."""
    if plan.infos:
        context.unique_on_init(
            GERT_EVENTS, lambda: [context.holders.single("CreateGertEvents", context.holders.const(plan.infos))]
        )


def events_kernel(context: LoweringContext, type_name: str, ids: Sequence[int]) -> ValueHolder:
    """Write SendEvents, WaitEvents or LastSendEvents on the current stream, with the allocator of that stream."""
    holders = context.holders
    numbers = holders.const(tuple(ids))
    allocator = l2_allocator(context)
    events, rt_events = context.known(GERT_EVENTS)[0], context.skeleton.main_rt_events
    return holders.void(type_name, context.main_stream, numbers, events, rt_events, allocator)


def sync_events(context: LoweringContext, node: ComputeNode, result: LowerResult) -> None:
    """Wait for what an operator receives before its kernels, send what it sends behind them.

    Both join its order holders: whoever uses the results waits for them, too.
    """
    if not context.known(GERT_EVENTS):
        return
    kernels = list(result.order_holders)
    received, sent = event_ids(node, RECV_ATTR), event_ids(node, SEND_ATTR)
    if received:
        wait = events_kernel(context, "WaitEvents", received)
        for kernel in kernels:
            context.holders.order_if_possible(wait, kernel)
        result.order_holders = [*result.order_holders, wait]
    if sent:
        send = events_kernel(context, "SendEvents", sent)
        for kernel in kernels:
            context.holders.order_if_possible(kernel, send)
        result.order_holders = [*result.order_holders, send]
