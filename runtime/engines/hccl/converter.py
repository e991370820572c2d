"""The collective converters: prepare, then launch; some give back what they got, some need counts on the host.

Source: spec/lowering.md 4.8.
"""

from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.hccl.op_attr import read_op_attr
from runtime.engines.infer_shape import infer_storage_shapes
from runtime.engines.memory import allocate_output, at
from runtime.engines.output_memory import output_sizes
from runtime.graph.compute_graph import ComputeNode, TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32, Placement

IN_PLACE = ("HcomBroadcast", "HcomSend")
"""Their outputs are their inputs: nothing is inferred and nothing allocated."""

COLLECTIVES = ("HcomAllReduce", "HcomAllGather", "HcomReduceScatter", "HcomReduce")
WITH_COUNTS = ("HcomAllToAllV", "HcomAllToAllVC", "HcomAllToAll", "HcomAllGatherV", "HcomReduceScatterV")
"""Inputs behind the first are counts and offsets, which the host reads when it launches."""

RECEIVE = "HcomReceive"


def convert_in_place(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a collective that gives back its inputs. Raises ModelError when an attribute is missing."""
    attr = lowered.context.holders.const(read_op_attr(node))
    launched = _launch(lowered, attr, lowered.addresses, (lowered.shapes, lowered.addresses))
    return LowerResult(list(lowered.shapes), list(lowered.addresses), launched)


def convert_collective(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a collective with outputs of its own. Raises ModelError when an attribute is missing."""
    attr = lowered.context.holders.const(read_op_attr(node))
    return _with_outputs(node, lowered, attr, lowered.addresses)


def convert_with_counts(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a collective whose counts must be on the host; whoever uses its outputs waits for their copies, too."""
    context = lowered.context
    attr = context.holders.const(read_op_attr(node))
    counts = [
        _at_host(context, desc, shape, address)
        for desc, shape, address in list(zip(node.op.inputs, lowered.shapes, lowered.addresses, strict=True))[1:]
    ]
    result = _with_outputs(node, lowered, attr, [lowered.addresses[0], *counts])
    result.order_holders += counts
    return result


def convert_receive(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower Receive: shape and memory come with the message. Raises ModelError when an attribute is missing."""
    context = lowered.context
    attr = context.holders.const(read_op_attr(node))
    memory, dtype = allocator(context), context.holders.const(node.op.outputs[0].dtype)
    shape, address = context.holders.many("LaunchRecvKernel", 2, attr, context.stream, memory, dtype)
    at(address, Placement.DEVICE_HBM, context.stream_id)
    context.holders.guarder("FreeMemory", address)
    return LowerResult([shape], [address], [address])


def _with_outputs(
    node: ComputeNode, lowered: LowerInput, attr: ValueHolder, in_addresses: list[ValueHolder]
) -> LowerResult:
    context = lowered.context
    shapes = infer_storage_shapes(context, node, lowered.shapes)
    addresses = [allocate_output(context, size) for size in output_sizes(context, node, shapes)]
    launched = _launch(lowered, attr, in_addresses, (shapes, addresses))
    context.selector.on_init_root(lambda: [context.holders.single("LaunchHcomKernelInitComm")])
    return LowerResult(shapes, addresses, launched)


def _launch(
    lowered: LowerInput,
    attr: ValueHolder,
    in_addresses: list[ValueHolder],
    outputs: tuple[list[ValueHolder], list[ValueHolder]],
) -> list[ValueHolder]:
    """Prepare and launch; the launch gives one value per output, and each of them can be waited for."""
    holders = lowered.context.holders
    out_shapes, out_addresses = outputs
    counts = [holders.const(Int32(len(in_addresses))), holders.const(Int32(len(out_addresses)))]
    prepared = holders.single("PrepareHcomKernel", attr, lowered.context.stream, *counts, *lowered.shapes, *out_shapes)
    return holders.many("LaunchHcomKernel", len(out_addresses), prepared, *in_addresses, *out_addresses)


def _at_host(context: LoweringContext, desc: TensorDesc, shape: ValueHolder, address: ValueHolder) -> ValueHolder:
    size = context.holders.single("CalcTensorSizeFromShape", context.holders.const(desc.dtype), shape)
    memory = allocator(context, Placement.HOST)
    copied = context.holders.single("MakeSureTensorAtHost", context.stream, memory, address, size)
    return at(copied, Placement.HOST, context.stream_id)
