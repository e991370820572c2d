"""SplitToSequence: a tensor on the device is cut into pieces, which become a sequence.

Source: spec/lowering.md 4.11, 11.N.
"""

from runtime.engines.allocators import allocator
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.sequence.container import container_id, handle_of
from runtime.engines.sequence.converter import require_inputs
from runtime.engines.session import session_id
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32


def convert_split(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower SplitToSequence; a second input says how long the pieces are. Raises ModelError when nothing feeds it."""
    require_inputs(node, lowered, 1)
    context, holders = lowered.context, lowered.context.holders
    count = holders.const(len(lowered.addresses))
    handle_shape = holders.single("GetSequenceHandleShape")
    handle = handle_of(context, node, handle_shape)
    axis = holders.const(Int32(node.op.number("axis", 0)))
    whole_shape, whole = lowered.shapes[0], lowered.addresses[0]
    lengths = [lowered.shapes[1], lowered.addresses[1]] if len(lowered.addresses) > 1 else []
    shapes = holders.single("GetSplitVecWithInput", axis, count, whole_shape, *lengths)
    pieces = _memory(node, lowered, shapes)
    cut = holders.single("SplitToSequenceDoCompute", axis, whole_shape, whole, shapes, pieces)
    keep_dims = holders.const(Int32(node.op.number("keepdims", 1)))
    owner = [session_id(context), container_id(context)]
    what = [pieces, shapes, count, keep_dims, axis, whole_shape, handle.tensor]
    store = holders.single("StoreSplitTensorToSequence", *owner, *what)
    holders.order(cut, store)
    return LowerResult([handle.shape], [handle.address], [cut, store])


def _memory(node: ComputeNode, lowered: LowerInput, shapes: ValueHolder) -> ValueHolder:
    """Memory for all pieces, on the device; freed with its last reader."""
    context, holders = lowered.context, lowered.context.holders
    dtype = holders.const(node.op.inputs[0].dtype)
    sizes = holders.single("CalcTensorSizeFromSpecifiedShape", dtype, shapes)
    memory = holders.single("AllocSpecifiedMem", allocator(context), sizes)
    holders.guarder("FreeSpecifiedMem", memory)
    return memory
