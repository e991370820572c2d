"""A device: its memory, its streams, and the host program's heap, all from one profile and one seed.

Everything a program would learn from the driver is decided here, so that the same seed gives the same pointers,
stream numbers and times wherever they are printed.

Threads: every call that touches queues, memory or the clock holds the device's one lock, so threads of a host program
may share a device as they share a driver. Which of two threads comes first is their matter; a program that needs one
order of its launches, for the sake of a log, launches from one thread.
"""

from collections.abc import Mapping
from random import Random
from threading import RLock
from typing import Final, TypeVar

from getrace.errors import InternalError
from runtime.device.address_space import AddressSpace
from runtime.device.errors import NO_EVENT, NO_NOTIFY, NO_STREAM, STREAM_NOT_IN_CONTEXT, SYNC_TIMEOUT, ApiError
from runtime.device.events import Event, EventGate, EventSignal, Notify
from runtime.device.fault_plan import FaultPlan
from runtime.device.profiles import DeviceProfile
from runtime.device.reporting import Reporter
from runtime.device.stream import Stream
from runtime.device.tasks import EVENT_RECORD, EVENT_WAIT, NOTIFY_RECORD, NOTIFY_WAIT, DeviceFault, Task, TaskId
from runtime.device.timeline import Timeline
from runtime.device.units import cost_ns
from runtime.device.virtual_clock import VirtualClock

_HBM_BASE = 0x12C041200000
_HOST_BASE = 0xAAAB10000000
_HOST_ALIGN = 16
_ASLR_PAGES = 4096
_STREAM_OBJECT = 0x2A0
_EVENT_OBJECT = 0x90
_NOTIFY_OBJECT = 0x60
_BATCH: Final = 4096
"""Launches after which those that the device has come to are worked off: a host that never waits must not pile up."""

_Object = TypeVar("_Object", Event, Notify)


class Device:
    """Device ``device_id`` of a profile. ``seed`` decides addresses, stream numbers and the jitter of time.

    ``streams`` are by handle; the null handle is the default stream. ``faults`` is what shall go wrong. ``reporter``
    says what the RUNTIME module says, once it has a listener.
    """

    def __init__(
        self, profile: DeviceProfile, *, seed: int, start_ns: int, device_id: int = 0, faults: FaultPlan | None = None
    ) -> None:
        random = Random(seed)  # noqa: S311 - reproducible, not secret
        self.profile = profile
        self.device_id = device_id
        self.faults = faults or FaultPlan()
        self.reporter = Reporter(device_id)
        self.clock = VirtualClock(start_ns, random, profile["record_ns"])
        capacity = self.faults.capacity(profile["hbm_bytes"])
        self.hbm = AddressSpace(_HBM_BASE, align=profile["huge_page"], capacity=capacity)
        self.host = AddressSpace(_HOST_BASE + (random.randrange(_ASLR_PAGES) << 12), align=_HOST_ALIGN)
        self._timeline = Timeline()
        default = Stream(0, 0, self._timeline.add_lane(start_ns))
        self.streams: dict[int, Stream] = {default.handle: default}
        self._events: dict[int, Event] = {}
        self._notifies: dict[int, Notify] = {}
        self._ended_busy_ns = 0
        self._next_stream = random.randrange(2, 40)
        self._lock = RLock()

    @property
    def total_bytes(self) -> int:
        """Size of the HBM (``aclrtGetMemInfo(ACL_HBM_MEM)``)."""
        return self.profile["hbm_bytes"]

    @property
    def device_time_ns(self) -> int:
        """How long the streams have been at work in all."""
        return self._ended_busy_ns + sum(stream.busy_ns for stream in self.streams.values())

    @property
    def died_of(self) -> list[DeviceFault]:
        """What tasks have died of, in the order in which they died."""
        return self._timeline.faults

    def pointer(self, size: int) -> int:
        """Give the host pointer of an object of ``size`` bytes."""
        with self._lock:
            return self.host.reserve(size)

    def malloc(self, size: int) -> int | None:
        """``aclrtMalloc``: the address of new HBM, or None when there is none left."""
        with self._lock:
            self.clock.spend(self.profile["driver_malloc_ns"])
            return None if self.faults.refuses_malloc() else self.hbm.malloc(size)

    def free(self, address: int) -> None:
        """``aclrtFree``: give HBM back at once. It waits for nothing: work that still uses the memory dies of it."""
        with self._lock:
            self.clock.spend(self.profile["driver_free_ns"])
            self.advance()
            self.hbm.free(address)

    def create_stream(self) -> Stream:
        """``rtStreamCreateWithFlags``: a new stream. Raises ApiError when the device has no more."""
        with self._lock:
            if self.faults.strikes("stream") or len(self.streams) > self.profile["max_streams"]:
                raise self._refused(NO_STREAM, "rtStreamCreateWithFlags", "there is no stream left")
            lane = self._timeline.add_lane(self.clock.ns)
            stream = Stream(self.pointer(_STREAM_OBJECT), self._next_stream, lane)
            self._next_stream += 1
            self.streams[stream.handle] = stream
            self.reporter.created(stream)
            return stream

    def available_streams(self) -> int:
        """``aclrtGetStreamAvailableNum``: how many streams could still be made."""
        with self._lock:
            return self.profile["max_streams"] - (len(self.streams) - 1)

    def destroy_stream(self, stream: Stream) -> None:
        """``rtStreamDestroy``: the work on it is finished first, then its handle is none any more.

        Tasks that wait for something that nobody has promised are given up. Raises InternalError for the default
        stream and for one that was destroyed before.
        """
        with self._lock:
            if stream.handle == 0:
                raise InternalError("the default stream cannot be destroyed")
            self._finish(self.stream(stream.handle))
            self._timeline.forget([stream])
            self._ended_busy_ns += stream.busy_ns
            del self.streams[stream.handle]
            self.reporter.destroyed(stream)

    def stream(self, handle: int) -> Stream:
        """Give the stream of a handle. Raises InternalError for a handle that is none."""
        if handle not in self.streams:
            raise InternalError(f"0x{handle:x} is no stream of device {self.device_id}")
        return self.streams[handle]

    def create_event(self) -> int:
        """``aclrtCreateEventExWithFlag``: the handle of a new event. Raises ApiError when there are no more."""
        with self._lock:
            if self.faults.strikes("event") or len(self._events) >= self.profile["max_events"]:
                raise self._refused(NO_EVENT, "rtEventCreateExWithFlag", "there is no event left")
            event = Event(self.pointer(_EVENT_OBJECT))
            self._events[event.handle] = event
            return event.handle

    def destroy_event(self, handle: int) -> None:
        """``aclrtDestroyEvent``. Raises InternalError for a handle that is none."""
        with self._lock:
            _known(self._events, handle, "event")
            del self._events[handle]

    def create_notify(self) -> int:
        """``aclrtCreateNotify``: the handle of a new notify. Raises ApiError when there are no more."""
        with self._lock:
            if self.faults.strikes("notify") or len(self._notifies) >= self.profile["max_notifies"]:
                raise self._refused(NO_NOTIFY, "rtNotifyCreate", "there is no notify left")
            notify = Notify(self.pointer(_NOTIFY_OBJECT))
            self._notifies[notify.handle] = notify
            return notify.handle

    def destroy_notify(self, handle: int) -> None:
        """``aclrtDestroyNotify``. Raises InternalError for a handle that is none."""
        with self._lock:
            _known(self._notifies, handle, "notify")
            del self._notifies[handle]

    def launch(self, stream: Stream, task: Task) -> TaskId:
        """Put a task on a stream. Raises ApiError when a fault of the plan strikes this call."""
        with self._lock:
            self.clock.spend(self.profile["launch_ns"])
            try:
                self.faults.on_launch(task, self)
            except ApiError as error:
                self.reporter.call_failed(error.code, task.kind.call)
                raise
            return self._put(stream, task)

    def record_event(self, stream: Stream, handle: int) -> None:
        """``aclrtRecordEvent``: the event happens when the stream has come so far."""
        with self._lock:
            self.clock.spend(self.profile["launch_ns"])
            event = _known(self._events, handle, "event")
            number = event.ask()
            signal = None if self.faults.strikes("lost-event") else EventSignal(event, number)
            self._put(stream, Task("EVENT_RECORD", cost_ns=self._event_ns, kind=EVENT_RECORD, signal=signal))

    def wait_event(self, stream: Stream, handle: int) -> None:
        """``aclrtStreamWaitEvent``: what follows on the stream begins when the event has happened."""
        with self._lock:
            self.clock.spend(self.profile["launch_ns"])
            event = _known(self._events, handle, "event")
            gate = EventGate(event, event.wanted())
            self._put(stream, Task("STREAM_WAIT_EVENT", cost_ns=self._event_ns, kind=EVENT_WAIT, gate=gate))

    def record_notify(self, stream: Stream, handle: int) -> None:
        """``aclrtRecordNotify``: set the notify when the stream has come so far."""
        with self._lock:
            self.clock.spend(self.profile["launch_ns"])
            notify = _known(self._notifies, handle, "notify")
            self._put(stream, Task("NOTIFY_RECORD", cost_ns=self._event_ns, kind=NOTIFY_RECORD, signal=notify))

    def wait_notify(self, stream: Stream, handle: int) -> None:
        """``aclrtWaitAndResetNotify``: go on when the notify is set, and take it away."""
        with self._lock:
            self.clock.spend(self.profile["launch_ns"])
            notify = _known(self._notifies, handle, "notify")
            self._put(stream, Task("NOTIFY_WAIT", cost_ns=self._event_ns, kind=NOTIFY_WAIT, gate=notify))

    def advance(self) -> None:
        """Let every stream come to the host's time."""
        with self._lock:
            self._timeline.run_until(self.clock.ns)

    def synchronize(self, handle: int) -> int:
        """``aclrtSynchronizeStreamWithTimeout``: wait until a stream has done everything launched so far.

        Gives 0, the code of what it died of, SYNC_TIMEOUT when it waits for something that nobody has promised, or
        STREAM_NOT_IN_CONTEXT for no stream.
        """
        with self._lock:
            self.clock.spend(self.profile["sync_ns"])
            stream = self.streams.get(handle)
            if stream is None:
                return STREAM_NOT_IN_CONTEXT
            self.reporter.waits(stream)
            self._finish(stream)
            self.reporter.synchronized(stream, self._timeline.finished)
            if stream.fault is not None:
                stream.fault.told = True
                return stream.fault.code
            if stream.is_stuck:
                self.clock.wait_until(self.clock.ns + self.profile["sync_timeout_ns"])
                self.reporter.timed_out(stream)
                return SYNC_TIMEOUT
            stream.is_settled = True
            return 0

    def is_settled(self, handle: int) -> bool:
        """Whether the host has waited for everything launched on a stream; a handle that is none has nothing to do."""
        stream = self.streams.get(handle)
        return stream is None or stream.is_settled

    def abort(self) -> None:
        """``aclrtDeviceTaskAbort``: give up what has not begun on any stream, and what is on its way with events."""
        with self._lock:
            self._timeline.run_until(self.clock.ns)
            self._timeline.forget(list(self.streams.values()))
            for event in self._events.values():
                event.reset()
            for notify in self._notifies.values():
                notify.reset()

    def cost_ns(self, unit: str, size: int = 0) -> int:
        """Give how long a unit (``units.COSTS``) takes for a task that moves ``size`` bytes."""
        return cost_ns(self.profile, unit, size)

    def copy_ns(self, size: int) -> int:
        """How long ``size`` bytes take between host and device."""
        return self.cost_ns("host_copy", size)

    def kernel_ns(self, size: int) -> int:
        """How long a kernel takes that moves ``size`` bytes of HBM."""
        return self.cost_ns("aicore", size)

    def _refused(self, code: int, call: str, text: str) -> ApiError:
        self.reporter.call_failed(code, call)
        return ApiError(code, text)

    @property
    def _event_ns(self) -> int:
        return self.profile["event_ns"]

    def _put(self, stream: Stream, task: Task) -> TaskId:
        number = stream.number(task)
        self._timeline.put(stream, task, self.clock.ns + self.profile["task_latency_ns"])
        if self.reporter.listener is not None:
            self._timeline.keeps = self.reporter.is_verbose
            self.reporter.launched(stream, task)
        if self._timeline.untimed >= _BATCH:
            self.advance()
        return number

    def _finish(self, stream: Stream) -> None:
        self._timeline.settle()
        until = max(self.clock.ns, self._timeline.free[stream.lane])
        self.clock.wait_until(until)
        self._timeline.run_until(until)


def _known(objects: Mapping[int, _Object], handle: int, what: str) -> _Object:
    if handle not in objects:
        raise InternalError(f"0x{handle:x} is no {what} of this device")
    return objects[handle]
