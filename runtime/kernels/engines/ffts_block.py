"""The block of an FFTS+ task on the host and its image on the device, and how it is cut (spec/lowering.md 4.10, 11.S).

Descriptors come first, arguments behind them. The records here stand for GE's structures; the bytes of the arguments
lie in the block as on a real host, so what is copied to the device can be read there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from getrace.events.engines import FftsMemoryOk
from runtime.kernels.context import KernelContext
from runtime.kernels.payloads import FftsTask, MemorySlice
from runtime.kernels.registry import LAUNCH, Kernel
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, transfer
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Placement

_REDIRECTED: Final = 4
_WORD: Final = 8


@dataclass(slots=True)
class FftsTaskInfo:
    """``rtFftsPlusTaskInfo_t`` and its contexts: what was filled in for the next launch.

    ``arguments`` is where they begin on the host.
    """

    task: FftsTask
    arguments: int
    filled: Any = None
    block_dim: int = 0
    schedule_mode: int = 0
    cleaned: Any = None


@dataclass(slots=True)
class NodeMemory:
    """``NodeMemPara``: a part of the block on both sides; ``info`` is the task that lies in it."""

    host: int
    device: int
    size: int
    info: FftsTaskInfo | None = None
    words: list[int] = field(default_factory=list)


def assign_outputs(context: KernelContext) -> int:
    """Make the part, for the life of the executor; the second output says whether it is guarded."""
    context.set(0, NodeMemory(0, 0, 0))
    context.set(1, None)
    return Status.SUCCESS


def assign(context: KernelContext) -> int:
    """Cut a part out of the block."""
    where: MemorySlice
    device: GertTensorData
    host: GertTensorData
    where, _, device, host = (cell.value for cell in context.inputs)
    part: NodeMemory = context.output(0)
    part.host, part.device, part.size = host.addr + where.offset, device.addr + where.offset, where.size
    return Status.SUCCESS


def prepare_task(context: KernelContext) -> int:
    """Copy the descriptors into their part."""
    task, part = context.input(0), context.input(1)
    part.info = FftsTaskInfo(task, part.host + part.size)
    context.set(0, part.info)
    return Status.SUCCESS


def redirect(context: KernelContext) -> int:
    """Say where tiling data is written to: behind the addresses, for the operator and its clean."""
    part: NodeMemory = context.input(0)
    for index in range(_REDIRECTED):
        context.set(index, part.host + part.size)
    return Status.SUCCESS


def copy_tiling(context: KernelContext) -> int:
    """Put tiling data that the compiler left into the arguments; they travel as words."""
    part: NodeMemory = context.input(0)
    content = context.input(1)
    raw = content.encode() if isinstance(content, str) else content
    part.words = words_of(raw[: int(context.input(2))])
    return Status.SUCCESS


def words_of(content: bytes) -> list[int]:
    """Give bytes as words of eight, the last one filled up."""
    padded = content + bytes(-len(content) % _WORD)
    return [int.from_bytes(padded[at : at + _WORD], "little") for at in range(0, len(padded), _WORD)]


def bytes_of(words: Sequence[int]) -> bytes:
    """Give words as bytes."""
    return b"".join(word.to_bytes(_WORD, "little") for word in words)


def copy_to_device(context: KernelContext) -> int:
    """Copy the block when it has changed."""
    device: GertTensorData
    host: GertTensorData
    guard: MemorySlice
    stream, device, host, guard, changed = (cell.value for cell in context.inputs)
    if changed:
        source, target = Span(host.addr, Placement.HOST), Span(device.addr, Placement.DEVICE_HBM)
        transfer(context.machine.device, stream, source, target, guard.size)
    return Status.SUCCESS


def trace_copy(_context: KernelContext) -> tuple[FftsMemoryOk, ...]:
    """Say that no part has grown into the next; parts are records here and cannot."""
    return (FftsMemoryOk(),)


KERNELS: Final = (
    Kernel("NodeMemParaAssign", assign, outputs_creator=assign_outputs),
    Kernel("FftsTaskInfoPreProc", prepare_task),
    Kernel("RedirectLaunchArgs", redirect),
    Kernel("CopyTilingdata", copy_tiling),
    Kernel("CopyAtomicTilingdata", copy_tiling),
    Kernel("FFTSTaskAndArgsCopy", copy_to_device, trace_printer=trace_copy, critical_section=LAUNCH),
)
