"""Kernels of control flow: what stands at the ends of a branch, and what chooses one (spec/lowering.md 11.O).

Most of them run nothing: that they run at a certain moment is all they are for. A switch tells one of its receivers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from runtime.kernels.context import KernelContext
from runtime.kernels.feed import do_nothing
from runtime.kernels.host_values import first_element
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, Tensor

_SWITCH = ("switch_notify.cc", 0, "SwitchNotify")
_INDEX = ("gen_index.cc", 0, "GenIndexForIf")
_CASE = ("gen_index.cc", 0, "GenIndexForCase")
_FIND = ("condition_calc.cc", 0, "FindKernelFunc")

_TRUE_BRANCH: Final = 0
_FALSE_BRANCH: Final = 1
_CONDITIONS: Final = frozenset(
    {
        DType.BOOL,
        DType.FLOAT,
        DType.DOUBLE,
        DType.FLOAT16,
        DType.INT8,
        DType.UINT8,
        DType.INT16,
        DType.UINT16,
        DType.INT32,
        DType.UINT32,
        DType.INT64,
        DType.UINT64,
    }
)


@dataclass(slots=True)
class NotifySignal:
    """``NotifySignal``: the watchers of a switch, of which the first is whoever was chosen among the receivers."""

    watchers: list[int]
    receivers: tuple[int, ...]

    def choose(self, index: int) -> None:
        """Let receiver ``index`` be told when the switch has run."""
        self.watchers[0] = self.receivers[index]


HostFunction = Callable[[KernelContext], int]
"""What ConditionCalc calls: it reads the inputs of the kernel and fills its output in."""


def signal_outputs(context: KernelContext) -> int:
    """See that the executor's builder has put a signal into output 0: a switch alone has nobody to tell."""
    return Status.SUCCESS if isinstance(context.output(0), NotifySignal) else Status.FAILED


def switch_notify(context: KernelContext) -> int:
    """Choose the branch with the given index."""
    return _notify(context, int(context.input(0)))


def cond_switch_notify(context: KernelContext) -> int:
    """Choose the body when the condition holds, else the exit."""
    return _notify(context, _TRUE_BRANCH if context.input(0) else _FALSE_BRANCH)


def _notify(context: KernelContext, index: int) -> int:
    signal: NotifySignal = context.output(0)
    if not 0 <= index < len(signal.receivers):
        text = f"Invalid branch index {index}, receiver num {len(signal.receivers)}"
        return context.error(_SWITCH, text, Status.PARAM_INVALID)
    signal.choose(index)
    return Status.SUCCESS


def gen_index_for_if(context: KernelContext) -> int:
    """Give the branch of a condition: a scalar holds when it is not 0, another tensor when it has elements."""
    tensor: Tensor = context.input(0)
    if tensor.shape.storage:
        holds = all(dim != 0 for dim in tensor.shape.storage)
    elif tensor.dtype in _CONDITIONS:
        holds = _is_true(first_element(context.machine.device, tensor.data, tensor.dtype))
    else:
        text = f"Unsupported cond data type {tensor.dtype.ge_name}({tensor.dtype.number})"
        return context.error(_INDEX, text)
    context.set(0, _TRUE_BRANCH if holds else _FALSE_BRANCH)
    return Status.SUCCESS


def _is_true(value: np.generic) -> bool:
    """Floating-point conditions hold when they differ from 0 by more than the type's epsilon."""
    if isinstance(value, np.floating):
        return bool(np.fabs(value) > np.finfo(value.dtype).eps)
    return bool(value)


def gen_index_for_case(context: KernelContext) -> int:
    """Give the branch of an index; one out of range means the last."""
    tensor: Tensor = context.input(0)
    count: int = context.input(1)
    if count == 0:
        text = "Failed to generate index for case, at least one default branch"
        return context.error(_CASE, text, Status.PARAM_INVALID)
    index = int(first_element(context.machine.device, tensor.data, DType.INT32))
    context.set(0, index if 0 <= index < count else count - 1)
    return Status.SUCCESS


def gen_cond_for_while(context: KernelContext) -> int:
    """Give the condition of a loop as a truth value, by the same rules as that of an If."""
    data: GertTensorData = context.input(0)
    shape, dtype = shape_of(context.input(1)).storage, context.input(2)
    if shape:
        context.set(0, all(dim != 0 for dim in shape))
    else:
        context.set(0, _is_true(first_element(context.machine.device, data, dtype)))
    return Status.SUCCESS


def find_kernel_func(context: KernelContext) -> int:
    """Look the host function of a ConditionCalc up by its name."""
    name: str = context.input(0)
    found = context.machine.host_functions.get(name)
    if found is None:
        return context.kernel_error(_FIND, f"Failed to find kernel func {name}")
    context.set(0, found)
    return Status.SUCCESS


def condition_calc(context: KernelContext) -> int:
    """Call the function that the last input holds; its status is the kernel's."""
    function: HostFunction = context.inputs[-1].value
    return function(context)


_EMPTY: Final = ("Enter", "Exit", "BranchPivot", "BranchDone", "WaitAnyone", "WatcherPlaceholder")

KERNELS: Final = (
    *(Kernel(name, do_nothing) for name in _EMPTY),
    Kernel("SwitchNotify", switch_notify, outputs_creator=signal_outputs),
    Kernel("CondSwitchNotify", cond_switch_notify, outputs_creator=signal_outputs),
    Kernel("GenIndexForIf", gen_index_for_if),
    Kernel("GenIndexForCase", gen_index_for_case),
    Kernel("GenCondForWhile", gen_cond_for_while),
    Kernel("FindKernelFunc", find_kernel_func),
    Kernel("ConditionCalc", condition_calc),
)
