"""Failing runs made by hand, and short words for what tests ask of a diagnosis."""

from dataclasses import dataclass

from handmade import HandLog

from getrace.analysis.failure import diagnose
from getrace.analysis.failure.model import Failure
from getrace.events import Level
from getrace.events.device import (
    ApiFailed,
    CoreError,
    ErrorDetected,
    KernelFault,
    KernelLaunched,
    StreamCreated,
    SyncFailed,
    TaskException,
    TaskFinished,
)
from getrace.events.launch import TaskIds
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.shapes import NodeType
from getrace.events.text import LogLine

ERROR = Level.ERROR


def failure_of(log: HandLog) -> Failure:
    failure = diagnose(log.store()).failure
    assert failure is not None
    return failure


def line(spot: object) -> int | None:
    return getattr(spot, "line", None)


def ge(text: str, func: str = "Execute", module: str = "GE") -> LogLine:
    return LogLine(module=module, file="x.cc", line=1, func=func, text=text)


@dataclass
class DeviceLog:
    """A run whose last kernel fails on the device, with the lines that a test wants to point at."""

    log: HandLog
    launch: int
    sign: int
    error: int
    cascade: list[int]


def launch(log: HandLog, kernel: str, stream: int, task: int) -> int:
    return log.say(TaskIds(rt_stream=stream, task=task, flip=0, flip_task=task), kernel)


def device_log(node: str = "GatherV2", stream: int = 2, task: int = 6, *, trace_task: bool = True) -> DeviceLog:
    """The shape of a real failure: an earlier good task, the failing launch, the fault, the cascade."""
    log = HandLog()
    kernel = f"LaunchKernelWithFlag_{node}_308"
    log.say(StreamCreated(stream, 0), module="RUNTIME")
    log.say(ModelStart())
    log.say(NodeType("GatherV2"), f"InferShape_{node}_226")
    launch(log, "AicpuLaunchTfKernel_Unique_168", stream, task - 2)
    log.say(TaskFinished(0, stream, task - 2, 1, "KERNEL_AICPU", 21), module="RUNTIME")
    log.say(KernelLaunched(stream, task, 0, f"2_0_11_{node}", 336), module="RUNTIME")
    at = launch(log, kernel, stream, task) if trace_task else 0
    log.say(KernelEnd(), f"FreeMemory_{node}_294")
    log.say(ModelEnd())
    sign = log.say(ErrorDetected("First", stream, task, 0x26), module="RUNTIME")
    error = log.say(
        TaskException(0, stream, task, 0, "KERNEL_AICORE", 0, 0x26, "aicore exception"), level=ERROR, module="RUNTIME"
    )
    log.say(ge("report error module_type=5", module="RUNTIME"), level=ERROR)
    log.say(CoreError(0, 367, "aicore", 0, 0x10, "pc start"), level=ERROR, module="RUNTIME", tid=1534205)
    fault = KernelFault("Aicore", 0, stream, stream, task, 0, f"2_0_11_{node}", "")
    log.say(fault, level=ERROR, module="RUNTIME")
    cascade = [log.say(SyncFailed(stream, 0x26, "aicore exception"), level=ERROR, module="RUNTIME")]
    log.say(fault, level=ERROR, module="RUNTIME")
    log.say(ge("Stream synchronize failed", module="RUNTIME"), level=ERROR)
    cascade.append(log.say(ApiFailed(507015, "aicore exception", 0x7150026), level=ERROR, module="RUNTIME"))
    cascade.append(log.say(ge("Assert ((rt_ret) == 0) failed", "DoRtStreamSyncWithTimeout"), level=ERROR))
    cascade.append(log.say(ge("DoRunAsync Failed", module="FMK"), level=ERROR))
    return DeviceLog(log, at, sign, error, cascade)
