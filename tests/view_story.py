"""A small run, written out by hand, that the tests of views look at: two streams, three executions, one fault."""

from getrace.clock import parse_time, plog_time
from getrace.events import Event, Level, Origin
from getrace.events.device import KernelFault
from getrace.events.launch import Launch, TaskIds
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import BirthRecycle, MemAlloc, MemFree
from getrace.events.shapes import ShapesIn, ShapesOut
from getrace.events.streams import EventSent, EventWaited, StreamSplit
from getrace.events.text import LogLine
from getrace.events.tiling import Tiling
from getrace.store.live import LiveStore

START = parse_time("2026-03-05T10:11:12.130001")
ORIGIN = Origin(pid=4711, process="demo", tid=4718, stage="main")
KIB = 1024


def spell(time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event) -> str:
    """Give a line that looks like a log's, without the codec."""
    said = event.text if isinstance(event, LogLine) else event.kind
    name = "" if kernel is None else f"[KernelTrace][{kernel}]"
    prefix = f"[{level.name}] GE({origin.pid},{origin.process}):{plog_time(time_ns)}"
    return f"{prefix} [story.cc:1]{origin.tid} Run:{name}{said}"


class Story:
    """Publishes into a live store; each event comes ``step_us`` after the one before."""

    def __init__(self, step_us: int = 20) -> None:
        self.store = LiveStore("demo", spell)
        self._now = START
        self._step = step_us * 1000

    def say(
        self,
        event: Event,
        kernel: str | None = None,
        level: Level = Level.INFO,
        tid: int = 4718,
        pid: int = ORIGIN.pid,
    ) -> None:
        """Publish one event."""
        self.store(self._now, Origin(pid, ORIGIN.process, tid, "main"), level, kernel, event)
        self._now += self._step

    def line(self, text: str, level: Level = Level.INFO) -> None:
        """Publish an ordinary log line."""
        self.say(LogLine("GE", "model_v2.cc", 120, "Execute", text), level=level)


def run_story() -> LiveStore:
    """Init, Main twice (the second faults on the device), over logical streams 0 and 1; 46 rows."""
    story = Story()
    story.line("Load model demo success.")
    story.say(ModelStart())
    story.say(KernelEnd(), "CreateL2Allocators_1")
    story.say(StreamSplit(handle=0xAA00, stream=0, rt_stream=5), "SplitRtStreams_2")
    story.say(StreamSplit(handle=0xAA08, stream=1, rt_stream=6), "SplitRtStreams_2")
    story.say(ModelEnd())
    main(story)
    story.say(ModelEnd())
    main(story)
    fault = KernelFault("aicore", 0, 6, 6, 18, 0, "2_0_11_Relu", "retCode=0x26")
    story.say(fault, level=Level.ERROR)
    story.line("Execute model failed, ret 507015.", Level.ERROR)
    story.store.poll()
    return story.store


def main(story: Story) -> None:
    """Run Add on stream 0 and Relu on stream 1."""
    story.say(ModelStart())
    shape = (("ND", "float32", (2, 75)),)
    story.say(ShapesIn(original=shape, storage=shape), "InferShape_add1_60")
    story.say(ShapesOut(original=shape, storage=shape), "InferShape_add1_60")
    story.say(Tiling(size=16, data=bytes(16), key=3, block_dim=8), "Tiling_add1_61")
    story.say(
        MemAlloc(block=0xB0, addr=0x12C041200000, size=64 * KIB, stream=0, asked=600, index=0), "AllocMemHbm_add1_62"
    )
    story.say(Launch(binary=0xF0, block_dim=8, args=0xC0, handle=0xAA00), "LaunchKernelWithHandle_add1_63")
    story.say(TaskIds(rt_stream=5, task=17, flip=0, flip_task=17), "LaunchKernelWithHandle_add1_63")
    story.say(EventSent(event_id=0, handle=0xE0, stream=0), "SendEvents_add1_64")
    story.say(EventWaited(event_id=0, handle=0xE0, stream=1), "WaitEvents_relu1_65")
    story.say(
        MemAlloc(block=0xB8, addr=0x12C041210000, size=128 * KIB, stream=1, asked=600, index=0), "AllocMemHbm_relu1_66"
    )
    story.say(Launch(binary=0xF8, block_dim=8, args=0xC8, handle=0xAA08), "LaunchKernelWithHandle_relu1_67")
    story.say(TaskIds(rt_stream=6, task=18, flip=0, flip_task=18), "LaunchKernelWithHandle_relu1_67")
    story.say(MemFree(addr=0x12C041200000, stream=0), "FreeMemory_add1_68")
    story.say(BirthRecycle(stream=0, addr=0x12C041200000), "FreeMemory_add1_68")
    story.say(MemFree(addr=0x12C041210000, stream=1), "FreeMemory_relu1_69")
    story.say(BirthRecycle(stream=1, addr=0x12C041210000), "FreeMemory_relu1_69")
    story.line("Memory of stream 1 is low.", Level.WARNING)


def two_processes() -> LiveStore:
    """Two processes that both use RT stream 2; one of them launches on a stream that nothing names, too."""
    story = Story()
    for pid in (370, 1204):
        for event, kernel in (
            (ModelStart(), None),
            (Launch(binary=0xF0, block_dim=8, args=0xC0, handle=0xAA00), "LaunchKernelWithHandle_add1_63"),
            (TaskIds(rt_stream=2, task=17, flip=0, flip_task=17), "LaunchKernelWithHandle_add1_63"),
            (ModelEnd(), None),
        ):
            story.say(event, kernel, tid=7, pid=pid)
    story.say(Launch(binary=0xF0, block_dim=8, args=0xC0, handle=0xBB00), "LaunchKernelWithHandle_x_1", pid=1204)
    story.store.poll()
    return story.store
