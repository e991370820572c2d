"""Allocators as kernels create, select and bind them (spec/execution.md 5.9, kerneltrace.md 3.1).

A model of one stream gets the thin level 2, one of several streams an allocator with a pool of its own per stream.
"""

from collections.abc import Sequence
from typing import Final

from getrace.errors import ModelError
from getrace.events.allocators import (
    InitL2Bound,
    InitL2Created,
    L1Created,
    L1Selected,
    L2Counted,
    L2Created,
    L2Selected,
)
from runtime.device.host_heap import HostHeap
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, transfer
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.factory import create_allocator
from runtime.memory.l2_multi import MultiStreamL2Allocator
from runtime.memory.l2_pool import L2MemPool
from runtime.memory.l2_single import SingleStreamL2Allocator
from runtime.memory.mif import MAX_STREAMS
from runtime.values import Placement

Level2 = SingleStreamL2Allocator | MultiStreamL2Allocator

_PLACEMENT = ("memory_kernel.cc", 105, "SelectL1Allocator")
_EXTERNAL_PLACEMENT = ("memory_kernel.cc", 105, "GetExternalL1Allocator")
_EXTERNAL_L1 = ("memory_kernel.cc", 0, "GetExternalL1Allocator")
_SELECT_L1 = ("memory_kernel.cc", 0, "SelectL1Allocator")
_SELECT_L2 = ("memory_kernel.cc", 313, "SelectL2Allocator")
_CREATE_L1 = ("memory_kernel.cc", 0, "CreateL1Allocator")
_FACTORY = ("allocator_factory.cc", 0, "Create")
_CREATE_L2 = ("memory_kernel.cc", 0, "CreateL2Allocators")


def create_l1_allocator(context: KernelContext) -> int:
    """Make the allocator of a placement: a caching one for the device, the heap for the host. The value owns it."""
    machine = context.machine
    placement = Placement(context.input(0))
    heap = HostHeap(machine.device)
    made = create_allocator(placement, machine.memory, machine.synchronize, machine.caching, heap)
    if made is None:
        context.error(_FACTORY, f"Unsupported placement {int(placement)} to create allocator")
        return context.assert_failed(_CREATE_L1, "Assert ((allocator) != nullptr) failed")
    context.outputs[0].own(made, made.close if isinstance(made, CachingMemAllocator) else None)
    context.trace(L1Created(placement.ge_name))
    return Status.SUCCESS


def select_l1_allocator(context: KernelContext) -> int:
    """Take the caller's allocator of the placement if there is one, else the created one, and bind the stream."""
    placement, external, created, stream = (cell.value for cell in context.inputs)
    if placement >= Placement.END:
        text = f"Invalid placement or memory type, placement: {int(placement)}"
        return context.error(_PLACEMENT, text, Status.PARAM_INVALID)
    given = external.get(placement) if external else None
    allocator = given or created
    if allocator is None:
        return context.assert_failed(_SELECT_L1, "Assert ((created_allocator) != nullptr) failed")
    if given and (reason := context.machine.user.refuse(given, stream)):
        return context.error(_SELECT_L1, reason, Status.PARAM_INVALID)
    if isinstance(allocator, CachingMemAllocator):
        allocator.set_stream(stream)
        origin = "caching_mem_allocator" if given else "created_allocator"
        context.trace(L1Selected(origin, allocator.handle, stream, Placement(placement).ge_name))
    context.set(0, allocator)
    return Status.SUCCESS


def get_external_l1_allocator(context: KernelContext) -> int:
    """Give the caller's allocator of a placement, in a model that never makes its own."""
    placement, external = (cell.value for cell in context.inputs)
    if placement >= Placement.END:
        text = f"Invalid placement or memory type, placement: {int(placement)}"
        return context.error(_EXTERNAL_PLACEMENT, text, code=Status.PARAM_INVALID)
    allocator = external.get(placement) if external else None
    if allocator is None:
        return context.assert_failed(_EXTERNAL_L1, "Assert ((allocator) != nullptr) failed")
    context.set(0, allocator)
    return Status.SUCCESS


def create_l2_outputs(context: KernelContext) -> int:
    """Make one allocator per logical stream, when the executor is built; the value owns them."""
    count, placement = context.input(0), Placement(context.input(1))
    if count == 0:
        return context.assert_failed(_CREATE_L2, "Assert (stream_num > 0U) failed")
    if count > MAX_STREAMS:
        raise ModelError(f"the model uses {count} streams", f"lower it for at most {MAX_STREAMS} streams")
    context.trace(L2Counted(count))
    allocators: list[Level2] = [_level2(context, placement, stream, count) for stream in range(count)]
    context.outputs[0].own(allocators, lambda: _close(allocators))
    context.set(1, _introduced(allocators))
    context.trace(L2Created(count, placement.ge_name))
    return Status.SUCCESS


def _level2(context: KernelContext, placement: Placement, stream: int, streams: int) -> Level2:
    machine = context.machine
    if streams == 1:
        return SingleStreamL2Allocator(context.journal, machine.device, placement)

    def copy(rt_stream: int, target: int, source: int, size: int) -> None:
        transfer(machine.device, rt_stream, Span(source, placement), Span(target, placement), size)

    return MultiStreamL2Allocator(
        machine.memory, machine.synchronize, copy, stream=stream, streams=streams, placement=placement
    )


def _introduced(allocators: Sequence[Level2]) -> list[L2MemPool]:
    """Let the allocators of several streams know each other; gives their pools, of which one stream has none."""
    multi = [allocator for allocator in allocators if isinstance(allocator, MultiStreamL2Allocator)]
    pools = [allocator.own for allocator in multi]
    for allocator in multi:
        allocator.meet(multi, pools)
    return pools


def _close(allocators: Sequence[Level2]) -> None:
    for allocator in allocators:
        allocator.close()


def create_l2_allocators(_context: KernelContext) -> int:
    """Run nothing: all the work was done when the executor was built."""
    return Status.SUCCESS


def create_init_l2_outputs(context: KernelContext) -> int:
    """Make the allocator that Init uses, and a copy of the vector with it in place 0."""
    allocators: list[Level2] = context.input(1)
    placement = allocators[0].placement
    context.trace(InitL2Created(len(allocators), placement.ge_name))
    allocator = _level2(context, placement, 0, len(allocators))
    context.outputs[0].own(allocator, allocator.close)
    seen: list[Level2] = [allocator, *allocators[1:]]
    if isinstance(allocator, MultiStreamL2Allocator):
        peers = [peer for peer in seen if isinstance(peer, MultiStreamL2Allocator)]
        allocator.meet(peers, [peer.own for peer in peers])
    context.set(1, seen)
    return Status.SUCCESS


def create_init_l2_allocator(context: KernelContext) -> int:
    """Bind the Init allocator to its level-1 allocator."""
    level1, stream = context.input(0), context.input(2)
    allocator: Level2 = context.output(0)
    allocator.bind(level1, stream)
    context.trace(InitL2Bound("Device", allocator.handle, level1.handle))
    return Status.SUCCESS


def create_host_l2_outputs(context: KernelContext) -> int:
    """Make the allocator of host tensors when the executor is built; the value owns it."""
    allocator = SingleStreamL2Allocator(context.journal, context.machine.device, Placement.HOST)
    context.outputs[0].own(allocator, allocator.close)
    return Status.SUCCESS


def create_host_l2_allocator(context: KernelContext) -> int:
    """Bind the allocator of host tensors to its level-1 allocator."""
    level1 = context.input(0)
    allocator: SingleStreamL2Allocator = context.output(0)
    allocator.level1 = level1
    context.trace(InitL2Bound("Host", allocator.handle, level1.handle))
    return Status.SUCCESS


def select_l2_allocator(context: KernelContext) -> int:
    """Give the allocator of a logical stream, bound to level 1 anew on every run."""
    stream, rt_stream, level1, allocators = (cell.value for cell in context.inputs)
    if not 0 <= stream < len(allocators):
        text = f"Failed to select allocator, invalid stream id {stream}, should be less than {len(allocators)}"
        return context.error(_SELECT_L2, text, Status.PARAM_INVALID)
    allocator: Level2 = allocators[stream]
    allocator.bind(level1, rt_stream)
    context.set(0, allocator)
    handle = rt_stream if isinstance(allocator, MultiStreamL2Allocator) else None
    context.trace(L2Selected(allocator.placement.ge_name, handle))
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("CreateL1Allocator", create_l1_allocator),
    Kernel("SelectL1Allocator", select_l1_allocator),
    Kernel("GetExternalL1Allocator", get_external_l1_allocator),
    Kernel("CreateL2Allocators", create_l2_allocators, outputs_creator=create_l2_outputs),
    Kernel("CreateInitL2Allocator", create_init_l2_allocator, outputs_creator=create_init_l2_outputs),
    Kernel("CreateHostL2Allocator", create_host_l2_allocator, outputs_creator=create_host_l2_outputs),
    Kernel("SelectL2Allocator", select_l2_allocator),
)
