"""Identity: a copy on the device, or only the promise that the bytes get there.

Source: spec/lowering.md 4.11 (device and unknown rows; a host result keeps its own row for a later version).
"""

from collections.abc import Callable

from getrace.errors import ModelError
from runtime.engines.allocators import l2_allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import infer_shapes
from runtime.engines.memory import allocate_output, tensor_size
from runtime.graph.compute_graph import ComputeNode, TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_Copy = Callable[[LoweringContext, TensorDesc, ValueHolder, ValueHolder, ValueHolder], tuple[ValueHolder, ValueHolder]]


def convert_identity(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower Identity or IdentityN. Raises ModelError for an input in host memory."""
    context = lowered.context
    result = LowerResult(infer_shapes(node, lowered))
    for slot, desc in enumerate(node.op.outputs):
        source = lowered.addresses[slot]
        copy = _COPIES.get(source.placement)
        if copy is None:
            raise ModelError(
                f"node {node.name} copies a tensor in {source.placement.ge_name}",
                "this version copies tensors that are, or may be, on the device",
            )
        address, done = copy(context, desc, lowered.shapes[slot], source, result.shapes[slot])
        result.addresses.append(address)
        result.order_holders.append(done)
    return result


def _copy_on_device(
    context: LoweringContext, desc: TensorDesc, _: ValueHolder, source: ValueHolder, shape: ValueHolder
) -> tuple[ValueHolder, ValueHolder]:
    size = tensor_size(context, desc, shape)
    target = allocate_output(context, size)
    return target, context.holders.void("CopyD2D", source, target, size, context.stream)


def _make_sure(
    context: LoweringContext, desc: TensorDesc, in_shape: ValueHolder, source: ValueHolder, shape: ValueHolder
) -> tuple[ValueHolder, ValueHolder]:
    dtype = context.holders.const(desc.dtype)
    size = tensor_size(context, desc, shape)
    address = context.holders.single(
        "MakeSureTensorAtDevice", context.stream, l2_allocator(context), source, size, in_shape, dtype
    )
    address.placement = Placement.DEVICE_HBM
    context.holders.guarder("FreeMemory", address)
    return address, address


_COPIES: dict[Placement, _Copy] = {
    Placement.DEVICE_HBM: _copy_on_device,
    Placement.END: _make_sure,
}
