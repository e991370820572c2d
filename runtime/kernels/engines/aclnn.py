"""aclnn operators: their author's function is called on raw tensors, in one call or in two (spec/lowering.md 11.L).

The functions are found by the operator's type in the machine's register: what GE loads from a library is a row there.
No row asks for workspaces, so the first of two calls asks for none.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from runtime.kernels.context import KernelContext
from runtime.kernels.engines.author_calls import launch_on_tensors
from runtime.kernels.registry import LAUNCH, MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.values import Tensor

_FIND = ("op_execute_func_kernel.cc", 0, "FindOpExeFunc")
_AT_ONCE_TAIL: Final = 5
"""Inputs behind the tensors of a single call: allocator, stream, options, function, framework data."""

_PREPARE_TAIL: Final = 3
_LAUNCH_TAIL: Final = 5


@dataclass(frozen=True, slots=True)
class OpFunction:
    """A function of an operator's author: the operator, and which of its calls it is."""

    op_type: str
    phase: str


@dataclass(slots=True)
class FrameworkData:
    """What the calls of an operator share: whatever the kernel was given, in order."""

    parts: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class OpParameter:
    """What the first of two calls hands to the second."""

    tensors: int


def find(context: KernelContext, phases: tuple[str, ...]) -> int:
    """Look the functions of an operator up; the register stands in the machine."""
    op_type = str(context.input(0))
    op = context.machine.ops.get(op_type)
    if op is None or op.evaluate is None:
        return context.kernel_error(_FIND, f"Failed to find op execute func of {op_type}")
    for index, phase in enumerate(phases):
        context.set(index, OpFunction(op_type, phase))
    return Status.SUCCESS


def framework_outputs(context: KernelContext) -> int:
    """Make what the calls share, for the life of the executor."""
    context.set(0, FrameworkData())
    return Status.SUCCESS


def build_framework(context: KernelContext) -> int:
    """Put together what the calls share."""
    data: FrameworkData = context.output(0)
    data.parts = tuple(cell.value for cell in context.inputs)
    return Status.SUCCESS


def memory_outputs(context: KernelContext) -> int:
    """Make the list of blocks that a call may leave to be freed; no operator here does."""
    context.set(0, [])
    return Status.SUCCESS


def execute(context: KernelContext) -> int:
    """Call the function once."""
    return _launch(context, _AT_ONCE_TAIL, -4)


def prepare(context: KernelContext) -> int:
    """Let the operator look at its tensors and ask for workspaces."""
    context.set(0, OpParameter(len(context.inputs) - _PREPARE_TAIL))
    context.set(1, [])
    return Status.SUCCESS


def launch(context: KernelContext) -> int:
    """Launch what was prepared."""
    return _launch(context, _LAUNCH_TAIL, -2)


def _launch(context: KernelContext, tail: int, stream: int) -> int:
    tensors: list[Tensor] = [cell.value for cell in context.inputs[:-tail]]
    split = len(tensors) - len(context.compute_node.outputs)
    launch_on_tensors(context, context.inputs[stream].value, tensors[:split], tensors[split:])
    return Status.SUCCESS


_bundle = partial(Kernel, run=build_framework, outputs_creator=framework_outputs)

KERNELS: Final = (
    Kernel("FindOpExeFunc", partial(find, phases=("execute",))),
    Kernel("FindOpExe2PhaseFunc", partial(find, phases=("prepare", "launch"))),
    _bundle("BuildSingleStageAclnnOpFwkData"),
    _bundle("BuildDualStageAclnnOpFwkData"),
    Kernel("ExecuteOpFunc", execute, outputs_creator=memory_outputs, critical_section=MEMORY),
    Kernel("ExecuteOpPrepare", prepare),
    Kernel("ExecuteOpLaunch", launch, critical_section=LAUNCH),
)
