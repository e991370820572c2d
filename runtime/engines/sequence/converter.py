"""The sequence converters: each operator is one kernel of the host that reads and writes the model's container.

They own the order of inputs: session, container, what the operator takes, then the tensor that gets the handle.

Source: spec/lowering.md 4.11 (Sequence ops), 11.N.
"""

from getrace.errors import ModelError
from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import infer_storage_shapes
from runtime.engines.memory import at
from runtime.engines.sequence.container import Handle, container_id, handle_of
from runtime.engines.session import session_id
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32


def convert_empty(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower SequenceEmpty: a new sequence for elements of one type."""
    context = lowered.context
    owner = _owner(context)
    dtype_holder = context.holders.const(Int32(node.op.number("dtype")))
    handle = _inferred_handle(node, lowered)
    return _given(handle, context.holders.single("SequenceEmptyCompute", *owner, dtype_holder, handle.tensor))


def convert_length(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower SequenceLength: how many tensors a sequence holds."""
    require_inputs(node, lowered, 1)
    owner = _owner(lowered.context)
    length = _inferred_handle(node, lowered)
    compute = lowered.context.holders.single("SequenceLengthCompute", *owner, lowered.addresses[0], length.tensor)
    return _given(length, compute)


def convert_at(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower SequenceAt: a tensor of a sequence, whose shape and address are known only then."""
    require_inputs(node, lowered, 2)
    context, holders = lowered.context, lowered.context.holders
    tensor = holders.single("SequenceAtCompute", *_owner(context), *lowered.addresses[:2])
    shape = holders.single("BuildInferShapeFromTensorCompute", tensor)
    address = holders.single("BuildAddrFromTensorCompute", tensor, allocator(context, tensor.placement))
    at(address, tensor.placement, context.stream_id)
    return LowerResult([shape], [address], [tensor, shape, address])


def convert_construct(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower SequenceConstruct: a sequence of all inputs, each with its address and its shape."""
    pairs = [part for pair in zip(lowered.addresses, lowered.shapes, strict=True) for part in pair]
    return _store(node, lowered, "SequenceConstructCompute", 1, pairs)


def convert_insert(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower SequenceInsert: inputs are a handle, a tensor and, if given, the place; only the tensor needs a shape."""
    require_inputs(node, lowered, 2)
    place = lowered.addresses[2:] if len(lowered.addresses) == len("htp") else []
    taken = [*lowered.addresses[:2], lowered.shapes[1], *place]
    return _store(node, lowered, "SequenceInsertCompute", 2, taken)


def convert_erase(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower SequenceErase: inputs are a handle and, if given, the place."""
    require_inputs(node, lowered, 1)
    place = lowered.addresses[1:] if len(lowered.addresses) == len("hp") else []
    return _store(node, lowered, "SequenceEraseCompute", 1, [lowered.addresses[0], *place])


def require_inputs(node: ComputeNode, lowered: LowerInput, least: int) -> None:
    """Raise ModelError, in GE's words, when a node has fewer inputs than its operator needs."""
    if len(lowered.addresses) < least:
        raise ModelError(
            f"Input num err, it is at least {least}. (node {node.name})", f"it has {len(lowered.addresses)}"
        )


def _store(node: ComputeNode, lowered: LowerInput, kernel: str, least: int, taken: list[ValueHolder]) -> LowerResult:
    """Write an operator that changes the container and gives a handle of known shape."""
    require_inputs(node, lowered, least)
    context, holders = lowered.context, lowered.context.holders
    count = holders.const(len(lowered.addresses))
    handle = handle_of(context, node, holders.single("GetSequenceHandleShape"))
    return _given(handle, holders.single(kernel, *_owner(context), count, *taken, handle.tensor))


def _owner(context: LoweringContext) -> list[ValueHolder]:
    """The session and the container that a sequence belongs to."""
    return [session_id(context), container_id(context)]


def _inferred_handle(node: ComputeNode, lowered: LowerInput) -> Handle:
    shape = infer_storage_shapes(lowered.context, node, lowered.shapes)[0]
    return handle_of(lowered.context, node, shape)


def _given(handle: Handle, compute: ValueHolder) -> LowerResult:
    return LowerResult([handle.shape], [handle.address], [compute])
