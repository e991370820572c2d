"""One simulated process: a model is lowered, loaded, run some steps, unloaded, and the process ends.

This is what the command line calls. It owns the order of these things and the numbers that sum a run up; how each is
done belongs to the rooms below.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from getrace.bus import Bus
from getrace.dumps.snapshot import GraphSnapshot
from getrace.events.graphs import GraphSeen
from runtime.api.executor_choice import check_choice, lowering_for
from runtime.api.ge_process import DEFAULT_START_NS, origin_of, process_on
from runtime.api.host_tensors import free_device, free_host, free_output, to_array, to_device, to_tensor
from runtime.api.input_types import with_input_types
from runtime.api.inputs import Array, asked_types, make_inputs
from runtime.api.models import Model
from runtime.api.support import check_kernels, check_support
from runtime.device.device import Device
from runtime.device.errors import SYNC_TIMEOUT, ApiError
from runtime.device.fault_plan import FaultPlan, ProcessKilled
from runtime.device.fault_spec import parse_fault
from runtime.device.profile_file import profile_of
from runtime.device.stream import Stream
from runtime.engines.options import LoweringOptions
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.builder import build_executor
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.options import ExecutorOption
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.stream_spread import spread
from runtime.graph.to_snapshot import snapshot_of
from runtime.kernels.machine import Machine
from runtime.lowering.model_desc import ModelDesc
from runtime.lowering.pipeline import lower_model
from runtime.lowering.stages import BEFORE_LOWERING, BEFORE_OPTIMIZE, FINAL
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.journal import Journal
from runtime.subscribers.phase import GraphType
from runtime.values import Placement, Shape, StorageShape, Tensor

KILLED: Final = 137
"""Status of a process that was killed, as a shell tells it: 128 and the number of the signal."""

SHOWN_STAGES: Final = frozenset({BEFORE_LOWERING, BEFORE_OPTIMIZE, FINAL})
"""The stages a run always publishes: those GE dumps when its switch is on and nobody asks for more."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run: ``steps`` executions on device ``profile``; everything else that varies comes from ``seed``.

    ``all_stages`` publishes the graph after each step of the lowering, not only before, between and behind them.
    ``faults`` are what shall go wrong, in the grammar of ``device.fault_spec``. With ``multi_stream`` a model that has
    one stream is spread over several; inputs lie on the device then: GE does not order their copies with events.
    With ``external_allocator`` the caller brings the level-1 allocator of device memory.
    ``executor`` is what Main is to be run by; Init and DeInit choose for themselves.
    """

    profile: str = "ascend910b"
    seed: int = 0
    start_time_ns: int = DEFAULT_START_NS
    steps: int = 1
    inputs: tuple[str, ...] = ()
    all_stages: bool = False
    faults: tuple[str, ...] = ()
    executor: ExecutorOption = field(default_factory=ExecutorOption)
    multi_stream: bool = False
    external_allocator: bool = False


@dataclass(slots=True)
class RunResult:
    """What came of a run. ``outputs`` and ``inputs`` by name, in order; sizes in bytes; ``status`` 0 is success.

    ``peak_bytes`` is the most that was in use of the model's pool, in pages; ``leaked_bytes`` what the
    process could not give back to the driver when it ended.
    ``kernels`` counts the kernels of the graphs that ran to their end; ``fault`` says what died on the device.
    ``unmet`` are sentences on faults that never happened. ``stopped`` says that the caller ended the run before its
    last step, ``killed`` that a fault ended the process.
    """

    status: int = 0
    steps: int = 0
    kernels: int = 0
    nodes: dict[str, int] = field(default_factory=dict)
    peak_bytes: int = 0
    leaked_bytes: int = 0
    device_time_ns: int = 0
    inputs: dict[str, Array] = field(default_factory=dict)
    outputs: dict[str, Array] = field(default_factory=dict)
    snapshots: list[GraphSnapshot] = field(default_factory=list)
    fault: str = ""
    stopped: bool = False
    killed: bool = False
    unmet: list[str] = field(default_factory=list)


def run_model(model: Model, options: RunOptions, bus: Bus, stop: Callable[[], bool] = bool) -> RunResult:
    """Run a model and publish everything on ``bus``, whose clock becomes the simulated host's.

    ``stop`` is asked before each step; when it says yes the model is unloaded as after the last one.
    Raises UsageError for options that do not fit, ModelError for a model that cannot be lowered or built. A kernel
    that fails is no exception: ``status`` says so.
    """
    faults = FaultPlan([parse_fault(text) for text in options.faults], options.seed)
    profile = profile_of(options.profile)
    device = Device(profile, seed=options.seed, start_ns=options.start_time_ns, faults=faults)
    process = process_on(device, bus, origin_of(options.seed), {})
    machine, journal = process.machine, process.machine.journal
    graph = with_input_types(model.graph, asked_types(options.inputs), machine.ops)
    check_support(graph, machine.ops, device.profile)
    if options.multi_stream:
        spread(graph)
    result = RunResult()
    lowering = lowering_for(options.executor, process.lowering)
    root = _lowered(graph, lowering, journal, result, all_stages=options.all_stages)
    check_choice(options.executor, root)
    desc = root.attrs["ModelDesc"]
    assert isinstance(desc, ModelDesc)
    result.inputs = make_inputs(model, desc.inputs, options.inputs, options.seed, device.profile["hbm_bytes"])
    check_kernels(model.name, root, process.kernels)
    faults.check_names(_names(root))
    session = RtSession()
    executor = build_executor(root, machine, process.kernels, options.executor, session=session)
    try:
        _Process(machine, executor, desc, result, session, options).run(stop)
    except ProcessKilled as end:
        result.status, result.killed, result.fault = KILLED, True, f"the process was {end}"
    except ApiError as error:  # the process's own stream
        result.status, result.fault = error.code, f"the process could not begin: {error}"
    result.unmet = [f"--fault {text} met nothing: {why}" for text, why in faults.unmet()]
    return result


def _names(root: ExecuteGraph) -> set[str]:
    """Give all names that a task can have: operators and their types, kernels and theirs."""
    kernels = {name for node in root.all_nodes() for name in (node.name, node.type)}
    return kernels | {name for node in root.compute_nodes for name in (node.name, node.type)}


def _lowered(
    graph: ComputeGraph, options: LoweringOptions, journal: Journal, result: RunResult, *, all_stages: bool
) -> ExecuteGraph:
    def see(stage: str, seen: ComputeGraph | ExecuteGraph) -> None:
        if not (all_stages or stage in SHOWN_STAGES):
            return
        snapshot = snapshot_of(seen, stage)
        if stage in SHOWN_STAGES:
            result.snapshots.append(snapshot)
        journal.show(GraphSeen(snapshot))

    lowered = lower_model(graph, options, see=see)
    for applied in lowered.passes:
        journal.show(applied)
    root = lowered.root
    result.nodes = {kind: len(root.owned_by(type_name).nodes) for kind, type_name in _GRAPHS.items()}
    return root


_GRAPHS = {"init": "Init", "main": "Main", "deinit": "DeInit"}


class _Process:
    """The caller's side of one executor, from Load to the end of the process."""

    def __init__(
        self,
        machine: Machine,
        executor: ModelV2Executor,
        desc: ModelDesc,
        result: RunResult,
        session: RtSession,
        options: RunOptions,
    ) -> None:
        self._machine = machine
        self._executor = executor
        self._desc = desc
        self._result = result
        self._session = session
        self._options = options
        self._stream: Stream = machine.device.create_stream()
        self._allocator: CachingMemAllocator | None = None
        if options.external_allocator:
            self._allocator = CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)

    def run(self, stop: Callable[[], bool]) -> None:
        device, result = self._machine.device, self._result
        put, free = (to_device, free_device) if self._options.multi_stream else (to_tensor, free_host)
        inputs = [put(device, array) for array in result.inputs.values()]
        result.status = self._executor.load(self._arg(), ModelLoadArg(self._session))
        if not result.status:
            self._count(GraphType.INIT)
            for _ in range(self._options.steps):
                if stop():
                    result.stopped = True
                    break
                result.status = self._step(inputs)
                if result.status:
                    break
            self._unload()
        for tensor in inputs:
            free(device, tensor)
        self._end()

    def _arg(self) -> ModelExecuteArg:
        own = self._allocator
        return ModelExecuteArg(self._stream.handle, None if own is None else {Placement.DEVICE_HBM: own})

    def _step(self, inputs: Sequence[Tensor]) -> int:
        outputs = [Tensor(StorageShape(Shape(), Shape())) for _ in self._desc.outputs]
        status = self._executor.execute(self._arg(), inputs, outputs)
        status = status or self._machine.wait(self._stream.handle)
        if status == SYNC_TIMEOUT:
            self._result.fault = f"stream {self._stream.rt_id} waited in vain: an event that it needs was not recorded"
        if not status:
            self._count(GraphType.MAIN)
            self._result.steps += 1
            names = (io.name for io in self._desc.outputs)
            arrays = (to_array(self._machine.device, tensor) for tensor in outputs)
            self._result.outputs = dict(zip(names, arrays, strict=True))
        for tensor in outputs:
            free_output(tensor)
        return status

    def _unload(self) -> None:
        if self._result.status:
            self._machine.device.abort()
        status = self._executor.unload()
        self._result.status = self._result.status or status
        if not status:
            self._count(GraphType.DEINIT)

    def _end(self) -> None:
        machine, result = self._machine, self._result
        machine.device.synchronize(self._stream.handle)
        pools = [allocator.pool.tally for allocator in machine.caching]
        self._executor.close()
        machine.variables.drop(self._session.session_id)
        if self._allocator is not None:
            self._allocator.close()
        if not machine.memory.finalize():
            result.leaked_bytes = machine.memory.occupied_bytes
        result.peak_bytes = sum(tally.theory_min for tally in pools)
        result.device_time_ns = machine.device.device_time_ns
        for fault in machine.device.died_of[:1]:
            result.fault = f"{fault.task.name} died on the device: {type(fault.error).__name__}: {fault.error}"

    def _count(self, graph: GraphType) -> None:
        self._result.kernels += len(self._executor.model.graphs[graph].data.nodes)
