"""Blocking operators: an event that the AI CPU waits for, made on Init and destroyed on DeInit.

Every operator gets the four constants, since the argument builders read them; if each builder made them, the extended
information could name another event than the arguments.

Source: spec/lowering.md 4.5.
"""

from dataclasses import dataclass

from getrace.dumps.snapshot import AttrValue
from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32

BLOCKING_ATTR = "_is_blocking_op"
TIMEOUT_ATTR = "_blocking_op_timeout"
NO_TIMEOUT = -1


@dataclass(frozen=True, slots=True)
class Blocking:
    """Holders of Init: whether the operator blocks, its event, the event's number, and the time it may take."""

    blocks: ValueHolder
    event: ValueHolder
    event_id: ValueHolder
    timeout: ValueHolder


def write_blocking(context: LoweringContext, node: ComputeNode, *, copy_task: bool) -> Blocking:
    """Write what is known of blocking into Init; a copy task never blocks."""
    attrs: dict[str, AttrValue] = {} if copy_task else node.op.attrs
    blocks = bool(attrs.get(BLOCKING_ATTR, False))
    timeout = NO_TIMEOUT if copy_task else node.op.number(TIMEOUT_ATTR, NO_TIMEOUT)
    holders = context.holders
    event, event_id = holders.const(None), holders.const(Int32(0))
    flag = holders.const(blocks)
    limit = holders.const(Int32(timeout))
    if blocks:
        event, event_id = holders.many("CreateEvent", 2)
        holders.guarder("DestroyEvent", event)
    return Blocking(flag, event, event_id, limit)
