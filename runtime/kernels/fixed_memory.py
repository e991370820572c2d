"""Memory of static sub graphs whose addresses are compiled in: a session's models share it (spec/execution.md 5.9)."""

from typing import Final

from getrace.events.allocators import ExternalFixedBase, FixedBase
from getrace.events.memory import FixedAlloc, FixedFree
from runtime.kernels.context import KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.memory.l2 import GertAllocator, Level1
from runtime.memory.large_pages import FixedBaseExpandableAllocator
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Placement

_PLACEMENT: Final = ("memory_kernel.cc", 0, "GetUserAllocatorOrFixedBaseAllocator")
_ALLOC: Final = ("memory_kernel.cc", 0, "AllocFixedFeatureMemory")
_FREE: Final = ("memory_kernel.cc", 0, "FreeFixedFeatureMemory")
_POSSIBLE: Final = (Placement.DEVICE_HBM, Placement.DEVICE_P2P)


def get_allocator(context: KernelContext) -> int:
    """Give the allocator that the caller registered for the stream, else the one that the session's models share."""
    machine = context.machine
    placement, session, stream = (cell.value for cell in context.inputs)
    if placement not in _POSSIBLE:
        names = [place.ge_name for place in _POSSIBLE]
        text = f"placement[{Placement(placement).ge_name}] is invalid, only support {names[0]} and {names[1]}"
        return context.error(_PLACEMENT, text, Status.PARAM_INVALID)
    registered = machine.user.by_stream.get(stream) if stream and placement == Placement.DEVICE_HBM else None
    if registered is not None:
        context.set(0, registered)
        context.trace(ExternalFixedBase(stream))
        return Status.SUCCESS
    key = (session, Placement(placement))
    if key not in machine.user.fixed_base:
        machine.user.fixed_base[key] = FixedBaseExpandableAllocator(machine.memory)
    context.set(0, machine.user.fixed_base[key])
    context.trace(FixedBase(machine.device.device_id, session, Placement(placement).ge_name))
    return Status.SUCCESS


def alloc_fixed_feature_memory(context: KernelContext) -> int:
    """Take the memory from the shared allocator; level 2 wraps it, so that it is owned like any other."""
    shared: Level1 = context.input(0)
    size: int = context.input(1)
    home: GertAllocator = context.input(2)
    block = shared.malloc(size)
    if block is None:
        return context.assert_failed(_ALLOC, f"allocator malloc {size} failed.")
    data: GertTensorData = context.output(0)
    wrapped = home.share_from(shared, block)
    shared.free(block)  # level 2 is the owner now
    data.own(wrapped, home.placement, home.stream, size)
    context.trace(FixedAlloc(wrapped.handle, wrapped.addr, size))
    return Status.SUCCESS


def free_fixed_feature_memory(context: KernelContext) -> int:
    """Give it back."""
    data: GertTensorData | None = context.input(0)
    if data is None:
        return context.kernel_error(_FREE, "Get nullptr gert_tensor_data")
    context.trace(FixedFree(data.addr))
    data.free()
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("GetUserAllocatorOrFixedBaseAllocator", get_allocator),
    Kernel(
        "AllocFixedFeatureMemory",
        alloc_fixed_feature_memory,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
    Kernel("FreeFixedFeatureMemory", free_fixed_feature_memory, critical_section=MEMORY),
)
