"""The fourth class: results whose sizes a task tells, and the task that fetches them (spec/lowering.md 4.5).

A task leaves a summary per output. The host reads the summaries, allocates, writes four lists into device memory
(whether to release, how many bytes, from where, to where) and launches a copy by these lists.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from runtime.device.device import Device
from runtime.device.tasks import Finish
from runtime.kernels.aicpu_ext_info import shape_slots
from runtime.kernels.aicpu_summary_record import Summary, read_summary
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import LAUNCH, Kernel
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, write_to_device
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Shape, StorageShape, Tensor

MEMCPY_TYPE: Final = "MemCopy"
_LINE: Final = 32
_LISTS: Final = 4
_RELEASE: Final = 0x1
_COPY_INPUTS = ("memcpy_task.cc", 0, "PrepareCopyInputs")


@dataclass(frozen=True, slots=True)
class CopyWork:
    """The copy task: ``lists`` are the device addresses of its four lists, each of ``count`` numbers."""

    device: Device
    lists: tuple[int, ...]
    count: int

    @property
    def written(self) -> tuple[tuple[int, int], ...]:
        """Nothing that is known before the lists are read."""
        return ()

    def begin(self) -> Finish:
        """Leave all of it for the end: the pieces are results that nobody else writes."""
        return self.run

    def run(self) -> None:
        """Copy piece by piece, and release what was only kept for it."""
        release, sizes, sources, targets = (self._numbers(address) for address in self.lists)
        for flag, size, source, target in zip(release, sizes, sources, targets, strict=True):
            if size:
                self.device.hbm.write(target, self.device.hbm.read(source, size))
                if flag:
                    self.device.hbm.free(source)

    def _numbers(self, address: int) -> list[int]:
        return list(struct.unpack(f"<{self.count}Q", self.device.hbm.read(address, 8 * self.count)))


def host_summary(context: KernelContext) -> int:
    """Read the summaries that a task has left in its outputs; the stream has been synchronised before."""
    for index, cell in enumerate(context.inputs):
        data: GertTensorData = cell.value
        context.set(index, read_summary(context.machine.device, data.addr))
    return Status.SUCCESS


def summary_slots(context: KernelContext) -> int:
    """Start with empty summaries."""
    for index in range(len(context.outputs)):
        context.set(index, Summary(0, 0, 0, 0))
    return Status.SUCCESS


def data_sizes(context: KernelContext) -> int:
    """Give what to allocate for the elements, in whole lines with one line of room behind."""
    for index, cell in enumerate(context.inputs):
        context.set(index, -(-cell.value.raw_size // _LINE) * _LINE + _LINE)
    return Status.SUCCESS


def shape_sizes(context: KernelContext) -> int:
    """Give what to allocate for the dimensions."""
    for index, cell in enumerate(context.inputs):
        context.set(index, cell.value.shape_size)
    return Status.SUCCESS


def prepare_copy_inputs(context: KernelContext) -> int:
    """Write the four lists, the dimensions of an output before its elements."""
    count: int = context.input(0)
    values = [cell.value for cell in context.inputs]
    buffers: list[GertTensorData] = values[1 : 1 + _LISTS]
    rest, stream = values[1 + _LISTS : -1], values[-1]
    summaries: Sequence[Summary] = rest[:count]
    data, shapes = rest[count : 2 * count], rest[2 * count : 3 * count]
    if len(shapes) != count:
        return context.kernel_error(_COPY_INPUTS, f"Inputs do not fit output number {count}")
    pieces = [
        piece
        for summary, target, dims in zip(summaries, data, shapes, strict=True)
        for piece in (
            (_RELEASE, summary.shape_size, summary.shape_addr, dims.addr),
            (_RELEASE, summary.raw_size, summary.raw_addr, target.addr),
        )
    ]
    for buffer, numbers in zip(buffers, zip(*pieces, strict=True), strict=True):
        content = struct.pack(f"<{len(numbers)}Q", *numbers)
        write_to_device(context.machine.device, stream, Span(buffer.addr, buffer.placement), content)
    return Status.SUCCESS


def output_shapes(context: KernelContext) -> int:
    """Read the dimensions that the copy has brought; the stream has been synchronised before."""
    count = len(context.outputs)
    values = [cell.value for cell in context.inputs]
    for index, (summary, dims) in enumerate(zip(values[:count], values[count:], strict=True)):
        raw = context.machine.device.hbm.read(dims.addr, summary.shape_size) if summary.shape_size else b""
        shape = Shape(np.frombuffer(raw, "<i8").tolist())
        tensor: Tensor = context.output(index)
        tensor.shape = StorageShape(shape, shape)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("GetHostSummary", host_summary, outputs_creator=summary_slots),
    Kernel("GetSummaryDataSizes", data_sizes),
    Kernel("GetSummaryShapeSizes", shape_sizes),
    Kernel("PrepareCopyInputs", prepare_copy_inputs, critical_section=LAUNCH),
    Kernel("GetOutputShapeFromHbmBuffer", output_shapes, outputs_creator=shape_slots),
)
