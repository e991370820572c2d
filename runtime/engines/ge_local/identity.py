"""Identity: a copy on the device, or only the promise that the bytes get there.

Source: spec/lowering.md 4.11.
"""

from collections.abc import Callable

from runtime.engines.allocators import l2_allocator, l2_allocator_on_init
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import infer_storage_shapes
from runtime.engines.memory import allocate_output, at, tensor_size
from runtime.graph.compute_graph import ComputeNode, TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_Copy = Callable[[LoweringContext, TensorDesc, ValueHolder, ValueHolder, ValueHolder], tuple[ValueHolder, ValueHolder]]


def convert_identity(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower Identity and its kin, output by output: each is copied where its input lies."""
    context = lowered.context
    result = LowerResult(infer_storage_shapes(lowered.context, node, lowered.shapes))
    for slot, desc in enumerate(node.op.outputs):
        source = lowered.addresses[slot]
        copy = _COPIES[source.placement.ge_name]
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
    at(address, Placement.DEVICE_HBM, context.stream_id)
    context.holders.guarder("FreeMemory", address)
    return address, address


def _copy_on_host(
    context: LoweringContext, desc: TensorDesc, _: ValueHolder, source: ValueHolder, shape: ValueHolder
) -> tuple[ValueHolder, ValueHolder]:
    """The host memory comes from the allocator of Init: it outlives a step (cases/truth, IdentityN with a Shape)."""
    dtype = context.holders.const(desc.dtype)
    memory = l2_allocator_on_init(context, Placement.HOST)
    address = at(context.holders.single("CopyTensorDataH2H", source, shape, dtype, memory), Placement.HOST)
    context.holders.guarder("FreeMemory", address)
    return address, address


_COPIES: dict[str, _Copy] = {
    Placement.DEVICE_HBM.ge_name: _copy_on_device,
    Placement.DEVICE_P2P.ge_name: _copy_on_device,
    Placement.HOST.ge_name: _copy_on_host,
    Placement.END.ge_name: _make_sure,
}
