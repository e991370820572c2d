"""The Init part of an AI CPU operator: its binary, its argument block and its extended information.

It owns the order of the builders' inputs, which the kernels read by position. TF, CC and host operators differ in one
builder each and share the rest.

Source: spec/lowering.md 4.5, 4.6, 11.M.
"""

from collections.abc import Callable
from dataclasses import dataclass

from runtime.engines.aicpu.blocking import Blocking, write_blocking
from runtime.engines.aicpu.shape_class import shape_type, tells_range
from runtime.engines.aicpu.task import HOST_ENGINE, AicpuTask
from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads_aicpu import OpDescPointer, TempExtInfo
from runtime.values import Int32


@dataclass(frozen=True, slots=True)
class AicpuOperator:
    """An operator on its way: ``inputs`` counts its inputs, missing optional ones included where the task has room.

    ``copy_task`` marks the second task of a fourth-class operator, whose arguments are four buffers.
    """

    node: ComputeNode
    engine: str
    task: AicpuTask
    inputs: int
    copy_task: bool = False

    @property
    def io_num(self) -> int:
        """How many addresses the argument block has."""
        return COPY_BUFFERS if self.copy_task else self.inputs + len(self.node.op.outputs)


COPY_BUFFERS = 4
"""Inputs of the copy task: release flags, sizes, sources and targets."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The handler of the argument block and that of the extended information, as outputs of the Init node."""

    args: ValueHolder
    ext_info: ValueHolder


def tf_arguments(context: LoweringContext, op: AicpuOperator, session: ValueHolder, step: ValueHolder) -> Arguments:
    """Arguments of an operator of the TensorFlow library; its session on the device is made sure of first."""

    def build() -> list[ValueHolder]:
        holders, find = context.holders, context.selector.holder_on_init
        session_inside, step_inside = find(session), find(step)
        holders.single("EnsureCreateTfSession", session_inside)
        head = _head(context, op)
        blocking = write_blocking(context, op.node, copy_task=op.copy_task)
        task = [holders.const(op.task.task_info), holders.const(len(op.task.task_info))]
        waiting = [blocking.blocks, blocking.event, blocking.timeout]
        args = holders.single("BuildTfArgs", *head, *waiting, *task, session_inside, step_inside)
        return [args, _ext_info(context, op, args, session_inside, blocking), blocking.event]

    return _exported(context, build)


def cc_arguments(context: LoweringContext, op: AicpuOperator, session: ValueHolder) -> Arguments:
    """Arguments of an operator of the AI CPU library proper: the function and the library are named."""

    def build() -> list[ValueHolder]:
        holders = context.holders
        session_inside = context.selector.holder_on_init(session)
        head = _head(context, op)
        blocking = write_blocking(context, op.node, copy_task=op.copy_task)
        waiting = [blocking.blocks, blocking.event, blocking.timeout]
        names: list[ValueHolder] = []
        for name in (op.task.kernel_name, op.task.so_name):
            names += [holders.const(name), holders.const(len(name) + 1)]
        args = holders.single("BuildCCArgs", *head, *waiting, *names)
        return [args, _ext_info(context, op, args, session_inside, blocking), blocking.event]

    return _exported(context, build)


def host_arguments(context: LoweringContext, op: AicpuOperator, session: ValueHolder) -> Arguments:
    """Arguments of an operator that the host computes."""

    def build() -> list[ValueHolder]:
        session_inside = context.selector.holder_on_init(session)
        args = context.holders.single("BuildHostCCArgs", *_head(context, op))
        addresses = _ext_addresses(context, args)
        blocking = write_blocking(context, op.node, copy_task=False)
        return [args, _ext_handle(context, op, addresses, session_inside, blocking), blocking.event]

    return _exported(context, build)


def bin_handle(context: LoweringContext, kernel: str, node: ComputeNode) -> ValueHolder:
    """Register the operator's binary on Init (``BuildTfArgsBinHandle`` or ``BuildCCArgsBinHandle``)."""

    def build() -> list[ValueHolder]:
        description = context.holders.const(OpDescPointer(node.name, node.type))
        return [context.holders.single(kernel, description, context.holders.const(node.type))]

    return context.selector.on_init_root(build)[0]


def _exported(context: LoweringContext, build: Callable[[], list[ValueHolder]]) -> Arguments:
    """Build on Init. The event leaves Init, too, though nobody reads it: what destroys it moves to DeInit by that."""
    args, ext_info, _ = context.selector.on_init_root(build)
    return Arguments(args, ext_info)


def _head(context: LoweringContext, op: AicpuOperator) -> list[ValueHolder]:
    """Six inputs that all builders start with; the last is the size of the extended information."""
    holders, task = context.holders, op.task
    device_ext = tells_range(op.node) and op.engine != HOST_ENGINE
    values = (op.io_num, op.node.name, device_ext, task.args, len(task.args), len(task.ext_info))
    return [holders.const(value) for value in values]


def _ext_info(
    context: LoweringContext, op: AicpuOperator, args: ValueHolder, session: ValueHolder, blocking: Blocking
) -> ValueHolder:
    return _ext_handle(context, op, _ext_addresses(context, args), session, blocking)


def _ext_addresses(context: LoweringContext, args: ValueHolder) -> list[ValueHolder]:
    """Where the extended information lies inside the argument block: on the host and on the device."""
    return context.holders.many("GetExtInfoAddrFromArgs", 2, args)


def _ext_handle(
    context: LoweringContext,
    op: AicpuOperator,
    addresses: list[ValueHolder],
    session: ValueHolder,
    blocking: Blocking,
) -> ValueHolder:
    holders, content = context.holders, op.task.ext_info
    if not content:
        return holders.const(TempExtInfo())
    counts = (op.inputs, len(op.node.op.outputs), Int32(shape_type(op.node.op)))
    known = [holders.const(value) for value in (content, len(content), op.node.name, *counts)]
    return holders.single("BuildExtInfoHandle", *known, *addresses, session, blocking.blocks, blocking.event_id)
