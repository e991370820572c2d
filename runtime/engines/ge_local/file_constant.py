"""FileConstant: a constant in a file of its own, read into device memory when the model is loaded.

It owns the choice between reading the file and taking memory that the user filled already. Read on Main, the file
would be read in each step.

Source: spec/lowering.md 4.11.
"""

from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import known_shape
from runtime.engines.memory import at, tensor_size
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


def convert_file_constant(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a constant in a file. Others wait for the read where they run on Init themselves."""
    context = lowered.context
    shape = context.selector.on_init_root(lambda: [known_shape(context, node.op.outputs[0])])[0]
    memory = context.options.file_constant_memories.get(constant_file(node))
    if memory is not None:
        address = context.selector.on_init_root(lambda: [_user_memory(context, *memory)])[0]
        return LowerResult([shape], [at(address, Placement.DEVICE_HBM)])
    address = context.selector.on_init_root(lambda: [_read(node, lowered, shape)])[0]
    return LowerResult([shape], [at(address, Placement.DEVICE_HBM)], [address])


def constant_file(node: ComputeNode) -> str:
    """Name of the file: attribute ``location`` where the model was moved, else ``file_path``."""
    attrs = node.op.attrs
    return str(attrs.get("location") or attrs.get("file_path") or attrs.get("file_id") or "")


def _user_memory(context: LoweringContext, address: int, size: int) -> ValueHolder:
    return context.holders.single(
        "FileConstantUserMemKernel", context.holders.const(address), context.holders.const(size)
    )


def _read(node: ComputeNode, lowered: LowerInput, shape: ValueHolder) -> ValueHolder:
    context, on_init = lowered.context, lowered.context.selector.holder_on_init
    session, name = on_init(context.skeleton.rt_session), context.holders.const(node.name)
    size = tensor_size(context, node.op.outputs[0], on_init(shape))
    memory = allocator(context)
    folder = on_init(context.selector.on_init_root(lambda: [weight_folder(context)])[0])
    file = context.holders.const(constant_file(node))
    address = context.holders.single("FileConstantKernel", session, name, memory, context.stream, size, folder, file)
    context.holders.guarder("FreeMemory", address)
    for before in lowered.order_holders:
        context.holders.order_if_possible(on_init(before), address)
    return address


def weight_folder(context: LoweringContext) -> ValueHolder:
    """The folder of the model's files, as the model description says it; each reader has its own."""
    return context.holders.single("GetFileConstantWeightDir", context.model_desc_on_init)
