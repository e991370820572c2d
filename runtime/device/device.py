"""A device: its memory, its streams, and the host program's heap, all from one profile and one seed.

Everything a program would learn from the driver is decided here, so that the same seed gives the same pointers,
stream numbers and times wherever they are printed.
"""

from random import Random

from runtime.device.address_space import AddressSpace
from runtime.device.profiles import DeviceProfile
from runtime.device.stream import Stream, Task, TaskId
from runtime.device.virtual_clock import VirtualClock

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
        self._next_stream = random.randrange(2, 40)

    @property
    def total_bytes(self) -> int:
        """Size of the HBM (``aclrtGetMemInfo(ACL_HBM_MEM)``)."""
        return self.profile["hbm_bytes"]

    @property
    def device_time_ns(self) -> int:
        """How long the streams have been at work in all."""
        return sum(stream.busy_ns for stream in self.streams.values())

    def pointer(self, size: int) -> int:
        """Give the host pointer of an object of ``size`` bytes."""
        return self.host.reserve(size)

    def malloc(self, size: int) -> int | None:
        """``aclrtMalloc``: the address of new HBM, or None when there is none left."""
        self.clock.spend(self.profile["driver_malloc_ns"])
        return self.hbm.malloc(size)

    def free(self, address: int) -> None:
        """``aclrtFree``: give HBM back, after the work that may still use it."""
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
        """``rtStreamDestroy``: the work on it is finished first."""
        stream.synchronize()

    def stream(self, handle: int) -> Stream:
        """Give the stream of a handle. Raises KeyError for a handle that is none."""
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
        """``aclrtSynchronizeStream``: 0, or the code of the stream's fault."""
        self.clock.spend(self.profile["sync_ns"])
        return self.stream(handle).synchronize()

    def copy_ns(self, size: int) -> int:
        """How long ``size`` bytes take between host and device."""
        return self.profile["kernel_ns"] + size * _MICROSECOND // self.profile["host_bandwidth"]

    def kernel_ns(self, size: int) -> int:
        """How long a kernel takes that moves ``size`` bytes of HBM."""
        return self.profile["kernel_ns"] + size * _MICROSECOND // self.profile["hbm_bandwidth"]
