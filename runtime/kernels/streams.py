"""Streams as kernels see them (spec/lowering.md 11.B, kerneltrace.md 3.3)."""

from typing import Final

from getrace.events.streams import StreamSplit
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status

_PLACE = ("stream.cc", 42, "SplitRtStreams")
_NULL = ("stream.cc", 0, "SplitRtStreams")


def split_rt_streams(context: KernelContext) -> int:
    """Give each logical stream its RT stream: output i is entry i of the streams vector."""
    streams, count = context.input(0), context.input(1)
    if streams is None:
        return context.error(_NULL, "Assert ((rt_streams) != nullptr) failed")
    if not 0 < count <= len(streams):
        text = f"Failed to get rts stream from stream_num {count}, rts stream num is not enough({len(streams)})"
        return context.error(_PLACE, text, Status.PARAM_INVALID)
    if len(context.outputs) < count:
        return context.error(_NULL, "Assert ((output) != nullptr) failed")
    known = context.machine.device.streams
    for index, handle in enumerate(streams[:count]):
        context.set(index, handle)
        rt_stream = known[handle].rt_id if handle in known else -1
        context.trace(StreamSplit(handle, index, rt_stream))
    return Status.SUCCESS


def sync_stream(context: KernelContext) -> int:
    """Wait for a stream; its status is the kernel's."""
    return context.machine.synchronize(context.input(0))


KERNELS: Final = (
    Kernel("SplitRtStreams", split_rt_streams),
    Kernel("SyncStream", sync_stream),
)
