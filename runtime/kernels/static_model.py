"""Static sub graphs of a dynamic model: a graph compiled as a whole, made on Init and run by one kernel.

The model itself is ``task_sink``'s; these kernels tie its life to Init and DeInit, and its memory to the step.

Source: spec/lowering.md 4.9, 11.Q.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from getrace.errors import ModelError
from getrace.events import Event
from getrace.events.models import (
    DavinciCreated,
    DavinciExecuted,
    DavinciRunAddresses,
    DavinciWorkspaces,
    FixedMemory,
    Region,
)
from getrace.events.text import LogLine
from runtime.device.errors import ApiError
from runtime.device.stream import Stream
from runtime.kernels.context import Cell, KernelContext
from runtime.kernels.machine import Machine
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.payloads import RunAddress, StaticModelRef
from runtime.kernels.registry import LAUNCH, Kernel
from runtime.kernels.status import Status
from runtime.kernels.task_sink.davinci_model import DavinciModel
from runtime.kernels.task_sink.plan import plan_model
from runtime.memory.tensor_data import GertTensorData
from runtime.values import Placement

_FILE: Final = "davinci_model_kernel.cc"
_CREATE: Final = (_FILE, 285, "DavinciModelCreate")
_CREATED: Final = (_FILE, 289, "DavinciModelCreate")
_CREATED_V2: Final = (_FILE, 498, "DavinciModelCreateV2")
_EXECUTE: Final = (_FILE, 422, "DavinciModelExecute")
_RUN_ADDRESS: Final = (_FILE, 463, "DavinciModelGetRunAddress")
_STREAM: Final = ("reusable_stream_allocator.cc", 41, "CreateNewStream")

_NO_MODEL_ID: Final = 0xFFFFFFFF
"""Models inside a model have no number of their own."""

_STREAMS_INPUT, _WEIGHT_INPUT = 7, 2
_FIXED_ADDR, _FIXED_SIZE, _FIXED_DATA, _P2P_ADDR, _P2P_SIZE = range(8, 13)
_FIXED_DATA_V2 = 8
_HBM: Final = 2
_ROOM: Final = 32


@dataclass(slots=True)
class ReusableStreams:
    """``ReusableStreamAllocator``: the streams of all static models of one executor."""

    machine: Machine
    streams: list[Stream] = field(default_factory=list)

    def create(self, count: int, tasks: int) -> list[int]:
        """Make streams for a model; gives their numbers. Raises ApiError when the device has no further one."""
        made = []
        for _ in range(count):
            stream = self.machine.device.create_stream()
            self.streams.append(stream)
            made.append(stream.rt_id)
            text = (
                f"Create new stream: 0x{stream.handle:x}, rt stream id: {stream.rt_id}, rt model id: 0, priority: 0, "
                f"stream flag: 1, task num: {tasks}."
            )
            self.machine.journal.say(LogLine("GE", *_STREAM, text))
        return made

    def close(self) -> None:
        """Destroy them all."""
        for stream in self.streams:
            self.machine.device.destroy_stream(stream)
        self.streams.clear()


@dataclass(slots=True)
class SubModel:
    """A static model inside a dynamic one, with its number and the numbers of its streams."""

    davinci: DavinciModel
    number: int
    stream_ids: tuple[int, ...]
    bound: bool = False


def reusable_stream_outputs(context: KernelContext) -> int:
    """Make the allocator when the executor is built; its streams go with the executor."""
    streams = ReusableStreams(context.machine)
    context.outputs[0].own(streams, streams.close)
    return Status.SUCCESS


def reusable_stream_allocator(_context: KernelContext) -> int:
    """Run nothing: the allocator was made when the executor was built."""
    return Status.SUCCESS


def davinci_model_create(context: KernelContext) -> int:
    """Make the model in the fixed memory it is given, or in memory of the step."""
    values = [context.input(at) for at in (_FIXED_ADDR, _FIXED_SIZE, _P2P_ADDR, _P2P_SIZE)]
    data: GertTensorData | None = context.input(_FIXED_DATA)
    address, size, p2p_address, p2p_size = values
    if not address and data is not None and data.addr:
        address, size = data.addr, data.size
    context.trace(FixedMemory(address, size, p2p_address, p2p_size))
    return _create(context, (address, size), _CREATED)


def davinci_model_create_v2(context: KernelContext) -> int:
    """The same where addresses never change: the model works in memory that was allocated with it."""
    data: GertTensorData = context.input(_FIXED_DATA_V2)
    return _create(context, (data.addr, data.size), _CREATED_V2)


def _create(context: KernelContext, fixed: Region, place: tuple[str, int, str]) -> int:
    ref: StaticModelRef = context.input(0)
    streams: ReusableStreams = context.input(_STREAMS_INPUT)
    machine = context.machine
    try:
        assert ref.model is not None
        plan = plan_model(ref.model, machine.ops)
        count = ref.model.attrs.get("stream_num", 1)
        ids = streams.create(count if isinstance(count, int) else 1, len(plan.steps))
    except (ModelError, ApiError) as error:
        context.kernel_error(_CREATE, f"davinci model init failed: {error}")
        return Status.FAILED
    model = DavinciModel(machine, plan)
    if model.load(late_work=True):
        return context.kernel_error(_CREATE, "davinci model init failed")
    made = SubModel(model, machine.static_models, tuple(ids), bound=bool(fixed[0]) and model.bind_work(*fixed))
    machine.static_models += 1
    context.outputs[0].own(made, model.unload)
    context.info(place, f"create davinci model successfully, model id:{_NO_MODEL_ID}.")
    return Status.SUCCESS


def update_workspaces(context: KernelContext) -> int:
    """Bind the memory of this step: the first block of HBM that is large enough.

    GE's compiler packs tensors closer than ours, so none may be; the model then works in memory of its own.
    """
    model: SubModel = context.input(0)
    if not model.bound:
        blocks = (data for kind, data in _pairs(context) if kind == _HBM)
        any(model.davinci.bind_work(data.addr, data.size) for data in blocks)
    return Status.SUCCESS


def _pairs(context: KernelContext) -> list[tuple[int, GertTensorData]]:
    values = [cell.value for cell in context.inputs[2:]]
    return list(zip(values[::2], values[1::2], strict=True))


def execute(context: KernelContext) -> int:
    """Put the model on the stream of the step."""
    model: SubModel = context.input(0)
    inputs, outputs = _regions(context)
    status = model.davinci.execute(
        context.input(1), [address for address, _ in inputs], [address for address, _ in outputs]
    )
    return context.error(_EXECUTE, f"model execute failed. ret = {status}") if status else Status.SUCCESS


def _regions(context: KernelContext) -> tuple[tuple[Region, ...], tuple[Region, ...]]:
    count = int(context.input(2))
    regions = tuple((cell.value.addr, cell.value.size) for cell in context.inputs[4:])
    return regions[:count], regions[count:]


def get_run_address(context: KernelContext) -> int:
    """Give where constants of the model lie, so that they can be outputs without being copied."""
    model: SubModel = context.input(0)
    for cell, asked in zip(context.outputs, _asked(context), strict=True):
        found = model.davinci.constant_address(asked.output)
        if not found:
            text = f"get run address is zero, type:{asked.kind}, offset:{asked.offset}"
            return context.error(_RUN_ADDRESS, text)
        size = model.davinci.plan.results[asked.output].size
        room = -(-size // _ROOM) * _ROOM + _ROOM
        cell.value.refer(found, room, Placement.DEVICE_HBM, context.input(1))
    return Status.SUCCESS


def _asked(context: KernelContext) -> Sequence[RunAddress]:
    return [cell.value for cell in context.inputs[2:]]


def finalize(context: KernelContext) -> int:
    """End all models of the executor, and their streams."""
    for cell in context.inputs:
        _end(cell)
    return Status.SUCCESS


def _end(cell: Cell) -> None:
    model: SubModel | None = cell.value
    if model is not None:
        model.davinci.unload()


def trace_create(context: KernelContext) -> list[Event]:
    """Say the model's number, its streams and its weights; nothing of a model that could not be made."""
    model: SubModel | None = context.output(0)
    if model is None:
        return []
    address, size = model.davinci.weight_region
    return [DavinciCreated(model.number, len(model.stream_ids), model.stream_ids, address, size)]


def trace_workspaces(context: KernelContext) -> list[Event]:
    """Say the blocks of this step."""
    blocks = tuple((kind, data.addr) for kind, data in _pairs(context))
    return [DavinciWorkspaces(len(blocks), blocks)]


def trace_execute(context: KernelContext) -> list[Event]:
    """Say what went in and where the outputs go."""
    model: SubModel = context.input(0)
    return [DavinciExecuted(model.number, *_regions(context))]


def trace_run_address(context: KernelContext) -> list[Event]:
    """Say the addresses."""
    found = zip(_asked(context), (cell.value for cell in context.outputs), strict=True)
    rows = tuple((asked.kind, asked.offset, data.size, data.addr) for asked, data in found)
    return [DavinciRunAddresses(len(rows), rows)]


KERNELS: Final = (
    Kernel("ReusableStreamAllocator", reusable_stream_allocator, outputs_creator=reusable_stream_outputs),
    Kernel("DavinciModelCreate", davinci_model_create, trace_printer=trace_create),
    Kernel("DavinciModelCreateV2", davinci_model_create_v2, trace_printer=trace_create),
    Kernel("DavinciModelUpdateWorkspaces", update_workspaces, trace_printer=trace_workspaces),
    Kernel("DavinciModelExecute", execute, trace_printer=trace_execute, critical_section=LAUNCH),
    Kernel(
        "DavinciModelGetRunAddress",
        get_run_address,
        outputs_creator=tensor_data_outputs,
        trace_printer=trace_run_address,
    ),
    Kernel("DavinciModelFinalizer", finalize),
)
