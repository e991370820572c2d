"""Memory that one stream made and another one uses.

It owns the kernel that moves the right to free a block between streams. If a converter read an address of another
stream as it is, the block would be given away while the other stream still reads it.

Source: spec/lowering.md 6 (LoweringAccessMemCrossStream).
"""

from runtime.engines.context import LoweringContext
from runtime.engines.memory import at
from runtime.graph.value_holder import ValueHolder


def access_from(context: LoweringContext, address: ValueHolder, stream_id: int) -> ValueHolder:
    """Give an address as a stream may use it: itself when it was made there, else behind AccessMemCrossStream."""
    if address.stream_id == stream_id:
        return address
    holders = context.holders
    seen = holders.single("AccessMemCrossStream", address, holders.const(stream_id))
    holders.guarder("FreeMemory", at(seen, address.placement, stream_id))
    return seen
