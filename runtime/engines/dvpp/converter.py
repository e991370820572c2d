"""The DVPP converter: a task is generated and launched by one kernel, with a workspace sized at run time.

Source: spec/lowering.md 4.7 (DVPP).
"""

from getrace.errors import ModelError
from runtime.engines.allocators import allocator
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import infer_storage_shapes
from runtime.engines.memory import allocate_output, at
from runtime.engines.output_memory import output_sizes
from runtime.graph.compute_graph import ComputeNode
from runtime.values import Placement


def convert_dvpp(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an operator of the image engine. Raises ModelError when it was not compiled."""
    if not node.op.tasks:
        raise ModelError(f"Can not find compile result for node {node.name} type {node.type}")
    context, holders = lowered.context, lowered.context.holders
    shapes = infer_storage_shapes(context, node, lowered.shapes)
    sizes = output_sizes(context, node, shapes)
    addresses = [allocate_output(context, size) for size in sizes]
    work_sizes = holders.single("CalcDvppWorkSpaceSize", *lowered.shapes, *shapes)
    workspace = at(holders.single("AllocBatchHbm", allocator(context), work_sizes), Placement.DEVICE_HBM)
    memory = [*lowered.addresses, *addresses, workspace, *sizes, work_sizes]
    launch = holders.single("GenerateSqeAndLaunchTask", *lowered.shapes, *shapes, *memory, context.stream)
    free = holders.void("FreeBatchHbm", workspace)
    free.node.attrs["ReleaseResourceIndex"] = 0
    holders.order(launch, free)
    return LowerResult(shapes, addresses, [launch])
