"""The AI CPU converters: one for operators of the TensorFlow library (TF), one for the AI CPU library proper (CC).

They own the order of the steps: arguments on Init; shapes, memory, update and launch where the operator is; then what
its class needs behind the launch.

Source: spec/lowering.md 4.5.
"""

from getrace.errors import ModelError
from runtime.engines.aicpu.after_launch import CopyTask, copy_results, read_back_shapes
from runtime.engines.aicpu.arguments import AicpuOperator, bin_handle, cc_arguments, tf_arguments
from runtime.engines.aicpu.launch import Launchable, block_dim, launch_cc, launch_tf
from runtime.engines.aicpu.optional_inputs import DeclaredInputs, declared_inputs, input_count
from runtime.engines.aicpu.outputs import Outputs, outputs_of
from runtime.engines.aicpu.shape_class import tells_range, tells_result
from runtime.engines.aicpu.task import CC_ENGINE, TF_ENGINE, read_task
from runtime.engines.aicpu.update import write_update, write_workspace
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.memory import release_after
from runtime.engines.session import session_id, step_id
from runtime.graph.compute_graph import KERNEL, KERNEL_EX, ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_TENSOR_LISTS = frozenset({"TensorListPushBack", "TensorListPopBack"})
_TASKS_OF_FOURTH_CLASS = 2


def convert_tf(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an operator of the TensorFlow library.

    Raises ModelError when its compile result is missing, or has no copy task though the class needs one.
    """
    context = lowered.context
    op = AicpuOperator(
        node, TF_ENGINE, read_task(node, KERNEL_EX, "Cannot find AI cpu Tf taskdef."), len(lowered.addresses)
    )
    _check_tasks(node)
    session = session_id(context)
    binary = bin_handle(context, "BuildTfArgsBinHandle", node)
    arguments = tf_arguments(context, op, session, step_id(context))
    plain = DeclaredInputs(lowered.shapes, lowered.addresses)
    launchable = Launchable(op, binary, arguments)
    outputs, update, _ = _before(node, lowered, launchable, plain)
    launch = launch_tf(context, launchable)
    context.holders.order(update, launch)
    release_after(context, [*lowered.addresses, *outputs.addresses], launch)
    copy = CopyTask(lambda number: _tf_copy(lowered, op, number), lambda task: launch_tf(context, task))
    outputs, done = _after(node, lowered, launchable, launch, outputs, copy)
    orders = [launch, done]
    if node.type in _TENSOR_LISTS:
        lists = context.holders.single("TensorListOp", context.stream, *lowered.addresses, *outputs.addresses)
        context.holders.order(done, lists)
        orders.append(lists)
    return LowerResult(outputs.shapes, outputs.addresses, orders)


def convert_cc(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an operator of the AI CPU library, the user's own included. Raises ModelError as ``convert_tf`` does."""
    context = lowered.context
    inputs = input_count(node, lowered)
    op = AicpuOperator(node, CC_ENGINE, read_task(node, KERNEL, "Cannot find AI cpu CC taskdef."), inputs)
    _check_tasks(node)
    session = session_id(context)
    binary = bin_handle(context, "BuildCCArgsBinHandle", node)
    launchable = Launchable(op, binary, cc_arguments(context, op, session))
    outputs, update, logged = _before(node, lowered, launchable, None)
    launch = launch_cc(context, launchable, block_dim(context, node, lowered.shapes))
    context.holders.order(update, launch)
    release_after(context, [*lowered.addresses, *outputs.addresses, *logged], launch)
    copy = CopyTask(
        lambda number: _cc_copy(lowered, op, number),
        lambda task: launch_cc(context, task, context.holders.const(1)),
    )
    outputs, done = _after(node, lowered, launchable, launch, outputs, copy)
    return LowerResult(outputs.shapes, outputs.addresses, [launch, done])


def _check_tasks(node: ComputeNode) -> None:
    if tells_result(node) and len(node.op.tasks) != _TASKS_OF_FOURTH_CLASS:
        raise ModelError(
            f"Op {node.name} type {node.type} is 4th op, unexpected task defs count {len(node.op.tasks)}",
            "its results are copied out by a second task",
        )


def _before(
    node: ComputeNode, lowered: LowerInput, launchable: Launchable, inputs: DeclaredInputs | None
) -> tuple[Outputs, ValueHolder, list[ValueHolder]]:
    """Outputs, the last update before the launch, and the log buffer if there is one."""
    outputs = outputs_of(node, lowered)
    workspace = write_workspace(lowered.context, node, launchable.arguments.ext_info)
    declared = inputs or declared_inputs(node, lowered, Placement.DEVICE_HBM)
    update = write_update(lowered.context, node, launchable.arguments, declared, outputs, workspace)
    return outputs, update, [] if workspace is None else [workspace.address]


def _after(
    node: ComputeNode,
    lowered: LowerInput,
    launchable: Launchable,
    launch: ValueHolder,
    outputs: Outputs,
    copy: CopyTask,
) -> tuple[Outputs, ValueHolder]:
    """The outputs as consumers may read them, and the kernel they wait for."""
    context = lowered.context
    if tells_range(node):
        ext_info, engine = launchable.arguments.ext_info, launchable.op.engine
        shapes = read_back_shapes(context, ext_info, launch, engine, len(outputs.shapes))
        return Outputs(shapes, outputs.addresses), launch
    if tells_result(node):
        return copy_results(context, node, launch, outputs.addresses, copy)
    return outputs, launch


def _tf_copy(lowered: LowerInput, op: AicpuOperator, session: ValueHolder) -> Launchable:
    context = lowered.context
    task = AicpuOperator(op.node, op.engine, op.task, op.inputs, copy_task=True)
    binary = bin_handle(context, "BuildTfArgsBinHandle", op.node)
    return Launchable(task, binary, tf_arguments(context, task, session, step_id(context)))


def _cc_copy(lowered: LowerInput, op: AicpuOperator, session: ValueHolder) -> Launchable:
    context = lowered.context
    task = AicpuOperator(op.node, op.engine, op.task, op.inputs, copy_task=True)
    binary = bin_handle(context, "BuildCCArgsBinHandle", op.node)
    return Launchable(task, binary, cc_arguments(context, task, session))
