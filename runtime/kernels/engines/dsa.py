"""The random number engine: a queue entry is completed, then launched (spec/lowering.md 4.7, 11.R).

Numbers come from Philox, as on the device, but not in the device's order: a run repeats itself and equals no real one.
An operator that keeps its state (all but the stateless ones) counts in its first workspace how many numbers it drew.
"""

import struct
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from getrace.events.engines import StarsLaunch
from runtime.device.device import Device
from runtime.kernels.context import KernelContext
from runtime.kernels.engines.memory_work import STARS, MemoryWork, Written
from runtime.kernels.payloads_dsa import SQE_BYTES, DsaSqe
from runtime.kernels.registry import LAUNCH, Kernel
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, write_to_device
from runtime.kernels.work import task_of
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.op_def import Array
from runtime.values import DType, Placement

_FACTS: Final = 13
"""Inputs before the tensors: entry, workspaces, their sizes, stream, and nine facts of the compiler."""

_COUNT, _SEED, _PARAMETERS = 0, 1, 2
"""Tensors by number: how many, the seed, then the parameters of the distribution."""

_MOST_PARAMETERS: Final = 2
_WORD: Final = 8
_STATEFUL: Final = 2

_Generator = np.random.Generator
_Draw = Callable[[_Generator, int, float, float], Array]


def _bits(generator: _Generator, count: int, keep: float, _second: float) -> Array:
    """A bit per element, 1 where it is kept; the engine writes whole bytes."""
    return np.packbits(generator.random(count) < keep, bitorder="little")


def _truncated(generator: _Generator, count: int, mean: float, deviation: float) -> Array:
    """Normal numbers; those more than two deviations away are drawn again."""
    found = generator.standard_normal(count)
    while (far := np.abs(found) > _STATEFUL).any():
        found[far] = generator.standard_normal(int(far.sum()))
    return mean + deviation * found


_DRAWS: Final[Mapping[str, _Draw]] = {
    "GenBitMask": _bits,
    "RandomUniform": lambda generator, count, low, high: generator.uniform(low, high, count),
    "RandomTruncatedNormal": _truncated,
    "RandomNormal": lambda generator, count, mean, deviation: generator.normal(mean, deviation, count),
}
"""By the end of the operator's type: ``DSARandomUniform``, ``DSAStatelessRandomUniform``."""

_LAUNCH = ("dsa_core_launch_kernel.cc", 0, "UpdateSqeArg")


def update_sqe(context: KernelContext) -> int:
    """Complete the entry: addresses of output, state and parameters; seed and count as value or as address."""
    sqe: DsaSqe
    workspaces: list[GertTensorData]
    values = [cell.value for cell in context.inputs]
    sqe, workspaces, _, stream = values[:4]
    seed_by_address, count_by_address, seed, count, by_address, first, second, inputs, _ = values[4:_FACTS]
    tensors: list[GertTensorData] = values[_FACTS:]
    if _draw_of(context) is None:
        return context.kernel_error(_LAUNCH, f"unknown distribution of {context.compute_node.type}")
    sqe.output_address = tensors[inputs].addr
    sqe.state_address = workspaces[0].addr if len(workspaces) == _STATEFUL else 0
    sqe.inputs_address = workspaces[-1].addr
    sqe.input_is_address = by_address
    sqe.seed_is_address, sqe.count_is_address = seed_by_address, count_by_address
    sqe.seed = tensors[_SEED].addr if seed_by_address else int(float(seed or 0))
    sqe.count = tensors[_COUNT].addr if count_by_address else int(float(count or 0))
    if by_address:
        content = b"".join(struct.pack("<Q", data.addr) for data in tensors[_PARAMETERS:inputs][:_MOST_PARAMETERS])
    else:
        content = struct.pack("<2d", float(first or 0), float(second or 0))
    target = Span(sqe.inputs_address, Placement.DEVICE_HBM)
    write_to_device(context.machine.device, stream, target, content)
    return Status.SUCCESS


def _draw_of(context: KernelContext) -> _Draw | None:
    type_name = context.compute_node.type
    return next((draw for end, draw in _DRAWS.items() if type_name.endswith(end)), None)


def launch_sqe(context: KernelContext) -> int:
    """Launch the entry as it is now."""
    sqe: DsaSqe = context.input(0)
    taken = DsaSqe(**{name: getattr(sqe, name) for name in DsaSqe.__slots__})
    device = context.machine.device
    sqe.handle = sqe.handle or device.pointer(SQE_BYTES)

    def compute() -> Written:
        return _drawn(context, device, taken)

    size = _output_bytes(context)
    work = MemoryWork(device, compute, ((taken.output_address, size),))
    task = task_of(context, work, STARS, device.cost_ns(STARS.unit, size))
    device.launch(device.stream(context.input(2)), task)
    return Status.SUCCESS


def _output_bytes(context: KernelContext) -> int:
    desc = context.compute_node.outputs[0]
    return max(desc.shape.elements, 0) * desc.dtype.size if desc.shape.is_known else 0


def _drawn(context: KernelContext, device: Device, sqe: DsaSqe) -> Written:
    node = context.compute_node
    draw = _draw_of(context)
    assert draw is not None
    count = _word(device, sqe.count) if sqe.count_is_address else sqe.count
    seed = _word(device, sqe.seed) if sqe.seed_is_address else sqe.seed
    before = _word(device, sqe.state_address) if sqe.state_address else 0
    # A step of Philox's counter gives four numbers: a launch that starts as many steps on meets none of the old ones.
    generator = np.random.Generator(np.random.Philox(key=seed & (2**64 - 1), counter=before))
    raw = _stored(draw(generator, count, *_parameters(context, device, sqe)), node.outputs[0].dtype)
    state = [(sqe.state_address, struct.pack("<Q", before + count))] if sqe.state_address else []
    return [(sqe.output_address, raw), *state]


def _word(device: Device, address: int) -> int:
    return int.from_bytes(device.hbm.read(address, _WORD), "little")


def _parameters(context: KernelContext, device: Device, sqe: DsaSqe) -> tuple[float, float]:
    if not sqe.input_is_address:
        return struct.unpack("<2d", device.hbm.read(sqe.inputs_address, 2 * _WORD))
    descs = context.compute_node.inputs[_PARAMETERS:][:_MOST_PARAMETERS]
    found = [0.0, 0.0]
    for slot, desc in enumerate(descs):
        address = _word(device, sqe.inputs_address + slot * _WORD)
        found[slot] = float(np.frombuffer(device.hbm.read(address, desc.dtype.size), desc.dtype.numpy)[0])
    return found[0], found[1]


def _stored(values: Array, dtype: DType) -> bytes:
    """Give the elements as the output holds them; numpy has no brain floats, which are the upper half of a float."""
    if dtype is DType.BF16:
        return (values.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    return values.astype(dtype.numpy).tobytes()


def trace_launch(context: KernelContext) -> tuple[StarsLaunch, ...]:
    """Say where the entry lies, how long it is, and the stream."""
    sqe: DsaSqe = context.input(0)
    return (StarsLaunch(sqe.handle, int(context.input(1)), context.input(2)),)


KERNELS: Final = (
    Kernel("UpdateSqeArg", update_sqe, critical_section=LAUNCH),
    Kernel("StarsTaskLaunchKernel", launch_sqe, trace_printer=trace_launch, critical_section=LAUNCH),
)
