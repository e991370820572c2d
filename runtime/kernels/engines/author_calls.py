"""Operators whose author brings a function of the host that launches by itself: aclnn and custom ones.

What such a function computes is the operator's row in the register; here stands what the two have in common: tensors in
and out, and one task of the cores.
"""

from collections.abc import Sequence
from typing import Any

from runtime.device.tasks import AICORE, TaskId
from runtime.kernels.aicpu_work import OperatorWork, Place, evaluate_of
from runtime.kernels.context import KernelContext
from runtime.kernels.work import task_of
from runtime.values import Tensor


def launch_on_tensors(
    context: KernelContext, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> TaskId:
    """Launch what the operator computes; gives the number of its task."""
    machine, node = context.machine, context.compute_node
    work = OperatorWork(
        machine.device,
        evaluate_of(machine.ops, node.type),
        node.attrs,
        tuple(_operand(tensor) for tensor in inputs),
        tuple(_operand(tensor) for tensor in outputs),
    )
    size = sum(tensor.data.size for tensor in (*inputs, *outputs) if tensor.data is not None)
    device = machine.device
    return device.launch(device.stream(stream), task_of(context, work, AICORE, device.kernel_ns(size)))


def _operand(tensor: Tensor) -> tuple[Place, Any, Any]:
    assert tensor.data is not None
    return Place(tensor.data.addr, tensor.data.placement, tensor.data.size), tensor.dtype, tensor.shape.storage
