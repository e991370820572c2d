"""What the host does for the AI CPU beside its tasks: lists of tensors, and groups fused for the host.

A list on the AI CPU holds addresses. Its tensors would be freed under it, so the host keeps one more owner of each
until it is popped or the step ends. A fused group is a row of the register under the name its library registers.

Source: spec/lowering.md 4.5, 4.6, 11.M.
"""

from typing import Final

from runtime.kernels.aicpu_work import OperatorWork, Place, described, evaluate_of
from runtime.kernels.context import KernelContext
from runtime.kernels.engine_state import Item
from runtime.kernels.memory import let_go, tensor_data_outputs
from runtime.kernels.payloads_aicpu import FusedHostCpuState
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Shape

_OP = ("aicpu_resource_manager.cc", 0, "TensorListOp")
_PUSH, _POP = "TensorListPushBack", "TensorListPopBack"
_PUSHED: Final = 2
"""Input of the kernel that holds the pushed tensor: behind the stream and the list."""


def keep_list(context: KernelContext) -> int:
    """Keep the tensor that was pushed, or let go of the last one that was."""
    node, lists = context.compute_node, context.machine.engines.tensor_lists
    if node.type == _PUSH:
        kept = GertTensorData()
        kept.share_from(context.input(_PUSHED))
        lists.append(Item(Shape(), described(node.inputs, 1), kept))
    elif lists:
        lists.pop().free()
    else:
        return context.kernel_error(_OP, "the list of tensors is empty")
    return Status.SUCCESS


def compute_fused(context: KernelContext) -> int:
    """Compute a group on the host; each output is one more owner of the memory that was made for it."""
    state: FusedHostCpuState = context.input(0)
    values = [cell.value for cell in context.inputs[1:]]
    inputs, outputs = state.input_num, state.output_num
    in_shapes, values = [shape_of(value).storage for value in values[:inputs]], values[inputs:]
    sources: list[GertTensorData] = values[:inputs]
    out_shapes = [shape_of(value).storage for value in values[inputs : inputs + outputs]]
    targets: list[GertTensorData] = values[inputs + outputs :]
    node, machine = context.compute_node, context.machine
    work = OperatorWork(
        machine.device,
        evaluate_of(machine.ops, state.register_name),
        node.attrs,
        tuple(
            (Place(data.addr, data.placement), described(node.inputs, at), in_shapes[at])
            for at, data in enumerate(sources)
        ),
        tuple(
            (Place(data.addr, data.placement), described(node.outputs, at), out_shapes[at])
            for at, data in enumerate(targets)
        ),
    )
    work.run()
    let_go(context.outputs)
    for index, data in enumerate(targets):
        context.output(index).share_from(data)
    return Status.SUCCESS


def release(_context: KernelContext) -> int:
    """Run nothing: a row of the register is not unloaded."""
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("TensorListOp", keep_list),
    Kernel("FusedHostCpuCompute", compute_fused, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel("ReleaseFusedHostCpuKernelState", release),
    Kernel("ReleaseFusedHostCpuSo", release),
)
