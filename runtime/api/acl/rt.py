"""``aclrt…``: memory and streams of the device, as far as a program that runs models needs them (``acl.rt``)."""

from enum import IntEnum

import numpy as np

from runtime.api.acl.resources import AclResources
from runtime.api.error_codes import AclError
from runtime.api.ge_process import GeProcess
from runtime.device.errors import STREAM_NOT_IN_CONTEXT, ApiError
from runtime.ops.op_def import Array


class MemcpyKind(IntEnum):
    """``aclrtMemcpyKind``."""

    HOST_TO_HOST = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3


class Runtime:
    """``acl.rt``: the device of one process. Calls that give a value give a status behind it."""

    def __init__(self, process: GeProcess, resources: AclResources) -> None:
        self._device = process.device
        self._resources = resources

    def malloc(self, size: int) -> tuple[int, int]:
        """``aclrtMalloc``: memory of the device."""
        address = self._device.malloc(size) if size > 0 else None
        if address is None:
            return 0, AclError.INVALID_PARAM if size <= 0 else AclError.BAD_ALLOC
        return address, AclError.NONE

    def free(self, address: int) -> int:
        """``aclrtFree``. Raises AddressFaultError for an address that is none, as the driver would end the process."""
        self._device.free(address)
        return AclError.NONE

    def malloc_host(self, size: int) -> tuple[int, int]:
        """``aclrtMallocHost``: memory of the host that the device can reach."""
        address = self._device.host.malloc(size) if size > 0 else None
        return (0, AclError.INVALID_PARAM) if address is None else (address, AclError.NONE)

    def free_host(self, address: int) -> int:
        """``aclrtFreeHost``. Raises AddressFaultError for an address that is none."""
        self._device.host.free(address)
        return AclError.NONE

    def memcpy(self, target: int, room: int, source: int, size: int, kind: MemcpyKind) -> int:
        """``aclrtMemcpy``: copy now; ``room`` is how much the target holds."""
        if size > room:
            return AclError.INVALID_PARAM
        device, host = self._device.hbm, self._device.host
        read = device if kind in (MemcpyKind.DEVICE_TO_HOST, MemcpyKind.DEVICE_TO_DEVICE) else host
        write = device if kind in (MemcpyKind.HOST_TO_DEVICE, MemcpyKind.DEVICE_TO_DEVICE) else host
        if size:
            self._device.clock.spend(self._device.copy_ns(size))
            write.write(target, read.read(source, size))
        return AclError.NONE

    def copy_in(self, array: Array) -> tuple[int, int]:
        """Put an array into new memory of the device: ``malloc`` and ``memcpy`` in one, for programs in Python."""
        address, status = self.malloc(max(array.nbytes, 1))
        if not status and array.nbytes:
            self._device.clock.spend(self._device.copy_ns(array.nbytes))
            self._device.hbm.write(address, np.ascontiguousarray(array).tobytes())
        return address, status

    def copy_out(self, address: int, like: Array) -> Array:
        """Read an array of the shape and type of ``like`` from the device."""
        if not like.nbytes:
            return like.copy()
        self._device.clock.spend(self._device.copy_ns(like.nbytes))
        return np.frombuffer(self._device.hbm.read(address, like.nbytes), like.dtype).reshape(like.shape).copy()

    def create_stream(self) -> tuple[int, int]:
        """``aclrtCreateStream``; gives the driver's code when the device has no further stream."""
        try:
            return self._device.create_stream().handle, AclError.NONE
        except ApiError as error:
            return 0, error.code

    def synchronize_stream(self, stream: int) -> int:
        """``aclrtSynchronizeStream``: 0, or the driver's code of what died."""
        return self._device.synchronize(stream)

    def destroy_stream(self, stream: int) -> int:
        """``aclrtDestroyStream``: wait for it, drop the allocators that belong to it, and end it."""
        if stream == 0 or stream not in self._device.streams:
            return STREAM_NOT_IN_CONTEXT
        self._device.synchronize(stream)
        self._resources.forget_stream(stream)
        self._device.destroy_stream(self._device.stream(stream))
        return AclError.NONE
