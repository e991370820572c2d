"""What a launch says when it has ended: ten messages in a fixed order (spec/kerneltrace.md 3.5)."""

from collections.abc import Iterator

from getrace.events import Event
from getrace.events.launch import (
    ArgWords,
    CompiledArgs,
    HostInputData,
    HostInputInfo,
    Launch,
    LaunchAddresses,
    LaunchTiling,
    LaunchWorkspaces,
    TaskIds,
)
from runtime.kernels.context import KernelContext
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.launch_inputs import FORMS, LaunchInput, addressed


def trace_launch(context: KernelContext) -> Iterator[Event]:
    """Give the messages. They say what lies in the argument block now, also after a launch that failed."""
    block: LaunchArgs = context.input(LaunchInput.RT_ARG)
    stream = context.input(LaunchInput.STREAM)
    yield Launch(
        context.input(LaunchInput.BINARY).handle,
        context.input(LaunchInput.BLOCK_DIM),
        block.handle,
        stream,
        context.input(LaunchInput.SCHEDULE_MODE),
        context.input(LaunchInput.LOCAL_MEMORY),
    )
    yield from _task_ids(context, stream)
    yield block.layout()
    yield CompiledArgs()
    yield _addresses(context, block)
    yield LaunchWorkspaces(block.workspaces or None)
    tiling = block.tiling
    yield LaunchTiling(block.tiling_offset, len(tiling), tiling) if tiling else LaunchTiling()
    yield HostInputData(block.host_data())
    yield HostInputInfo(block.host_info())
    yield ArgWords(block.words())


def _task_ids(context: KernelContext, handle: int) -> Iterator[TaskIds]:
    stream = context.machine.device.streams.get(handle)
    if stream is not None and stream.last_task is not None:
        last = stream.last_task
        yield TaskIds(last.rt_stream, last.task, last.flip, last.flip_task)


def _addresses(context: KernelContext, block: LaunchArgs) -> LaunchAddresses:
    """Say the slots of the block; a slot that this launch does not use has the size 0."""
    sizes = [item.size for item in addressed(context, FORMS[context.type])]
    if not block.addresses:
        return LaunchAddresses()
    return LaunchAddresses(block.addresses, tuple((*sizes, *(0,) * len(block.addresses))[: len(block.addresses)]))
