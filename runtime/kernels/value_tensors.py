"""Inputs of shape inference and tiling as an operator's host code sees them, with their values where they are known.

A shape slot may hold a whole tensor on the host (spec/lowering.md 1.5, 5.1). Its bytes are read when the operator asks
for them and not before: most operators look at shapes alone.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from runtime.device.address_space import AddressSpace
from runtime.kernels.sizes import unaligned_size
from runtime.ops.tensor import InputTensor
from runtime.values import Tensor


def tensors_of(host: AddressSpace, values: Sequence[Any]) -> tuple[InputTensor | None, ...]:
    """Give an entry per value, None for one that is a shape alone or lies where the host cannot read it."""
    return tuple(_tensor_of(host, value) for value in values)


def _tensor_of(host: AddressSpace, value: Any) -> InputTensor | None:
    if not isinstance(value, Tensor) or value.data is None or not value.placement.on_host or value.data.addr == 0:
        return None
    size = unaligned_size(value.dtype, value.shape.storage)
    return InputTensor(value.shape, value.dtype, partial(_read, host, value.data.addr, size))


def _read(host: AddressSpace, address: int, size: int) -> bytes:
    return host.read(address, size) if size else b""
