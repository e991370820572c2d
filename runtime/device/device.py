"""A device: its memory, its streams, and the host program's heap, all from one profile and one seed.

Everything a program would learn from the driver is decided here, so that the same seed gives the same pointers,
stream numbers and times wherever they are printed.
"""

from random import Random

from getrace.errors import InternalError
from runtime.device.address_space import AddressSpace
from runtime.device.profiles import DeviceProfile
from runtime.device.stream import Stream, Task, TaskId
from runtime.device.virtual_clock import VirtualClock

STREAM_NOT_IN_CONTEXT = 107003
"""``ACL_ERROR_RT_STREAM_CONTEXT``: the handle is no stream of the current context."""

_HBM_BASE = 0x12C041200000
_HOST_BASE = 0xAAAB10000000
_HOST_ALIGN = 16
_ASLR_PAGES = 4096
_STREAM_OBJECT = 0x2A0
_MICROSECOND = 1000


class Device:
    """Device ``device_id`` of a profile. ``seed`` decides addresses, stream numbers and the jitter of time.

    ``streams`` are by handle; the null handle is the default stream.
    """

    def __init__(self, profile: DeviceProfile, *, seed: int, start_ns: int, device_id: int = 0) -> None:
        random = Random(seed)  # noqa: S311 - reproducible, not secret
        self.profile = profile
        self.device_id = device_id
        self.clock = VirtualClock(start_ns, random, profile["record_ns"])
        self.hbm = AddressSpace(_HBM_BASE, align=profile["huge_page"], capacity=profile["hbm_bytes"])
        self.host = AddressSpace(_HOST_BASE + (random.randrange(_ASLR_PAGES) << 12), align=_HOST_ALIGN)
        default = Stream(0, 0, self.clock, latency_ns=profile["task_latency_ns"])
        self.streams: dict[int, Stream] = {default.handle: default}
        self._ended_busy_ns = 0
        self._next_stream = random.randrange(2, 40)

    @property
    def total_bytes(self) -> int:
        """Size of the HBM (``aclrtGetMemInfo(ACL_HBM_MEM)``)."""
        return self.profile["hbm_bytes"]

    @property
    def device_time_ns(self) -> int:
        """How long the streams have been at work in all."""
        return self._ended_busy_ns + sum(stream.busy_ns for stream in self.streams.values())

    def pointer(self, size: int) -> int:
        """Give the host pointer of an object of ``size`` bytes."""
        return self.host.reserve(size)

    def malloc(self, size: int) -> int | None:
        """``aclrtMalloc``: the address of new HBM, or None when there is none left."""
        self.clock.spend(self.profile["driver_malloc_ns"])
        return self.hbm.malloc(size)

    def free(self, address: int) -> None:
        """``aclrtFree``: give HBM back at once. It waits for nothing: work that still uses the memory dies of it."""
        self.clock.spend(self.profile["driver_free_ns"])
        self.hbm.free(address)

    def create_stream(self) -> Stream:
        """``rtStreamCreateWithFlags``."""
        latency = self.profile["task_latency_ns"]
        stream = Stream(self.pointer(_STREAM_OBJECT), self._next_stream, self.clock, latency_ns=latency)
        self._next_stream += 1
        self.streams[stream.handle] = stream
        return stream

    def destroy_stream(self, stream: Stream) -> None:
        """``rtStreamDestroy``: the work on it is finished first, then its handle is none any more.

        Raises InternalError for the default stream and for one that was destroyed before.
        """
        if stream.handle == 0:
            raise InternalError("the default stream cannot be destroyed")
        self.stream(stream.handle).synchronize()
        self._ended_busy_ns += stream.busy_ns
        del self.streams[stream.handle]

    def stream(self, handle: int) -> Stream:
        """Give the stream of a handle. Raises InternalError for a handle that is none."""
        if handle not in self.streams:
            raise InternalError(f"0x{handle:x} is no stream of device {self.device_id}")
        return self.streams[handle]

    def launch(self, stream: Stream, task: Task) -> TaskId:
        """Put a task on a stream. Whatever the device has begun by now is computed first."""
        self.clock.spend(self.profile["launch_ns"])
        self.advance()
        return stream.launch(task)

    def advance(self) -> None:
        """Let every stream come to the host's time."""
        now = self.clock.ns
        for stream in self.streams.values():
            stream.advance(now)

    def synchronize(self, handle: int) -> int:
        """``aclrtSynchronizeStream``: 0, the code of the stream's fault, or STREAM_NOT_IN_CONTEXT for no stream."""
        self.clock.spend(self.profile["sync_ns"])
        stream = self.streams.get(handle)
        return STREAM_NOT_IN_CONTEXT if stream is None else stream.synchronize()

    def copy_ns(self, size: int) -> int:
        """How long ``size`` bytes take between host and device."""
        return self.profile["kernel_ns"] + size * _MICROSECOND // self.profile["host_bandwidth"]

    def kernel_ns(self, size: int) -> int:
        """How long a kernel takes that moves ``size`` bytes of HBM."""
        return self.profile["kernel_ns"] + size * _MICROSECOND // self.profile["hbm_bandwidth"]
