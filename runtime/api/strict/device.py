"""StrictDevice: a device that notes what the constraints are about, and computes as any other.

It is a kind of device, so that nothing else has to ask whether strict mode is on.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from runtime.api.strict.violation import StrictModeError
from runtime.device.address_space import AddressSpace
from runtime.device.device import Device
from runtime.device.fault_plan import FaultPlan
from runtime.device.profiles import DeviceProfile
from runtime.device.stream import Stream
from runtime.device.tasks import Finish, Task, TaskId

_HOST_ALIGN: Final = 16


class _WatchedHost(AddressSpace):
    """The host's memory, which knows whether a task of the device is what reads it."""

    def __init__(self, base: int, late: Callable[[int, int], None]) -> None:
        super().__init__(base, align=_HOST_ALIGN)
        self._late = late

    def read(self, address: int, size: int) -> bytes:
        """Give bytes, and say so if the device reads them."""
        self._late(address, size)
        return super().read(address, size)


class StrictDevice(Device):
    """A device in strict mode. ``synchronized`` counts waits per stream, ``allocations`` those of the driver."""

    def __init__(
        self, profile: DeviceProfile, *, seed: int, start_ns: int, device_id: int = 0, faults: FaultPlan | None = None
    ) -> None:
        super().__init__(profile, seed=seed, start_ns=start_ns, device_id=device_id, faults=faults)
        self.host = _WatchedHost(self.host.base, self._note_late_read)
        self.synchronized: Counter[int] = Counter()
        self.allocations = 0
        self._running: str | None = None
        self._late_reads: list[str] = []

    def malloc(self, size: int) -> int | None:
        """``aclrtMalloc``, counted."""
        self.allocations += 1
        return super().malloc(size)

    def launch(self, stream: Stream, task: Task) -> TaskId:
        """Put a task on a stream, and see what it reads when the device comes to it."""
        task.run = self._watched(task.name, task.run)
        if task.begin is not None:
            task.begin = self._watched_begin(task.name, task.begin)
        return super().launch(stream, task)

    def synchronize(self, handle: int) -> int:
        """Wait for a stream. Raises StrictModeError for copies that took host bytes late."""
        status = super().synchronize(handle)
        self.synchronized[handle] += 1
        self.require_early_reads()
        return status

    def require_early_reads(self) -> None:
        """Raise StrictModeError when a task has read host memory since it was last asked."""
        if self._late_reads:
            said, self._late_reads = self._late_reads[0], []
            hint = "take the bytes at the call (HOST_TO_DEVICE_EX): the caller may change or free them before"
            raise StrictModeError(said, hint)

    def _watched(self, name: str, run: Callable[[], object]) -> Callable[[], object]:
        def watched() -> object:
            with self._inside(name):
                return run()

        return watched

    def _watched_begin(self, name: str, begin: Callable[[], Finish]) -> Callable[[], Finish]:
        def watched() -> Finish:
            with self._inside(name):
                return begin()

        return watched

    def _note_late_read(self, address: int, size: int) -> None:
        if self._running is not None:
            self._late_reads.append(
                f"task {self._running} reads {size} bytes of host memory at 0x{address:x} when the device comes to it"
            )

    @contextmanager
    def _inside(self, name: str) -> Iterator[None]:
        self._running = name
        try:
            yield
        finally:
            self._running = None
