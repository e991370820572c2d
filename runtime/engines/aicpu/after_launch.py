"""What follows the launch of an operator that tells its output shapes only then.

The third class leaves shapes in its extended information. The fourth leaves a summary of each output; memory is
allocated by it and a second task copies shapes and data out. Both wait for the stream: the host reads what the device
wrote.

Source: spec/lowering.md 4.5 (third class, fourth class continuation).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from runtime.engines.aicpu.launch import Launchable
from runtime.engines.aicpu.outputs import Outputs
from runtime.engines.context import LoweringContext
from runtime.engines.memory import allocate_output, release_after
from runtime.engines.session import session_id
from runtime.graph.compute_graph import ComputeNode, OpDesc, TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32, Shape

_POINTER_BYTES = 8

Prepare = Callable[[ValueHolder], Launchable]
"""Given the session's number, writes the Init part of the copy task."""

Launch = Callable[[Launchable], ValueHolder]


@dataclass(frozen=True, slots=True)
class CopyTask:
    """How the library of the operator prepares and launches the second task of a fourth-class operator."""

    prepare: Prepare
    launch: Launch


def read_back_shapes(
    context: LoweringContext, ext_info: ValueHolder, launch: ValueHolder, engine: str, count: int
) -> list[ValueHolder]:
    """Third class: wait for the launch and read the shapes of the outputs."""
    wait = context.holders.void("SyncStream", context.stream)
    shapes = context.holders.many("GetExtOutputShapes", count, ext_info, context.holders.const(engine))
    context.holders.order(launch, wait)
    for shape in shapes:
        context.holders.order(wait, shape)
    return shapes


def wait_for(context: LoweringContext, launch: ValueHolder) -> ValueHolder:
    """Wait for the stream once a launch has been queued."""
    wait = context.holders.void("SyncStream", context.stream)
    context.holders.order(launch, wait)
    return wait


def copy_results(
    context: LoweringContext, node: ComputeNode, launch: ValueHolder, summaries: list[ValueHolder], task: CopyTask
) -> tuple[Outputs, ValueHolder]:
    """Fourth class: launch the copy task; gives the real outputs and the kernel after which they are there."""
    done = wait_for(context, launch)
    session = session_id(context)
    buffers = _copy_buffers(context, len(node.op.outputs))
    with context.holders.working_on(_copy_node(node)):
        launchable = task.prepare(session)
        update = context.holders.single("UpdateAicpuIoAddr", launchable.arguments.args, *buffers)
        prepared, outputs = _prepare(context, done, summaries, buffers)
        copy = task.launch(launchable)
        wait = context.holders.single("SyncStream", context.stream)
        release_after(context, [*buffers, *outputs.addresses], copy)
        context.holders.order(update, copy)
        context.holders.order(prepared, copy)
        context.holders.order(copy, wait)
        for shape in outputs.shapes:
            context.holders.order(wait, shape)
    return outputs, outputs.shapes[-1] if outputs.shapes else done


def _copy_buffers(context: LoweringContext, outputs: int) -> list[ValueHolder]:
    """Four lists of numbers on the device, with an entry for the shape and one for the data of each output."""

    def build() -> list[ValueHolder]:
        size = context.holders.const(2 * outputs * _POINTER_BYTES)
        return [allocate_output(context, size) for _ in range(4)]

    return context.selector.on_init_root(build)


def _copy_node(node: ComputeNode) -> ComputeNode:
    """The operator that the kernels of the copy belong to; it is in no graph."""
    inputs = tuple(TensorDesc(Shape(()), name=f"input{index + 1}") for index in range(len(node.op.outputs)))
    op = OpDesc(f"{node.name}_FakeMemCpy", "MemCopy", inputs, engine=node.op.engine, tasks=node.op.tasks)
    return ComputeNode(replace(op, stream_id=node.op.stream_id), node.id, node.graph)


def _prepare(
    context: LoweringContext,
    done: ValueHolder,
    device_summaries: list[ValueHolder],
    buffers: list[ValueHolder],
) -> tuple[ValueHolder, Outputs]:
    """Read the summaries, allocate by them, and fill the buffers of the copy task."""
    holders, count = context.holders, len(device_summaries)
    summaries = holders.many("GetHostSummary", count, *device_summaries)
    data_sizes = holders.many("GetSummaryDataSizes", count, *summaries)
    shape_sizes = holders.many("GetSummaryShapeSizes", count, *summaries)
    addresses = [allocate_output(context, size) for size in data_sizes]
    shape_buffers = [allocate_output(context, size) for size in shape_sizes]
    number = holders.const(Int32(count))
    filled = (*buffers, *summaries, *addresses, *shape_buffers, context.stream)
    prepared = holders.void("PrepareCopyInputs", number, *filled)
    for summary in summaries:
        holders.order(done, summary)
    shapes = holders.many("GetOutputShapeFromHbmBuffer", count, *summaries, *shape_buffers)
    return prepared, Outputs(shapes, addresses)
