"""Models with variables, and machines on which several executors are built."""

from collections.abc import Sequence
from dataclasses import replace

from simulated_runs import Recorder

from getrace.bus import Bus
from getrace.events import Level, Origin
from getrace.events.text import LogLine
from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.executors.builder import build_executor
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.rt_session import RtSession
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.kernels.families import builtin_kernels
from runtime.kernels.machine import Machine
from runtime.kernels.registry import KernelRegistry
from runtime.lowering.pipeline import lower_model
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.ops.builtin import builtin_ops


def machine_for_tests(recorder: Recorder | None = None, level: Level = Level.INFO) -> Machine:
    """A process on a device of which nothing is used yet."""
    device = Device(find_profile("ascend910b"), seed=0, start_ns=0)
    bus = Bus(now=device.clock.stamp, levels={"GE": level})
    if recorder is not None:
        bus.subscribe(recorder)
    journal = Journal(bus, Origin(1, "test", 1))
    return Machine(device, journal, ProcessMemory(device, journal), builtin_ops())


def executor_on(
    machine: Machine,
    graph: ComputeGraph,
    session: RtSession | None = None,
    kernels: KernelRegistry | None = None,
) -> ModelV2Executor:
    """One more executor on a machine: the model lowered and built."""
    root = lower_model(graph, LoweringOptions(library=library_of(machine.ops))).root
    return build_executor(root, machine, kernels or builtin_kernels(), session=session)


def variable_writer(name: str = "v", dims: Sequence[int] = (4,)) -> ComputeGraph:
    """v = x1 + x2; the sum is the model's output, too."""
    graph = GraphBuilder("writer")
    graph.op("Variable", name=name, outputs=[nd_desc(dims)], engine=GE_LOCAL)
    x1, x2 = graph.data("x1", dims), graph.data("x2", dims)
    written = replace(nd_desc(dims), variable=name)
    return graph.output(graph.op("AddExample", x1, x2, name="add", outputs=[written])).build()


def variable_reader(name: str = "v", dims: Sequence[int] = (4,)) -> ComputeGraph:
    """y = v + x."""
    graph = GraphBuilder("reader")
    variable = graph.op("Variable", name=name, outputs=[nd_desc(dims)], engine=GE_LOCAL)
    return graph.output(graph.op("AddExample", variable, graph.data("x", dims), name="add")).build()


def error_texts(recorder: Recorder) -> list[str]:
    """The texts of all error records, the oldest first."""
    return [item.event.text for item in recorder.heard if item.level == Level.ERROR and isinstance(item.event, LogLine)]


def line_texts(recorder: Recorder) -> list[str]:
    """The texts of all ordinary lines, of any level."""
    return [item.event.text for item in recorder.heard if isinstance(item.event, LogLine)]
