"""AllocatorFactory and CreateExternalAllocator: allocators that a caller of the API makes and hands to an executor.

What an allocator is belongs to ``runtime.memory``; here is which process it is of, and what is said when there is none.

Source: spec/execution.md 3.2, 5.6; GE ``api.cc``.
"""

from typing import Final

from runtime.api.ge_process import GeProcess
from runtime.device.host_heap import HostHeap
from runtime.kernels.status import Status
from runtime.memory import factory
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.external import AllocatorDesc, ExternalAllocator
from runtime.memory.host import HostMemAllocator
from runtime.values import Placement

_UNSUPPORTED: Final = ("api.cc", 272, "Create")


def create_allocator(process: GeProcess, placement: Placement) -> CachingMemAllocator | HostMemAllocator | None:
    """``AllocatorFactory::Create``. Gives None, and an error record, for a placement that has no allocator.

    GE's overload with a graph's name makes the same allocators.
    """
    machine = process.machine
    heap = HostHeap(process.device)
    made = factory.create_allocator(placement, machine.memory, machine.synchronize, machine.caching, heap)
    if made is None:
        text = f"Unsupported placement {int(placement)} to create allocator"
        process.refuse(_UNSUPPORTED, text, Status.PARAM_INVALID)
    return made


def create_external_allocator(process: GeProcess, allocator_desc: AllocatorDesc) -> ExternalAllocator:
    """``CreateExternalAllocator``: wrap the user's functions."""
    return ExternalAllocator(allocator_desc, process.machine.memory, process.device.is_settled)
