"""What the RUNTIME module says of tasks on the device (spec/kerneltrace.md 6.1 R, 6.2)."""

from dataclasses import dataclass

from getrace.events.base import Event


class RuntimeEvent(Event):
    """What the RUNTIME module prints."""

    __slots__ = ()
    speaker = "RUNTIME"


@dataclass(frozen=True, slots=True, repr=False)
class KernelLaunched(RuntimeEvent):
    """RUNTIME LaunchKernel: a kernel was put on a stream under its fault name."""

    rt_stream: int
    task: int
    kernel_type: int
    fault_name: str
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class TaskSubmitted(RuntimeEvent):
    """A task went to the hardware queue."""

    rt_stream: int
    task: int
    type: int
    type_name: str


@dataclass(frozen=True, slots=True, repr=False)
class TaskListed(RuntimeEvent):
    """A task stands in the stream's list; its ids are the ones to trust."""

    rt_stream: int
    task: int
    type: int
    type_name: str
    head: int
    tail: int


@dataclass(frozen=True, slots=True, repr=False)
class TaskFinished(RuntimeEvent):
    """The host learned that a task is done (also printed for a failed task)."""

    device: int
    rt_stream: int
    task: int
    type: int
    type_name: str
    count: int


@dataclass(frozen=True, slots=True, repr=False)
class ErrorDetected(RuntimeEvent):
    """The first or last error code seen on a stream (``which``)."""

    which: str
    rt_stream: int
    task: int
    code: int


@dataclass(frozen=True, slots=True, repr=False)
class TaskException(RuntimeEvent):
    """A task failed on the device."""

    device: int
    rt_stream: int
    task: int
    type: int
    type_name: str
    failure_mode: int
    ret: int
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class CoreError(RuntimeEvent):
    """What a core says of itself: ``code`` is the error code, ``text`` the registers."""

    device: int
    serial: int
    core_kind: str
    core: int
    code: int
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class KernelFault(RuntimeEvent):
    """A kernel failed, under its fault name (``2_0_11_GatherV2``)."""

    core_kind: str
    device: int
    rt_stream: int
    report_stream: int
    task: int
    flip: int
    fault_name: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class SyncStarted(RuntimeEvent):
    """The host begins to wait for a stream."""

    rt_stream: int


@dataclass(frozen=True, slots=True, repr=False)
class SyncFailed(RuntimeEvent):
    """A synchronise came back with an error."""

    rt_stream: int
    ret: int
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class ApiFailed(RuntimeEvent):
    """An API call of RUNTIME failed with a code for the user."""

    code: int
    reason: str
    inner: int


@dataclass(frozen=True, slots=True, repr=False)
class StreamCreated(RuntimeEvent):
    """An RT stream begins to live; its number may have been another stream's before."""

    rt_stream: int
    flag: int


@dataclass(frozen=True, slots=True, repr=False)
class StreamDestroyed(RuntimeEvent):
    """An RT stream's life ends."""

    rt_stream: int


@dataclass(frozen=True, slots=True, repr=False)
class DumpPrepared(Event):
    """The exception dumper's note of which operator a task belongs to."""

    node: str
    task: int
    rt_stream: int


@dataclass(frozen=True, slots=True, repr=False)
class RuntimeMalloc(RuntimeEvent):
    """The driver gave ``size`` bytes at ``addr`` (printed in decimal)."""

    size: int
    type: int
    module: int
    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class RuntimeFree(RuntimeEvent):
    """The driver took memory back (address printed in decimal)."""

    addr: int


@dataclass(frozen=True, slots=True, repr=False)
class HostMalloc(RuntimeEvent):
    """Host memory was allocated."""

    size: int


@dataclass(frozen=True, slots=True, repr=False)
class DeviceMemory(RuntimeEvent):
    """Free device memory, and free huge pages, in bytes."""

    type: int
    second_type: int
    free: int
    huge_free: int
