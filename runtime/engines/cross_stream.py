"""Memory that one stream made and another one uses.

It owns the kernel that moves the right to free a block between streams. If a converter read an address of another
stream as it is, the block would be given away while the other stream still reads it.

Source: spec/lowering.md 6 (LoweringAccessMemCrossStream).
"""

from collections.abc import Sequence

from runtime.engines.context import LoweringContext
from runtime.engines.memory import at
from runtime.graph.value_holder import ValueHolder


def access_from(context: LoweringContext, addresses: Sequence[ValueHolder], stream_id: int) -> list[ValueHolder]:
    """Give addresses as a stream may use them: those made elsewhere stand behind an AccessMemCrossStream of their own.

    The number of the stream is one Const for all of them.
    """
    holders = context.holders
    number: list[ValueHolder] = []

    def seen_from(address: ValueHolder) -> ValueHolder:
        if address.stream_id == stream_id:
            return address
        if not number:
            number.append(holders.const(stream_id))
        seen = at(holders.single("AccessMemCrossStream", address, number[0]), address.placement, stream_id)
        holders.guarder("FreeMemory", seen)
        return seen

    return [seen_from(address) for address in addresses]
