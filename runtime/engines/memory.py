"""Memory kernels that converters share: the size of a tensor, its allocation, and the kernel that frees it.

If each converter wrote the pair Alloc and Free itself, one of them would forget the guarder, and the leak would show
only in a log.

Source: spec/lowering.md 2.5 and 4.1 (9).
"""

from collections.abc import Iterable

from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


def tensor_size(context: LoweringContext, desc: TensorDesc, shape: ValueHolder) -> ValueHolder:
    """Bytes of an output, aligned: from the origin shape, or from the storage shape where the two differ."""
    source = "Shape" if desc.storage_is_origin else "Storage"
    return context.holders.single(f"CalcTensorSizeFrom{source}", context.holders.const(desc.dtype), shape)


_ALLOC = {Placement.HOST: "AllocMemHost", Placement.FOLLOWING: "UnSupportAlloc"}


def allocate_output(
    context: LoweringContext, size: ValueHolder, placement: Placement = Placement.DEVICE_HBM
) -> ValueHolder:
    """Memory for one output, freed when its last consumer has run."""
    address = allocate(context, size, placement)
    context.holders.guarder("FreeMemory", address)
    return address


def allocate(context: LoweringContext, size: ValueHolder, placement: Placement = Placement.DEVICE_HBM) -> ValueHolder:
    """Memory that somebody else frees, of the stream of the operator being lowered."""
    kernel = _ALLOC.get(placement, "AllocMemHbm")
    return at(context.holders.single(kernel, allocator(context, placement), size), placement, context.stream_id)


def release_after(context: LoweringContext, addresses: Iterable[ValueHolder], done: ValueHolder) -> None:
    """Keep memory until a kernel that does not read the addresses itself has run (``ReleaseAfter``).

    Memory that is freed on another graph needs nothing: its guarder waits for the node that owns this graph.
    """
    for address in addresses:
        if address.guarder is not None:
            context.holders.order_if_possible(done, address.guarder)


def at(address: ValueHolder, placement: Placement, stream_id: int = 0) -> ValueHolder:
    """Say where an address lies and on which logic stream it is used; gives it back."""
    address.placement = placement
    address.stream_id = stream_id
    return address
