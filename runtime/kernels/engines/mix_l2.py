"""Operators for two kinds of cores as FFTS+ tasks: kernels found, arguments and contexts filled, launched.

A task is computed once, whatever the number of its contexts; a clean is done in front of it, as its context comes
first.

Source: spec/lowering.md 4.10, 11.S.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from getrace.events.engines import FftsArgs, FftsWords
from runtime.device.tasks import Finish
from runtime.kernels.context import KernelContext
from runtime.kernels.engines.ffts_block import FftsTaskInfo, NodeMemory, bytes_of, words_of
from runtime.kernels.engines.memory_work import FFTS_PLUS
from runtime.kernels.kernel_work import CleanWork, KernelWork, Operand, blocks_of
from runtime.kernels.launch import tiled_by_compiler
from runtime.kernels.machine import BinaryHandle
from runtime.kernels.payloads import KernelBinary
from runtime.kernels.registry import LAUNCH, Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.work import task_of
from runtime.memory.tensor_data import GertTensorData
from runtime.values import StorageShape, Tensor

_SINK = ("sink_node_bin.cc", 0, "SinkMixNodeBin")
_LAUNCH = ("ffts_plus_launch_kernel.cc", 0, "LaunchFFTSPlusTaskNoCopy")
_BINARY_OBJECT: Final = 0x80
_FIRST: Final = 6
"""Inputs of FFTSUpdateMixL2Args before the shapes: workspaces, mode, kernels, shape buffer, asserts, how many."""

_CLEANED: Final = 10
"""Inputs of FFTSUpdateAtomicArgs before the addresses that are cleaned."""


@dataclass(frozen=True, slots=True)
class SinkResult:
    """``AICoreSinkRet``: where the kernels of an operator start."""

    kernels: tuple[BinaryHandle, ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """``FlushData``: the arguments of one context, as words and as what they mean."""

    words: tuple[int, ...]
    tiling: tuple[int, ...]
    work: KernelWork | CleanWork


def sink_by_key(context: KernelContext) -> int:
    """Load one kernel of an operator that tiling chooses from."""
    return _sink_each(context, [(context.input(0), str(context.input(1)))])


def sink_by_name(context: KernelContext) -> int:
    """Load all kernels of an operator: five inputs for each behind their number and their kind."""
    groups = [[cell.value for cell in context.inputs[at : at + 5]] for at in range(2, len(context.inputs), 5)]
    return _sink_each(context, [(group[4], str(group[2])) for group in groups], whole=True)


def sink_clean(context: KernelContext) -> int:
    """Load the kernel that cleans; the zeroes need no code here, so any operator's binary will do."""
    context.set(0, SinkResult(()))
    return Status.SUCCESS


def _sink_each(context: KernelContext, wanted: Sequence[tuple[KernelBinary, str]], *, whole: bool = False) -> int:
    machine = context.machine
    found = []
    for binary, key in wanted:
        op = machine.ops.get(binary.op_type)
        if op is None or op.compute is None:
            return context.error(_SINK, f"{context.type} para check failed")
        handle = machine.binaries.get(key)
        if handle is None:
            handle = machine.binaries[key] = BinaryHandle(machine.device.pointer(_BINARY_OBJECT), op)
        found.append(handle)
    context.set(0, SinkResult(tuple(found)) if whole else found[0])
    return Status.SUCCESS


def find_kernels(context: KernelContext) -> int:
    """Give the kernels that belong to a tiling key: pairs of name and handle behind number, kind and two keys."""
    context.set(0, SinkResult(tuple(cell.value for cell in context.inputs[5::2])))
    return Status.SUCCESS


def sink_outputs(context: KernelContext) -> int:
    """Make the answer, empty until the kernels are found."""
    context.set(0, SinkResult(()))
    return Status.SUCCESS


def filled_outputs(context: KernelContext) -> int:
    """Make room for the arguments; further outputs are parts of the block, which nobody reads here."""
    for index in range(len(context.outputs)):
        context.set(index, None)
    return Status.SUCCESS


def fill_args(context: KernelContext) -> int:
    """Fill the arguments: inputs and outputs, then workspaces, then the buffer for shapes."""
    values = [cell.value for cell in context.inputs]
    count = int(values[_FIRST - 1])
    sink: SinkResult = values[2]
    workspaces = [data for data in values[0] if data.block]
    buffer: GertTensorData | None = values[3]
    shapes, data = values[_FIRST : _FIRST + count], values[_FIRST + count :]
    operands = tuple(_operand(context, at, shapes[at], data[at]) for at in range(count) if data[at] is not None)
    op, inputs = sink.kernels[0].op, len(operands) - len(context.compute_node.outputs)
    tiling = tiled_by_compiler(context, op, operands)
    shape_buffer = buffer.addr if buffer is not None else 0
    work = KernelWork(
        context.machine.device,
        op,
        operands[:inputs],
        operands[inputs:],
        blocks_of(workspaces),
        tiling,
        0,
        1,
        shape_buffer=shape_buffer,
        attrs=context.compute_node.attrs,
    )
    words = [0 if item is None else item.addr for item in data] + [item.addr for item in workspaces]
    context.set(0, Filled((*words, *([shape_buffer] if shape_buffer else [])), tuple(words_of(tiling)), work))
    return Status.SUCCESS


def _operand(context: KernelContext, at: int, shape: Any, data: GertTensorData) -> Operand:
    node = context.compute_node
    desc = (*node.inputs, *node.outputs)[at]
    seen = shape_of(shape).storage if isinstance(shape, StorageShape | Tensor) else desc.shape
    return Operand(data.addr, desc, seen)


def fill_clean(context: KernelContext) -> int:
    """Fill the arguments of the clean: the addresses of outputs that have to begin with zeroes."""
    part: NodeMemory = context.input(4)
    data: list[GertTensorData] = [cell.value for cell in context.inputs[_CLEANED:]]
    work = CleanWork(context.machine.device, blocks_of(data))
    context.set(0, Filled(tuple(item.addr for item in data), tuple(part.words), work))
    return Status.SUCCESS


def fill_context(context: KernelContext) -> int:
    """Fill the context of the operator: its arguments, its blocks, its mode."""
    info: FftsTaskInfo = context.input(3)
    info.filled, info.block_dim, info.schedule_mode = context.input(0), int(context.input(1)), int(context.input(2))
    # The arguments lie behind the descriptors: there the copy to the device takes them from.
    context.machine.device.host.write(info.arguments, bytes_of(info.filled.words))
    return Status.SUCCESS


def fill_clean_context(context: KernelContext) -> int:
    """Fill the contexts that clean."""
    info: FftsTaskInfo = context.input(4)
    info.cleaned = context.input(0)
    return Status.SUCCESS


def tell_dump(_context: KernelContext) -> int:
    """Run nothing: what it reads is for the data dump, which is not simulated."""
    return Status.SUCCESS


@dataclass(frozen=True, slots=True)
class _Steps:
    """The contexts of a task, one behind the other."""

    steps: tuple[KernelWork | CleanWork, ...]

    @property
    def written(self) -> tuple[tuple[int, int], ...]:
        return tuple(place for step in self.steps for place in step.written)

    def run(self) -> None:
        for step in self.steps:
            step.run()

    def begin(self) -> Finish:
        *before, last = self.steps
        for step in before:
            step.run()
        return last.begin()


def launch(context: KernelContext) -> int:
    """Launch the task: what cleans first, then the operator."""
    stream, part = context.input(0), context.input(1)
    info: FftsTaskInfo | None = part.info
    if info is None or info.filled is None:
        return context.kernel_error(_LAUNCH, "task info is nullptr")
    device = context.machine.device
    steps = tuple(filled.work for filled in (info.cleaned, info.filled) if filled is not None)
    cost = device.cost_ns(FFTS_PLUS.unit, sum(step.moved_bytes for step in steps))
    device.launch(device.stream(stream), task_of(context, _Steps(steps), FFTS_PLUS, cost))
    return Status.SUCCESS


def trace_args(context: KernelContext, what: str) -> Iterator[FftsArgs | FftsWords]:
    """Say the arguments as words."""
    filled: Filled = context.output(0)
    yield FftsArgs(what)
    if filled.tiling:
        yield FftsWords("Tiling data", filled.tiling)
    yield FftsWords("All args", filled.words)


KERNELS: Final = (
    Kernel("SinkMixDyNodeBin", sink_by_key),
    Kernel("SinkMixStaticNodeBin", sink_by_name, outputs_creator=sink_outputs),
    Kernel("SinkFFTSStaManualNodeBin", sink_clean, outputs_creator=sink_outputs),
    Kernel("GetMixAddrAndPrefCnt", find_kernels, outputs_creator=sink_outputs),
    Kernel(
        "FFTSUpdateMixL2Args",
        fill_args,
        outputs_creator=filled_outputs,
        trace_printer=partial(trace_args, what="MixL2 args"),
    ),
    Kernel(
        "FFTSUpdateAtomicArgs",
        fill_clean,
        outputs_creator=filled_outputs,
        trace_printer=partial(trace_args, what="AICore args"),
    ),
    Kernel("MixL2UpdateContext", fill_context),
    Kernel("AtomicUpdateContext", fill_clean_context),
    Kernel("MixL2UpdateDataDumpInfo", tell_dump),
    Kernel("LaunchFFTSPlusTaskNoCopy", launch, critical_section=LAUNCH),
)
