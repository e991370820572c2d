"""Two streams of a made-up process, spoken line by line: what the tests of the happens-before check look at."""

from collections.abc import Callable

from view_story import Story

from getrace.events.launch import ArgsLayout, Launch, LaunchAddresses, LaunchWorkspaces, TaskIds
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import BirthRecycle, MemAlloc, MemFree
from getrace.events.pools import PoolShrink
from getrace.events.streams import EventSent, EventWaited, StreamSplit
from getrace.store.live import LiveStore

HANDLES = (0xAA00, 0xAA08, 0xAA10)
BLOCK = 0x12C041200000
OTHER = 0x12C041300000
PAGE = 0x10000

Word = tuple[object, ...]
"""What happens: a name of the table below, and its numbers."""


def streams_of(*words: Word, streams: int = 2, ended: bool = True) -> LiveStore:
    """Give the store of one Main run in which ``words`` happen, after the line of each stream.

    ``("give", stream, addr)``, ``("back", stream, addr)``, ``("shrink", addr)``, ``("use", stream, inputs, outputs)``,
    ``("work", stream, workspaces)``, ``("send", event, stream)``, ``("wait", event, stream)``, ``("sync",)``.
    """
    story = Story()
    story.say(ModelStart())
    for number, handle in enumerate(HANDLES[:streams]):
        story.say(StreamSplit(handle, number, 5 + number), "SplitRtStreams_2")
    for number, (name, *values) in enumerate(words):
        _SAYS[str(name)](story, number, *values)
    if ended:
        story.say(ModelEnd())
    story.store.poll()
    return story.store


def _give(story: Story, number: int, stream: int, addr: int) -> None:
    story.say(MemAlloc(0xB0, addr, PAGE, stream, 600, 0), f"AllocMemHbm_a_{number}")


def _back(story: Story, number: int, stream: int, addr: int) -> None:
    story.say(MemFree(addr, stream), f"FreeMemory_a_{number}")
    story.say(BirthRecycle(stream, addr), "")


def _use(story: Story, number: int, stream: int, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> None:
    kernel = f"LaunchKernelWithHandle_a_{number}"
    story.say(Launch(binary=0xF0, block_dim=8, args=0xC0, handle=HANDLES[stream]), kernel)
    story.say(TaskIds(5 + stream, number, 0, number), kernel)
    parts = (0, 8 * len(inputs), 0, 8 * len(outputs), 0, 0, 0, 0, 0, 0, 0)
    story.say(ArgsLayout(0, 0, *parts), kernel)
    story.say(LaunchAddresses((*inputs, *outputs)), kernel)


def _work(story: Story, number: int, stream: int, workspaces: tuple[int, ...]) -> None:
    kernel = f"LaunchKernelWithHandle_w_{number}"
    story.say(Launch(binary=0xF0, block_dim=8, args=0xC0, handle=HANDLES[stream]), kernel)
    story.say(LaunchWorkspaces(workspaces), kernel)


_SAYS: dict[str, Callable[..., None]] = {
    "give": _give,
    "back": _back,
    "use": _use,
    "work": _work,
    "shrink": lambda story, _, addr: story.say(PoolShrink(HANDLES[0], addr, 0xB0)),
    "send": lambda story, n, event, stream: story.say(EventSent(event, 0xE0 + event, stream), f"SendEvents_a_{n}"),
    "wait": lambda story, n, event, stream: story.say(EventWaited(event, 0xE0 + event, stream), f"WaitEvents_a_{n}"),
    "sync": lambda story, n: story.say(KernelEnd(), f"SyncStream_a_{n}"),
}
