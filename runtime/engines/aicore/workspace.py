"""Memory of a launch beside its outputs: workspaces, and the buffer that takes shapes told by the operator itself.

Workspaces are not guarded as outputs are: the launch alone uses them (spec/lowering.md 12.5).

Source: spec/lowering.md 4.1 (7, 8, 13, 14).
"""

from runtime.engines.aicore.compile_result import is_third_class
from runtime.engines.aicore.tiling_append import SHAPE_BUFFER_ROW
from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.memory import allocate, at
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


def allocate_workspaces(context: LoweringContext, sizes: ValueHolder, dfx_buffer_size: int = 0) -> ValueHolder:
    """Reserve workspaces; a buffer for what a kernel prints goes into the first, which must have its size before."""
    holders = context.holders
    expanded = None
    if dfx_buffer_size > 0:
        expanded = holders.void("ExpandDfxWorkspaceSize", sizes, holders.const(dfx_buffer_size))
    workspaces = at(holders.single("AllocBatchHbm", allocator(context), sizes), Placement.DEVICE_HBM)
    if expanded is not None:
        holders.order(expanded, workspaces)
    return workspaces


def free_workspaces(context: LoweringContext, workspaces: ValueHolder, launch: ValueHolder) -> None:
    """Give workspaces back behind the launch that used them."""
    free = context.holders.void("FreeBatchHbm", workspaces)
    free.node.attrs["ReleaseResourceIndex"] = 0
    context.holders.order(launch, free)


def shape_buffer(context: LoweringContext, node: ComputeNode) -> ValueHolder:
    """A buffer on the device for the output shapes, or a null pointer where they are known before the launch."""
    if not is_third_class(node):
        return context.holders.const(None)
    return allocate(context, context.holders.const(SHAPE_BUFFER_ROW * len(node.op.outputs)))


def take_shapes(
    context: LoweringContext, node: ComputeNode, buffer: ValueHolder, launch: ValueHolder, shapes: list[ValueHolder]
) -> list[ValueHolder]:
    """Wait for the launch and read the shapes it told; they overwrite the largest ones, whose values they share.

    Gives nothing for an operator whose shapes were known before.
    """
    if not is_third_class(node) or not shapes:
        return []
    holders = context.holders
    sync = holders.void("SyncStream", context.stream)
    holders.order(launch, sync)
    told = holders.many("SetOutputShape", len(shapes), buffer)
    free = holders.guarder("FreeMemHbm", buffer)
    for index, (shape, largest) in enumerate(zip(told, shapes, strict=True)):
        shape.node.output_refs[index] = (largest.node.name, largest.index)
        holders.order(sync, shape)
        holders.order(shape, free)
    return told
