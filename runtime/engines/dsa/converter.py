"""The DSA converter: a queue entry is completed by one kernel and launched by the next.

Both read the same constant, since the first one edits it. The workspaces belong to the model: they hold the state of
the generator, and nobody frees them between runs.

Source: spec/lowering.md 4.7 (DSA).
"""

from runtime.engines.aicpu.shape_class import any_unknown
from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.dsa.task import DsaTask, read_dsa_task
from runtime.engines.infer_shape import infer_storage_shapes, known_shapes
from runtime.engines.memory import allocate_output, release_after
from runtime.engines.output_memory import output_sizes
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads_dsa import SQE_BYTES


def convert_dsa(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a random number operator. Raises ModelError when its task, inputs, outputs or workspaces are wrong."""
    task = read_dsa_task(node, len(lowered.addresses))
    context, holders = lowered.context, lowered.context.holders
    sqe, length = holders.const(task.sqe), holders.const(SQE_BYTES)
    inferred = any_unknown(node.op)
    shapes = infer_storage_shapes(context, node, lowered.shapes) if inferred else known_shapes(context, node)
    addresses = [allocate_output(context, size) for size in output_sizes(context, node, shapes)]
    workspaces = context.selector.on_init_root(lambda: [_workspaces(context, task)])[0]
    sizes = holders.const(task.workspaces)
    facts = _facts(context, task, len(lowered.addresses), len(addresses))
    tensors = [*lowered.addresses, *addresses]
    update = holders.void("UpdateSqeArg", sqe, workspaces, sizes, context.stream, *facts, *tensors)
    launch = holders.single("StarsTaskLaunchKernel", sqe, length, context.stream)
    holders.order(update, launch)
    release_after(context, tensors, launch)
    return LowerResult(shapes, addresses, [launch])


def _workspaces(context: LoweringContext, task: DsaTask) -> ValueHolder:
    sizes = context.holders.const(task.workspaces)
    return context.holders.single("AllocBatchHbm", allocator(context), sizes)


def _facts(context: LoweringContext, task: DsaTask, inputs: int, outputs: int) -> list[ValueHolder]:
    """What the compiler knew of seed, count and parameters, then how many tensors follow."""
    values = (
        task.seed_by_address,
        task.count_by_address,
        task.seed,
        task.count,
        task.input_by_address,
        task.input1,
        task.input2,
        inputs,
        outputs,
    )
    return [context.holders.const(value) for value in values]
