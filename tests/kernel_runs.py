"""One kernel on a simulated machine: its inputs given as values, its outputs and what it says looked at."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt
from simulated_runs import Recorder

from getrace.bus import Bus
from getrace.dumps.snapshot import AttrValue
from getrace.events import Event, Level, Origin
from getrace.events.text import LogLine
from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.kernels.context import Cell, ComputeNodeInfo, IoDesc, KernelContext
from runtime.kernels.families import builtin_kernels
from runtime.kernels.machine import Machine
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.host import HostMemAllocator
from runtime.memory.journal import Journal
from runtime.memory.l2_single import SingleStreamL2Allocator
from runtime.memory.process import ProcessMemory
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.builtin import builtin_ops
from runtime.values import DType, Placement, Shape, StorageShape, Tensor, TensorData

Array = npt.NDArray[Any]


class _Heap:
    """The host's heap as an allocator sees a driver."""

    def __init__(self, device: Device) -> None:
        self.pointer = device.pointer
        self.malloc = device.host.malloc
        self.free = device.host.free
        self.device_id = device.device_id
        self.total_bytes = device.total_bytes


class Workbench:
    """A machine with a stream, and kernels that run on it one by one."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        device = Device(find_profile("tiny"), seed=0, start_ns=0)
        bus = Bus(now=device.clock.stamp, levels={"GE": Level.DEBUG})
        bus.subscribe(self.recorder)
        journal = Journal(bus, Origin(1, "test", 1))
        self.machine = Machine(device, journal, ProcessMemory(device, journal), builtin_ops())
        self.kernels = builtin_kernels()
        self.stream = device.create_stream().handle

    def context(
        self, kernel_type: str, *inputs: Any, outputs: int | Sequence[Any] = 1, node: ComputeNodeInfo | None = None
    ) -> KernelContext:
        """Make the context of a kernel named ``k`` and let the kernel create its outputs, as a built executor does."""
        values = [None] * outputs if isinstance(outputs, int) else outputs
        context = KernelContext(
            "k",
            kernel_type,
            tuple(value if isinstance(value, Cell) else Cell(value) for value in inputs),
            tuple(Cell(value) for value in values),
            node,
            self.machine,
        )
        creator = self.kernels.find(kernel_type, "k").outputs_creator
        if creator is not None:
            assert creator(context) == 0
        return context

    def run(self, context: KernelContext) -> int:
        """Run it."""
        return self.kernels.find(context.type, context.name).run(context)

    def traces(self, context: KernelContext) -> list[Event | str]:
        """What its trace printer says."""
        printer = self.kernels.find(context.type, context.name).trace_printer
        assert printer is not None
        return list(printer(context))

    def said(self) -> list[str]:
        """The errors said so far, by their text."""
        lines = [item.event for item in self.recorder.heard if item.level == Level.ERROR]
        return [line.text for line in lines if isinstance(line, LogLine)]

    def on_host(self, array: Array) -> GertTensorData:
        """Put an array into host memory."""
        return self._put(array, Placement.HOST)

    def on_device(self, array: Array, room: int = 0) -> GertTensorData:
        """Put an array into device memory, with some room behind."""
        return self._put(array, Placement.DEVICE_HBM, room)

    def host_tensor(self, array: Array, dtype: DType) -> Tensor:
        """Put an array into host memory and describe it as a tensor."""
        data = self.on_host(array)
        return Tensor(StorageShape.same(array.shape), dtype, data=TensorData(data.addr, data.size, data.placement))

    def read(self, data: GertTensorData, dtype: DType, dims: Sequence[int]) -> Array:
        """Read an array from where it is; everything that was launched has run then."""
        assert self.machine.device.synchronize(self.stream) == 0
        space = self.machine.device.host if data.placement.on_host else self.machine.device.hbm
        raw = space.read(data.addr, Shape(dims).elements * dtype.numpy.itemsize)
        return np.frombuffer(raw, dtype.numpy).reshape(tuple(dims))

    def allocator(self, placement: Placement = Placement.DEVICE_HBM) -> SingleStreamL2Allocator:
        """Make a level-2 allocator on a level 1 of the same place."""
        machine = self.machine
        home = SingleStreamL2Allocator(machine.journal, machine.device, placement)
        if placement.on_host:
            home.level1 = HostMemAllocator(_Heap(machine.device))
        else:
            home.level1 = CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)
        return home

    def _put(self, array: Array, placement: Placement, room: int = 0) -> GertTensorData:
        space = self.machine.device.host if placement.on_host else self.machine.device.hbm
        raw = np.ascontiguousarray(array).tobytes()
        address = space.malloc(max(len(raw) + room, 1))
        assert address is not None
        if raw:
            space.write(address, raw)
        return GertTensorData(address, len(raw) + room, placement, 0)


def node_info(
    type_name: str,
    inputs: Sequence[DType] = (),
    outputs: Sequence[DType] = (),
    input_shapes: Sequence[Sequence[int]] = (),
    output_shapes: Sequence[Sequence[int]] = (),
    attrs: Mapping[str, AttrValue] | None = None,
) -> ComputeNodeInfo:
    """Describe an operator named ``op`` with ND tensors of these types; shapes are those that the model says."""
    return ComputeNodeInfo(
        "op", type_name, _described(inputs, input_shapes), _described(outputs, output_shapes), attrs or {}
    )


def _described(dtypes: Sequence[DType], shapes: Sequence[Sequence[int]]) -> tuple[IoDesc, ...]:
    pairs = zip_longest(dtypes, shapes, fillvalue=())
    return tuple(IoDesc(DType(dtype), shape=Shape(shape)) for dtype, shape in pairs if isinstance(dtype, DType))
