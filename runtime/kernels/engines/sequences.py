"""Sequences of tensors in a container of the host; an operator passes a handle on (spec/lowering.md 4.11, 11.N).

A sequence does not copy its tensors: it becomes one more owner of their bytes, until its container is cleared behind
the last kernel of a step.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from runtime.kernels.context import KernelContext
from runtime.kernels.engine_state import Container, Item
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.tensor_build import build_outputs
from runtime.memory.l2 import GertAllocator
from runtime.memory.tensor_data import GertTensorData, give_out, take_in
from runtime.values import DType, Shape, StorageShape, Tensor

_HANDLE: Final = Shape()
_PLACE = ("sequence_ops.cc", 0, "SequenceCompute")
_SESSION, _CONTAINER = 0, 1


def create_session(context: KernelContext) -> int:
    """Make the session's containers, and give the session's number back."""
    context.machine.engines.sessions.setdefault(context.input(0), defaultdict(Container))
    context.set(0, context.input(0))
    return Status.SUCCESS


def destroy_session(context: KernelContext) -> int:
    """Clear all containers of the session."""
    for container in context.machine.engines.sessions.pop(context.input(0), {}).values():
        container.clear()
    return Status.SUCCESS


def clear_container(context: KernelContext) -> int:
    """End a step: no handle means anything any more."""
    container_of(context).clear()
    return Status.SUCCESS


def container_of(context: KernelContext) -> Container:
    """Give the container that a kernel names with its first two inputs."""
    containers = context.machine.engines.sessions.setdefault(context.input(_SESSION), defaultdict(Container))
    return containers[context.input(_CONTAINER)]


def empty(context: KernelContext) -> int:
    """Make a sequence without tensors."""
    return _give_handle(context, [])


def construct(context: KernelContext) -> int:
    """Make a sequence of all inputs: pairs of address and shape."""
    values = [cell.value for cell in context.inputs[3:-1]]
    items = [_item(context, at, *values[2 * at : 2 * at + 2]) for at in range(len(values) // 2)]
    return _give_handle(context, items)


def insert(context: KernelContext) -> int:
    """Make a sequence with one tensor more: at the place that is given, else at the end."""
    _, _, count, handle, data, shape, *place = (cell.value for cell in context.inputs[:-1])
    items = _sequence(context, handle)
    if items is None:
        return _no_sequence(context)
    at = len(items) if not place else _number(context, place[0], int(count) - 1)
    if not -len(items) <= at <= len(items):
        return context.kernel_error(_PLACE, f"index {at} is out of range of a sequence of {len(items)}")
    at = at + len(items) if at < 0 else at
    return _give_handle(context, [*_again(items[:at]), _item(context, 1, data, shape), *_again(items[at:])])


def erase(context: KernelContext) -> int:
    """Make a sequence with one tensor less: the one at the place that is given, else the last."""
    _, _, count, handle, *place = (cell.value for cell in context.inputs[:-1])
    items = _sequence(context, handle)
    if items is None:
        return _no_sequence(context)
    at = _valid(context, items, -1 if not place else _number(context, place[0], int(count) - 1))
    if at is None:
        return Status.FAILED
    return _give_handle(context, _again([*items[:at], *items[at + 1 :]]))


def tensor_at(context: KernelContext) -> int:
    """Give a tensor of a sequence."""
    _, _, handle, place = (cell.value for cell in context.inputs)
    items = _sequence(context, handle)
    if items is None:
        return _no_sequence(context)
    at = _valid(context, items, _number(context, place, 1))
    if at is None:
        return Status.FAILED
    tensor: Tensor = context.output(0)
    assert tensor.data is not None
    tensor.shape = StorageShape(items[at].shape, items[at].shape)
    tensor.dtype = items[at].dtype
    give_out(items[at].data, tensor.data)
    return Status.SUCCESS


def length(context: KernelContext) -> int:
    """Count the tensors."""
    items = _sequence(context, context.input(2))
    if items is None:
        return _no_sequence(context)
    return _write(context, len(items))


def shape_of_tensor(context: KernelContext) -> int:
    """Give the shape of a tensor that came out of a sequence."""
    tensor: Tensor = context.input(0)
    context.set(0, StorageShape(tensor.shape.origin, tensor.shape.storage))
    return Status.SUCCESS


def address_of_tensor(context: KernelContext) -> int:
    """Give the address of a tensor that came out of a sequence, as one more owner of its bytes."""
    tensor: Tensor = context.input(0)
    allocator: GertAllocator = context.input(1)
    data: GertTensorData = context.output(0)
    assert tensor.data is not None
    take_in(tensor.data, data, allocator, tensor.data.placement)
    return Status.SUCCESS


def shape_outputs(context: KernelContext, shape: Shape = _HANDLE) -> int:
    """Make the shape of a handle; other kernels replace it."""
    context.set(0, StorageShape(shape, shape))
    return Status.SUCCESS


def handle_shape(_context: KernelContext) -> int:
    """Run nothing: a handle is a scalar, which was written when the executor was built."""
    return Status.SUCCESS


def give_handle(context: KernelContext, container: Container, items: list[Item]) -> int:
    """Keep a sequence and write its handle into the kernel's last input."""
    return _write(context, container.put(items))


def _give_handle(context: KernelContext, items: list[Item]) -> int:
    return give_handle(context, container_of(context), items)


def _write(context: KernelContext, number: int) -> int:
    tensor: Tensor = context.inputs[-1].value
    assert tensor.data is not None
    dtype = tensor.dtype.numpy if tensor.dtype is not DType.RESOURCE else np.dtype("<i8")
    context.machine.device.host.write(tensor.data.addr, np.array(number, dtype).tobytes())
    return Status.SUCCESS


def _item(context: KernelContext, slot: int, data: GertTensorData, shape: Any) -> Item:
    descs = context.compute_node.inputs
    kept = GertTensorData()
    kept.share_from(data)
    return Item(shape_of(shape).storage, descs[min(slot, len(descs) - 1)].dtype, kept)


def _again(items: Sequence[Item]) -> list[Item]:
    """Let another sequence own the same tensors."""
    return [Item(item.shape, item.dtype, _shared(item.data)) for item in items]


def _shared(data: GertTensorData) -> GertTensorData:
    kept = GertTensorData()
    kept.share_from(data)
    return kept


def _sequence(context: KernelContext, handle: GertTensorData) -> list[Item] | None:
    raw = context.machine.device.host.read(handle.addr, 8)
    return container_of(context).sequences.get(int.from_bytes(raw, "little"))


def _no_sequence(context: KernelContext) -> int:
    return context.kernel_error(_PLACE, "the handle means no sequence of this step")


def _number(context: KernelContext, data: GertTensorData, slot: int) -> int:
    dtype = context.compute_node.inputs[slot].dtype
    return int(np.frombuffer(context.machine.device.host.read(data.addr, dtype.size), dtype.numpy)[0])


def _valid(context: KernelContext, items: list[Item], at: int) -> int | None:
    if not -len(items) <= at < len(items):
        context.kernel_error(_PLACE, f"index {at} is out of range of a sequence of {len(items)}")
        return None
    return at % len(items)


_shaped = partial(Kernel, outputs_creator=shape_outputs)

KERNELS: Final = (
    Kernel("CreateSession", create_session),
    Kernel("DestroySession", destroy_session),
    Kernel("ClearContainer", clear_container),
    Kernel("SequenceEmptyCompute", empty),
    Kernel("SequenceConstructCompute", construct),
    Kernel("SequenceInsertCompute", insert),
    Kernel("SequenceEraseCompute", erase),
    Kernel("SequenceAtCompute", tensor_at, outputs_creator=build_outputs),
    Kernel("SequenceLengthCompute", length),
    _shaped("BuildInferShapeFromTensorCompute", shape_of_tensor),
    Kernel(
        "BuildAddrFromTensorCompute", address_of_tensor, outputs_creator=tensor_data_outputs, critical_section=MEMORY
    ),
    _shaped("GetSequenceHandleShape", handle_shape),
)
