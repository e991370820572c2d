"""The custom converter: the user's object is found on Init and executed on raw tensors; it gives whole tensors back.

It owns what releases the outputs, the workspaces and the arguments that the object made. The object may keep reading
its inputs while an output is built from them, so what releases an input waits for every output.

Source: spec/lowering.md 4.4.
"""

from getrace.errors import ModelError
from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import RULE_ATTR, infer_storage_shapes
from runtime.engines.ir_inputs import ir_index
from runtime.engines.memory import at
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_WORKSPACES, _ARGUMENTS, _ADDITIONAL = 0, 1, 2
"""Outputs behind the tensors: a vector of workspaces, the handler of the arguments, and how many these are."""


def convert_custom_op(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a custom operator. It has no order holders: who uses its outputs reads what it gave.

    Raises ModelError for one without outputs: nothing could tell that it ran.
    """
    if not node.op.outputs:
        raise ModelError(f"custom operator {node.name} has no outputs")
    context = lowered.context
    holders = context.holders
    tensors, addresses = _inputs(node, lowered)
    memory = allocator(context)
    inputs = [*tensors, memory, context.stream, _find(context, node.type)]
    kernel = "ExecuteCustomOp"
    if _infers_shapes(context, node):
        kernel = "ExecuteCustomOpWithInferShape"
        inputs += infer_storage_shapes(context, node, lowered.shapes)
    count = len(node.op.outputs)
    made = holders.many(kernel, count + _ADDITIONAL, *inputs)
    result = LowerResult()
    for tensor in made[:count]:
        shape, address = holders.many("SplitDataTensor", 2, tensor, memory)
        holders.guarder("FreeMemory", at(address, Placement.DEVICE_HBM, context.stream_id))
        _release_after(context, addresses, address)
        result.shapes.append(shape)
        result.addresses.append(address)
    holders.guarder("FreeCustomOpWorkspaces", made[count + _WORKSPACES], memory)
    holders.guarder("FreeArgsGuarder", made[count + _ARGUMENTS])
    _release_after(context, addresses, made[0])
    return result


def _inputs(node: ComputeNode, lowered: LowerInput) -> tuple[list[ValueHolder], list[ValueHolder]]:
    """Raw tensors of the inputs, those the object reads itself on the host, and the addresses they refer to."""
    on_host = lowered.context.options.library.traits(node.type).host_inputs
    pairs = [
        lowered.walk.raw_input(node, slot, Placement.HOST if ir_index(node, slot) in on_host else Placement.DEVICE_HBM)
        for slot, source in enumerate(node.inputs)
        if source is not None
    ]
    return [tensor for tensor, _ in pairs], [address for _, address in pairs]


def _infers_shapes(context: LoweringContext, node: ComputeNode) -> bool:
    """Whether output shapes are known before the object runs: by a rule or by the object itself."""
    return bool(node.op.attrs.get(RULE_ATTR)) or context.options.library.traits(node.type).custom_infer_shape


def _find(context: LoweringContext, op_type: str) -> ValueHolder:
    """Find the object on Init, once per type; the register is found through the machine, hence the null pointer."""
    holders = context.holders
    return context.unique_on_init(
        f"{op_type}_FindCustomOp_",
        lambda: [holders.single("FindCustomOp", holders.const(op_type), holders.const(None))],
    )[0]


def _release_after(context: LoweringContext, addresses: list[ValueHolder], waited_for: ValueHolder) -> None:
    for address in addresses:
        if address.guarder is not None:
            context.holders.order(waited_for, address.guarder)
