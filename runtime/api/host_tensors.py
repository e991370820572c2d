"""Arrays of the caller as tensors of the simulated machine, and back.

The bytes are copied on the way in and on the way out, so nothing the caller does to an array later changes a run.
"""

import numpy as np

from runtime.api.inputs import Array, dtype_of
from runtime.device.device import Device
from runtime.device.errors import NO_MEMORY, ApiError
from runtime.memory.tensor_data import release
from runtime.values import Placement, StorageShape, Tensor, TensorData

_LINE = 32
"""Bytes that a copy on the device moves at once."""


def to_tensor(device: Device, array: Array) -> Tensor:
    """Put an array into host memory; the caller gives it back with ``free_host``."""
    size = array.nbytes
    address = device.host.malloc(max(size, 1))
    assert address is not None
    if size:
        device.host.write(address, array.tobytes())
    data = TensorData(address, size, Placement.HOST)
    return Tensor(StorageShape.same(array.shape), dtype_of(array), data=data)


def to_device(device: Device, array: Array) -> Tensor:
    """Put an array into device memory, with the room that copies want behind it; given back with ``free_device``.

    Raises ApiError when the device has no memory for it.
    """
    size = -(-max(array.nbytes, 1) // _LINE) * _LINE + _LINE
    address = device.malloc(size)
    if address is None:
        device.reporter.call_failed(NO_MEMORY, "rtMalloc")
        raise ApiError(NO_MEMORY, "there is no device memory for an input")
    if array.nbytes:
        device.clock.spend(device.copy_ns(array.nbytes))
        device.hbm.write(address, array.tobytes())
    data = TensorData(address, size, Placement.DEVICE_HBM)
    return Tensor(StorageShape.same(array.shape), dtype_of(array), data=data)


def free_device(device: Device, tensor: Tensor) -> None:
    """Give the device memory of a tensor back."""
    if tensor.data is not None and tensor.data.addr:
        device.free(tensor.data.addr)
        tensor.data = None


def free_host(device: Device, tensor: Tensor) -> None:
    """Give the host memory of a tensor back."""
    if tensor.data is not None and tensor.data.addr:
        device.host.free(tensor.data.addr)
        tensor.data = None


def to_array(device: Device, tensor: Tensor) -> Array:
    """Read a tensor, wherever it lies, into a new array."""
    shape, dtype = tuple(tensor.shape.storage), tensor.dtype.numpy
    size = tensor.shape.storage.elements * dtype.itemsize
    if size == 0 or tensor.data is None:
        return np.zeros(shape, dtype)
    space = device.host if tensor.placement.on_host else device.hbm
    return np.frombuffer(space.read(tensor.data.addr, size), dtype).reshape(shape).copy()


def free_output(tensor: Tensor) -> None:
    """Let go of an output that the runtime allocated."""
    if tensor.data is not None:
        release(tensor.data)
