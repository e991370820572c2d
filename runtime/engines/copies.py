"""Copies of one output between host and device: which kernels, in which order, on which stream.

It owns the table of spec/lowering.md 5.2. A converter with a copy of its own would skip the wait for the stream, and
read bytes that are not there yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from getrace.errors import ModelError
from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.ir_inputs import input_name, output_name
from runtime.engines.memory import at
from runtime.engines.weights import weight_on_device
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import DType, Placement


@dataclass(frozen=True, slots=True)
class Moved:
    """One output at one place: its shape (or the tensor that stands in for it), its address, whom to wait for."""

    shape: ValueHolder
    address: ValueHolder
    orders: tuple[ValueHolder, ...]


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy to make: output ``index`` of ``node``, to ``wanted``, for a consumer on logic stream ``stream_id``.

    ``weight``: the output is a constant of the model, which has its own way to the device.
    """

    node: ComputeNode
    index: int
    tensor: Moved
    weight: bool
    wanted: Placement
    stream_id: int

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.node.op.outputs[self.index].dtype


def move(context: LoweringContext, copy: Copy) -> Moved:
    """Write the kernels that bring an output to a place, none when it is there. Raises ModelError without a way.

    What comes from Init altogether is copied there, once per model instead of once per step.
    """
    tensor, here = copy.tensor, copy.tensor.address.placement
    if here.ge_name == copy.wanted.ge_name:
        return tensor
    if copy.weight and here.on_host and copy.wanted.on_device:
        return replace(tensor, address=weight_on_device(context, tensor.address))
    make = _COPIES.get((here.ge_name, copy.wanted.ge_name))
    if make is None:
        raise ModelError(
            f"node {copy.node.name} gives its result in {here.ge_name}, a consumer wants {copy.wanted.ge_name}",
            "no kernel copies between these places",
        )
    if all(context.selector.leaves_init(part) for part in _parts(tensor)):
        return _moved(context.selector.on_init_root(lambda: _parts(make(context, _inside(context, copy)))))
    return make(context, copy)


def _inside(context: LoweringContext, copy: Copy) -> Copy:
    """The same copy of the producers inside Init."""
    return replace(copy, tensor=_moved([context.selector.holder_on_init(part) for part in _parts(copy.tensor)]))


def _parts(tensor: Moved) -> list[ValueHolder]:
    return [tensor.shape, tensor.address, *tensor.orders]


def _moved(parts: Sequence[ValueHolder]) -> Moved:
    return Moved(parts[0], parts[1], tuple(parts[2:]))


def _unknown_to_device(context: LoweringContext, copy: Copy) -> Moved:
    """Copy only if the tensor turns out to be elsewhere; the decision is made at run time, on the producer's stream."""
    memory = allocator(context, copy.wanted)
    dtype, size = _size(context, copy, "CalcTensorSizeFromStorage")
    tensor = copy.tensor
    address = context.holders.single(
        "MakeSureTensorAtDevice", context.stream, memory, tensor.address, size, tensor.shape, dtype
    )
    at(address, copy.wanted, context.stream_id)
    context.holders.guarder("FreeMemory", address)
    return replace(tensor, address=address)


def _host_to_device(context: LoweringContext, copy: Copy) -> Moved:
    with context.on_stream(copy.stream_id):
        memory = allocator(context, copy.wanted)
        dtype, size = _size(context, copy, "CalcUnalignedTensorSizeFromStorage")
        tensor = copy.tensor
        address = context.holders.single("CopyH2D", context.stream, memory, tensor.address, size, tensor.shape, dtype)
        at(address, copy.wanted, context.stream_id)
    for before in tensor.orders:
        context.holders.order_if_possible(before, address)
    context.holders.guarder("FreeMemory", address)
    return Moved(tensor.shape, address, (address,))


def _device_to_host(context: LoweringContext, copy: Copy) -> Moved:
    tensor = copy.tensor
    synced = context.unique(f"SyncStream_{copy.node.name}", lambda: [_sync(context, tensor.orders)])[0]
    _, size = _size(context, copy, "CalcTensorSizeFromStorage")
    memory = allocator(context, Placement.HOST)
    address = at(context.holders.single("CopyD2H", tensor.address, size, memory), Placement.HOST, context.stream_id)
    context.holders.guarder("FreeMemory", address)
    context.holders.order_if_possible(synced, address)
    return Moved(tensor.shape, address, (address,))


def _sync(context: LoweringContext, orders: Sequence[ValueHolder]) -> ValueHolder:
    synced = context.holders.void("SyncStream", context.stream)
    for before in orders:
        context.holders.order_if_possible(before, synced)
    return synced


def _unknown_to_host(context: LoweringContext, copy: Copy) -> Moved:
    """Share what is on the host already. The caller's inputs are complete before a step starts and need no wait."""
    _, size = _size(context, copy, "CalcTensorSizeFromStorage")
    memory = allocator(context, Placement.HOST)
    kernel = "MakeSureTensorAtHostWithoutSync" if _complete_before_step(copy.node) else "MakeSureTensorAtHost"
    address = context.holders.single(kernel, context.stream, memory, copy.tensor.address, size)
    at(address, Placement.HOST, context.stream_id)
    for before in copy.tensor.orders:
        context.holders.order_if_possible(before, address)
    return Moved(copy.tensor.shape, address, (address,))


def _complete_before_step(node: ComputeNode) -> bool:
    """Whether nothing in a step writes to an output of the node: it is an input no operator has as a reference."""
    return node.type == "Data" and not any(_writes(consumer, slot) for _, consumer, slot in node.consumers)


def _writes(consumer: ComputeNode, slot: int) -> bool:
    if not consumer.op.attrs.get("reference"):
        return False
    name = input_name(consumer, slot)
    return any(output_name(consumer, index) == name for index in range(len(consumer.op.outputs)))


def _size(context: LoweringContext, copy: Copy, kernel: str) -> tuple[ValueHolder, ValueHolder]:
    """Constant of the element type, and bytes to copy; those of strings are known only after a look at the tensor."""
    dtype = context.holders.const(copy.dtype)
    shape, address = copy.tensor.shape, copy.tensor.address
    if copy.dtype is DType.STRING:
        return dtype, context.holders.single("CalcStringTensorSize", dtype, shape, address, context.stream)
    return dtype, context.holders.single(kernel, dtype, shape)


_UNKNOWN, _HOST = Placement.END.ge_name, Placement.HOST.ge_name
_HBM, _P2P = Placement.DEVICE_HBM.ge_name, Placement.DEVICE_P2P.ge_name

_COPIES: dict[tuple[str, str], Callable[[LoweringContext, Copy], Moved]] = {
    (_UNKNOWN, _HBM): _unknown_to_device,
    (_UNKNOWN, _P2P): _unknown_to_device,
    (_HBM, _P2P): _unknown_to_device,
    (_P2P, _HBM): _unknown_to_device,
    (_UNKNOWN, _HOST): _unknown_to_host,
    (_HOST, _HBM): _host_to_device,
    (_HOST, _P2P): _host_to_device,
    (_HBM, _HOST): _device_to_host,
    (_P2P, _HOST): _device_to_host,
}
