"""The image engine: a task is made for the shapes of a step, and launched (spec/lowering.md 4.7, 11.R).

What an operator does is its row in the operators' register, as for the AI CPU.
"""

from typing import Final

from runtime.kernels.aicpu_work import OperatorWork, Place, described, evaluate_of
from runtime.kernels.context import KernelContext
from runtime.kernels.engines.memory_work import DVPP
from runtime.kernels.payloads_dsa import SQE_BYTES
from runtime.kernels.registry import LAUNCH, Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.work import task_of
from runtime.memory.tensor_data import GertTensorData

_DESCRIPTOR_BYTES: Final = 512
"""Workspace per tensor. GE asks its library; here the engine needs no more than a description of each picture."""


def sizes_outputs(context: KernelContext) -> int:
    """Make the list of sizes."""
    context.set(0, [])
    return Status.SUCCESS


def workspace_sizes(context: KernelContext) -> int:
    """Ask for one workspace with a description of each input and output."""
    context.output(0)[:] = [_DESCRIPTOR_BYTES * len(context.inputs)]
    return Status.SUCCESS


def entry_outputs(context: KernelContext) -> int:
    """Make the queue entry, once for all steps."""
    context.set(0, context.machine.device.pointer(SQE_BYTES))
    return Status.SUCCESS


def launch_task(context: KernelContext) -> int:
    """Launch the operator on the addresses and shapes of this step."""
    node, machine = context.compute_node, context.machine
    values = [cell.value for cell in context.inputs]
    count = (len(values) - len(node.outputs) - 3) // 2  # workspaces, their sizes, the stream; sizes of outputs
    shapes = [shape_of(value).storage for value in values[:count]]
    data: list[GertTensorData] = values[count : 2 * count]
    inputs = count - len(node.outputs)
    placed = [(Place(item.addr, item.placement, item.size), shape) for item, shape in zip(data, shapes, strict=True)]
    work = OperatorWork(
        machine.device,
        evaluate_of(machine.ops, node.type),
        node.attrs,
        tuple((place, described(node.inputs, at), shape) for at, (place, shape) in enumerate(placed[:inputs])),
        tuple((place, described(node.outputs, at), shape) for at, (place, shape) in enumerate(placed[inputs:])),
    )
    device = machine.device
    cost = device.cost_ns(DVPP.unit, sum(item.size for item in data))
    device.launch(device.stream(values[-1]), task_of(context, work, DVPP, cost))
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("CalcDvppWorkSpaceSize", workspace_sizes, outputs_creator=sizes_outputs),
    Kernel("GenerateSqeAndLaunchTask", launch_task, outputs_creator=entry_outputs, critical_section=LAUNCH),
)
