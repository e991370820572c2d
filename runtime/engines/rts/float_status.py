"""Operators on the device's overflow flags: read them, clear them; the debug flags have kernels of their own.

Source: spec/lowering.md 4.7 (RTS).
"""

from collections.abc import Callable, Mapping

from getrace.errors import ModelError
from runtime.engines.contract import Convert, LowerInput, LowerResult
from runtime.engines.memory import allocate_output, tensor_size
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import StorageShape

STATUS_SHAPE = (8,)
"""Flags of a device, whatever the model says of the output."""

_POINTER_BYTES = 8


def convert_rts(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an operator of the runtime system. Raises ModelError, in GE's words, for a type it does not know."""
    convert = _BY_TYPE.get(node.type)
    if convert is None:
        raise ModelError(
            f"Cannot find lowering func for node type:[{node.type}].", f"node {node.name}; known: {', '.join(_BY_TYPE)}"
        )
    return convert(node, lowered)


def _read_with(kernel: str) -> Convert:
    """Read flags: the kernel takes the output's address through an argument block on the device."""

    def convert(node: ComputeNode, lowered: LowerInput) -> LowerResult:
        holders = lowered.context.holders
        if not node.op.outputs:
            raise ModelError(f"node {node.name} type {node.type} has no output to read the flags into")
        shape = _shape(lowered)
        address = _memory(node, lowered, shape)
        host_args = holders.single("NpuGetFloatStatusArgs", address)
        device_args = allocate_output(lowered.context, holders.const(_POINTER_BYTES))
        launch = holders.single(kernel, device_args, host_args, lowered.context.stream)
        return LowerResult([shape], [address], [launch])

    return convert


def _clear_with(kernel: str) -> Convert:
    """Clear flags, and give a tensor nobody writes, where the model has one: its shape is written in any case."""

    def convert(node: ComputeNode, lowered: LowerInput) -> LowerResult:
        shape = _shape(lowered)
        addresses = [_memory(node, lowered, shape)] if node.op.outputs else []
        launch = lowered.context.holders.single(kernel, lowered.context.stream)
        return LowerResult([shape] if addresses else [], addresses, [launch])

    return convert


def _clear_only(_: ComputeNode, lowered: LowerInput) -> LowerResult:
    launch = lowered.context.holders.single("NpuClearFloatStatus", lowered.context.stream)
    return LowerResult(order_holders=[launch])


def _shape(lowered: LowerInput) -> ValueHolder:
    return lowered.context.holders.const(StorageShape.same(STATUS_SHAPE))


def _memory(node: ComputeNode, lowered: LowerInput, shape: ValueHolder) -> ValueHolder:
    return allocate_output(lowered.context, tensor_size(lowered.context, node.op.outputs[0], shape))


_BY_TYPE: Mapping[str, Callable[[ComputeNode, LowerInput], LowerResult]] = {
    "NPUGetFloatStatus": _read_with("NpuGetFloatStatus"),
    "NPUGetFloatStatusV2": _read_with("NpuGetFloatStatus"),
    "NPUClearFloatStatus": _clear_with("NpuClearFloatStatus"),
    "NPUClearFloatStatusV2": _clear_only,
    "NPUGetFloatDebugStatus": _read_with("NpuGetFloatDebugStatus"),
    "NPUClearFloatDebugStatus": _clear_with("NpuClearFloatDebugStatus"),
}
