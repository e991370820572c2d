"""Models on the simulated device for tests: one process held open, or one whole run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.bus import Bus
from getrace.events import Event, Level, Origin
from getrace.events.graphs import GraphEvent
from runtime.api.host_tensors import free_host, free_output, to_array, to_tensor
from runtime.api.inputs import dtype_of
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, RunResult, run_model
from runtime.device.device import Device
from runtime.device.fault_plan import FaultPlan
from runtime.device.fault_spec import parse_fault
from runtime.device.profile_file import profile_of
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.builder import build_executor
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.options import ExecutorOption
from runtime.executors.rt_session import RtSession
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.context import KernelContext
from runtime.kernels.families import builtin_kernels
from runtime.kernels.machine import Machine
from runtime.kernels.registry import Kernel, KernelRegistry
from runtime.lowering.graph_converter import lower
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.ops.builtin import builtin_ops
from runtime.ops.context import InferShapeContext
from runtime.ops.registry import OpRegistry
from runtime.values import DType, Placement, Shape, StorageShape, Tensor, TensorData

Array = npt.NDArray[Any]


class Heard(NamedTuple):
    """One event as a sink got it."""

    time_ns: int
    stage: str
    level: Level
    kernel: str | None
    event: Event


class Recorder:
    """A sink that keeps what it hears, graphs left out."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []

    def __call__(self, time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        if not isinstance(event, GraphEvent):
            self.heard.append(Heard(time_ns, origin.stage, level, kernel, event))

    def events(self, stage: str | None = None) -> list[Event]:
        """The events, of one stage or all."""
        return [item.event for item in self.heard if stage in (None, item.stage)]


def add_model(dims: Sequence[int] = (-1,), dtype: DType = DType.FLOAT) -> ComputeGraph:
    """y = x1 + x2."""
    graph = GraphBuilder("add")
    x1, x2 = graph.data("x1", dims, dtype), graph.data("x2", dims, dtype)
    return graph.output(graph.op("AddExample", x1, x2, name="add")).build()


def const_model() -> ComputeGraph:
    """y = x + (0, 1, 2, 3), so that weights lie on the device."""
    graph = GraphBuilder("const")
    weight = graph.const("w", (4,), floats(0, 1, 2, 3).tobytes())
    return graph.output(graph.op("AddExample", graph.data("x", (-1,)), weight, name="add")).build()


def run(
    graph: ComputeGraph, *, level: Level = Level.INFO, options: RunOptions | None = None
) -> tuple[RunResult, Recorder]:
    """Run a model from Load to the end of its process."""
    recorder = Recorder()
    bus = Bus(now=lambda: 0, levels={"GE": level})
    bus.subscribe(recorder)
    result = run_model(Model("test", graph), options or RunOptions(), bus)
    assert bus.failures == []
    return result, recorder


def careless_ops() -> OpRegistry:
    """The built-in operators, with an AddExample that does not compare its inputs: its kernel may read too far."""
    ops = builtin_ops()

    def shape_of_x1(context: InferShapeContext) -> int:
        x1, y = context.get_input_shape(0), context.get_output_shape(0)
        y.set_dim_num(x1.get_dim_num())
        for index in range(x1.get_dim_num()):
            y.set_dim(index, x1.get_dim(index))
        return 0

    ops.find("AddExample").infer_shape = shape_of_x1
    return ops


def replaced(kernel_type: str, wrap: Callable[[Kernel], Kernel]) -> KernelRegistry:
    """The built-in kernels with one changed."""
    changed = (wrap(kernel) if kernel.type == kernel_type else kernel for kernel in builtin_kernels())
    return KernelRegistry(changed)


def failing(kernel_type: str, status: int, *, calls: Sequence[int] = (0,)) -> KernelRegistry:
    """The built-in kernels, one of which gives ``status`` in its n-th calls, counted from 0, in place of working."""
    count = iter(range(1 << 30))

    def wrap(kernel: Kernel) -> Kernel:
        def fail_or_run(context: KernelContext) -> int:
            return status if next(count) in calls else kernel.run(context)

        return replace(kernel, run=fail_or_run)

    return replaced(kernel_type, wrap)


@dataclass(slots=True)
class OpenProcess:
    """A process with a built model, held open so that a test can make the calls itself."""

    machine: Machine
    executor: ModelV2Executor
    recorder: Recorder
    arg: ModelExecuteArg

    def inputs(self, *arrays: Array) -> list[Tensor]:
        """Arrays as host tensors."""
        return [to_tensor(self.machine.device, array) for array in arrays]

    def step(self, *arrays: Array) -> tuple[int, Array | None]:
        """One Execute with an output that the model allocates; gives the status and the value."""
        device, inputs, output = self.machine.device, self.inputs(*arrays), empty_output()
        status = self.executor.execute(self.arg, inputs, [output])
        device.synchronize(self.arg.stream)
        value = None if status else to_array(device, output)
        for tensor in inputs:
            free_host(device, tensor)
        free_output(output)
        return status, value

    def outputs(
        self, inputs: Sequence[Array], count: int, given: Sequence[Array] | None = None
    ) -> tuple[int, list[Array]]:
        """One Execute with ``count`` outputs that the model allocates; gives the status and the values.

        With ``given`` the caller allocates them on the device, shaped as these arrays.
        """
        device, fed = self.machine.device, self.inputs(*inputs)
        outputs = [empty_output() for _ in range(count)] if given is None else [on_device(device, a) for a in given]
        status = self.executor.execute(self.arg, fed, outputs) or device.synchronize(self.arg.stream)
        values = [] if status else [to_array(device, output) for output in outputs]
        for tensor in fed:
            free_host(device, tensor)
        for output in outputs:
            free_output(output)
        return status, values


def empty_output() -> Tensor:
    """An output tensor without memory."""
    return Tensor(StorageShape(Shape(), Shape()))


def open_process(
    graph: ComputeGraph | None = None,
    *,
    kernels: KernelRegistry | None = None,
    profile: str = "ascend910b",
    level: Level = Level.INFO,
    ops: OpRegistry | None = None,
    executor: ExecutorOption | None = None,
    lowered: ExecuteGraph | None = None,
    session: RtSession | None = None,
    faults: Sequence[str] = (),
) -> OpenProcess:
    """Build a model and stop there; ``executor`` chooses the one of Main, ``lowered`` is a graph lowered elsewhere.

    ``faults`` are what shall go wrong, in the grammar of the command line.
    """
    plan = FaultPlan([parse_fault(text) for text in faults])
    device = Device(profile_of(profile), seed=0, start_ns=0, faults=plan)
    recorder = Recorder()
    bus = Bus(now=device.clock.stamp, levels={"GE": level})
    bus.subscribe(recorder)
    journal = Journal(bus, Origin(1, "test", 1))
    machine = Machine(device, journal, ProcessMemory(device, journal), ops or builtin_ops())
    root = lowered or lower(graph or add_model())
    built = build_executor(root, machine, kernels or builtin_kernels(), executor, session=session)
    return OpenProcess(machine, built, recorder, ModelExecuteArg(device.create_stream().handle))


def on_device(device: Device, like: Array) -> Tensor:
    """An output tensor that the caller allocates on the device, of an array's shape and type, with room to round up."""
    size = -(-max(like.nbytes, 1) // 32) * 32 + 32
    address = device.hbm.malloc(size)
    assert address is not None
    return Tensor(StorageShape.same(like.shape), dtype_of(like), data=TensorData(address, size, Placement.DEVICE_HBM))


def floats(*values: float) -> Array:
    """A float32 vector."""
    return np.array(values, np.float32)
