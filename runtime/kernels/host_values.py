"""Reading numbers that lie in host memory, for kernels that decide by a value instead of passing it on."""

from typing import Protocol

import numpy as np

from getrace.errors import InternalError
from runtime.device.device import Device
from runtime.ops.op_def import Array
from runtime.values import DType, Placement, Shape


class Located(Protocol):
    """Tensor data of either kind."""

    @property
    def addr(self) -> int:
        """Where the bytes begin."""

    @property
    def placement(self) -> Placement:
        """In which memory they are."""


def host_array(device: Device, data: Located | None, dtype: DType, shape: Shape) -> Array:
    """Give a copy of the elements. Raises InternalError when there are none or they are not on the host."""
    if data is None or not data.placement.on_host:
        where = "nowhere" if data is None else data.placement.ge_name
        raise InternalError(f"a kernel wants to read host memory, but its tensor is at {where}")
    count = shape.elements
    raw = device.host.read(data.addr, count * dtype.numpy.itemsize) if count else b""
    return np.frombuffer(raw, dtype.numpy).reshape(shape)


def first_element(device: Device, data: Located | None, dtype: DType) -> np.generic:
    """Give the first element. Raises InternalError as ``host_array``."""
    found: np.generic = host_array(device, data, dtype, Shape((1,)))[0]
    return found
