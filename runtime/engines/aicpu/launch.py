"""The launches of the AI CPU, and what a launch of the user's own library needs before it.

Source: spec/lowering.md 4.5 (CC: block dim, custom so), 11.M.
"""

from dataclasses import dataclass

from runtime.engines.aicpu.arguments import AicpuOperator, Arguments
from runtime.engines.aicpu.shape_class import any_unknown
from runtime.engines.aicpu.task import AicpuTask, KernelType
from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads_aicpu import CustomKernelBinary
from runtime.values import Int32

BLOCK_DIM_ATTR = "_support_blockdim_flag"
BLOCK_AXIS_ATTR = "_blockdim_index"


@dataclass(frozen=True, slots=True)
class Launchable:
    """An operator with its binary and its arguments."""

    op: AicpuOperator
    binary: ValueHolder
    arguments: Arguments


def launch_tf(context: LoweringContext, launchable: Launchable) -> ValueHolder:
    """Launch an operator of the TensorFlow library."""
    type_name = context.holders.const(launchable.op.node.type)
    args = launchable.arguments.args
    return context.holders.single("AicpuLaunchTfKernel", args, context.stream, launchable.binary, type_name)


def launch_cc(context: LoweringContext, launchable: Launchable, block_dim: ValueHolder) -> ValueHolder:
    """Launch an operator of the AI CPU library; a user's library is loaded on Init."""
    op, arguments, holders = launchable.op, launchable.arguments, context.holders
    if op.task.kernel_type is KernelType.CUST_AI_CPU:
        context.unique(f"CustAicpuSo_{op.task.so_name}", lambda: _load_custom_so(context, op.task))
    return holders.single(
        "AicpuLaunchCCKernel",
        arguments.args,
        context.stream,
        block_dim,
        holders.const(Int32(op.task.kernel_type)),
        arguments.ext_info,
        launchable.binary,
        holders.const(op.node.type),
    )


def block_dim(context: LoweringContext, node: ComputeNode, in_shapes: list[ValueHolder]) -> ValueHolder:
    """Blocks of a launch: by an axis of the first input where the kernel supports it and a shape is unknown."""
    if not in_shapes or not node.op.attrs.get(BLOCK_DIM_ATTR, False) or not any_unknown(node.op):
        return context.holders.const(Int32(1))
    index = context.holders.const(Int32(node.op.number(BLOCK_AXIS_ATTR, -1)))
    return context.holders.single("CalcBlockDim", index, in_shapes[0])


def _load_custom_so(context: LoweringContext, task: AicpuTask) -> list[ValueHolder]:
    """Load a user's library once; what unloads it moves to DeInit with the holder that leaves Init.

    A model without the library's content gets no load, only the name that GE writes before it looks: such a library
    is on the device already.
    """

    def build() -> list[ValueHolder]:
        holders = context.holders
        name = holders.const(task.so_name)
        if task.custom_binary is None:
            return []
        binary = holders.const(CustomKernelBinary(task.so_name, task.custom_binary))
        loaded = holders.single("LaunchAicpuCustKernel", binary, name)
        holders.guarder("ClearAicpuCustKernel", loaded)
        return [loaded]

    return context.selector.on_init_root(build)
