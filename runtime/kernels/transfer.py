"""Moving bytes between host and device, for every kernel that copies.

Host bytes are taken at the call (``HOST_TO_BUF_TO_DEVICE``), so the caller may change them at once; device bytes are
read when the device comes to the copy. Two spellings of that difference would be two kinds of wrong numbers.
"""

from collections.abc import Callable
from typing import NamedTuple

from runtime.device.address_space import AddressSpace
from runtime.device.device import Device
from runtime.device.tasks import MEMCPY, Finish, Task
from runtime.kernels.context import KernelContext
from runtime.kernels.status import Status
from runtime.values import Placement


class Span(NamedTuple):
    """Where bytes begin, and in which memory."""

    addr: int
    placement: Placement


def transfer(device: Device, stream: int, source: Span, target: Span, size: int) -> bool:
    """Copy ``size`` bytes, on the stream unless both ends are host memory; False when a placement is none."""
    from_space, to_space = _space(device, source.placement), _space(device, target.placement)
    if from_space is None or to_space is None:
        return False
    if size == 0:
        return True
    if from_space is device.host:
        data = from_space.read(source.addr, size)
        if to_space is device.host:
            to_space.write(target.addr, data)
            return True
        _queue(device, stream, _written(to_space, target.addr, data), target, size, device.copy_ns(size))
        return True
    cost = device.cost_ns("copy", 2 * size) if from_space is to_space else device.copy_ns(size)
    begin = _moved(from_space, source.addr, to_space, target.addr, size)
    _queue(device, stream, begin, target, size, cost)
    return True


def write_to_device(device: Device, stream: int, target: Span, content: bytes) -> None:
    """Copy bytes of a structure of the runtime's own, taken at the call, to the device in the order of a stream."""
    size = len(content)
    _queue(device, stream, _written(device.hbm, target.addr, content), target, size, device.copy_ns(size))


def copy_now(device: Device, source: Span, target: Span, size: int) -> None:
    """Copy ``size`` bytes while the host waits (``rtMemcpy``). No stream is waited for: that is the caller's part."""
    from_space, to_space = _space(device, source.placement), _space(device, target.placement)
    assert from_space is not None
    assert to_space is not None
    device.clock.spend(device.copy_ns(size))
    device.advance()
    if size:
        to_space.write(target.addr, from_space.read(source.addr, size))


def unsupported_copy(context: KernelContext, func: str, source: Placement, target: Placement) -> Status:
    """Say that there is no copy between two places. GE has this text twice; which kernel has which is not known."""
    text = f"unsupported copy form placement {source.ge_name} to {target.ge_name}"
    return context.error(("memory_copy.cc", 345, func), text)


def _space(device: Device, placement: Placement) -> AddressSpace | None:
    if placement.on_host:
        return device.host
    return device.hbm if placement.on_device else None


def _queue(device: Device, stream: int, begin: Callable[[], Finish], target: Span, size: int, cost_ns: int) -> None:
    writes = ((target.addr, size),) if target.placement.on_device else ()

    def run() -> None:
        begin()()

    task = Task("MEMCPY_ASYNC", run, cost_ns, MEMCPY, begin, writes=writes)
    device.launch(device.stream(stream), task)


def _written(space: AddressSpace, addr: int, data: bytes) -> Callable[[], Finish]:
    return lambda: lambda: space.write(addr, data)


def _moved(source: AddressSpace, from_addr: int, target: AddressSpace, to_addr: int, size: int) -> Callable[[], Finish]:
    def begin() -> Finish:
        data = source.read(from_addr, size)
        return lambda: target.write(to_addr, data)

    return begin
