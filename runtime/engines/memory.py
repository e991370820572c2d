"""Memory kernels that converters share: the size of a tensor, its allocation, and the kernel that frees it.

If each converter wrote the pair Alloc and Free itself, one of them would forget the guarder, and the leak would show
only in a log.

Source: spec/lowering.md 2.5 and 4.1 (9).
"""

from runtime.engines.allocators import l2_allocator
from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


def tensor_size(context: LoweringContext, desc: TensorDesc, shape: ValueHolder) -> ValueHolder:
    """Bytes of an output, aligned: from the origin shape, or from the storage shape where the two differ."""
    source = "Shape" if desc.storage_is_origin else "Storage"
    return context.holders.single(f"CalcTensorSizeFrom{source}", context.holders.const(desc.dtype), shape)


def allocate_output(context: LoweringContext, size: ValueHolder) -> ValueHolder:
    """Device memory for one output, freed when its last consumer has run."""
    address = context.holders.single("AllocMemHbm", l2_allocator(context), size)
    address.placement = Placement.DEVICE_HBM
    context.holders.guarder("FreeMemory", address)
    return address
