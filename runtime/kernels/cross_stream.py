"""Memory of one stream as another one sees it: the kernel in front of every such use (spec/execution.md 5.9).

It adds an owner on the other stream, so that the block lives until both have finished with it. A kernel that took the
address alone would read a block that the first stream had given back.
"""

from typing import Final

from getrace.events.memory import MemWander
from runtime.kernels.context import KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Placement

_ACCESS: Final = ("memory_kernel.cc", 0, "AccessMemCrossStream")


def access_mem_cross_stream(context: KernelContext) -> int:
    """Give the data of another stream to this one; host memory belongs to no stream and is shared without a line."""
    source: GertTensorData | None = context.input(0)
    target: GertTensorData | None = context.output(0)
    if source is None or target is None:
        return context.kernel_error(_ACCESS, "Get nullptr gert_tensor_data")
    if source.placement == Placement.HOST:
        target.share_from(source)
        return Status.SUCCESS
    stream: int = context.input(1)
    if reason := target.refuse_wander(source, stream):
        return context.error(_ACCESS, reason)
    context.trace(MemWander(source.stream, stream, source.addr))
    target.wander_from(source, stream)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel(
        "AccessMemCrossStream",
        access_mem_cross_stream,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
)
