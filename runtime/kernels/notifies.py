"""Notifies as kernels see them (spec/execution.md 6.4, lowering.md 11.B)."""

from typing import Final

from getrace.events.streams import NotifyGot
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status

_PLACE = ("notify.cc", 36, "CreateNotifies")
_NULL = ("notify.cc", 0, "CreateNotifies")


def create_notifies(context: KernelContext) -> int:
    """Give each logical notify its RT notify: output i is entry i of the vector."""
    notifies, count = context.input(0), context.input(1)
    if notifies is None:
        return context.error(_NULL, "Assert ((rt_notifies) != nullptr) failed")
    if not 0 < count <= len(notifies):
        text = f"Failed to get rts notify from notify_num {count}, rts notify num is not enough({len(notifies)})"
        return context.error(_PLACE, text, Status.PARAM_INVALID)
    if len(context.outputs) < count:
        return context.error(_NULL, "Assert ((output) != nullptr) failed")
    for index, handle in enumerate(notifies[:count]):
        context.set(index, handle)
        context.trace(NotifyGot(handle, index))
    return Status.SUCCESS


KERNELS: Final = (Kernel("CreateNotifies", create_notifies),)
