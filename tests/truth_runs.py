"""Reference cases of GE run here: the model rebuilt from its dump, the same shapes, executor, outputs and failures.

What a case does is in its name, in the table of its suite and in its log: shapes of the inputs, the kernel that fails.
"""

import ctypes
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from simulated_runs import empty_output
from truth_facts import facts_of
from truth_lowering import lowerings
from truth_memory_lines import lines_of_ge

from getrace.bus import Bus
from getrace.events import Event, Level, Origin
from getrace.events.graphs import GraphEvent
from getrace.plog.spelling import spell_lines
from runtime.api.host_tensors import free_output
from runtime.device.device import Device
from runtime.device.profiles import PROFILES, Parameter
from runtime.engines.builtin import builtin_converters
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.builder import build_executor
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.naming import IdSource
from runtime.kernels.context import KernelContext
from runtime.kernels.families import builtin_kernels
from runtime.kernels.machine import Machine
from runtime.kernels.registry import Kernel, KernelRegistry
from runtime.lowering.pipeline import lower_model
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.memory.span import MemBlock
from runtime.memory.tensor_data import BlockOwner
from runtime.ops.builtin import builtin_ops
from runtime.ops.context import InferShapeContext, TilingContext
from runtime.ops.op_def import AiCoreConfig, InferShape, IoDef, KernelArgs, OpDef, TilingFunc
from runtime.ops.registry import OpRegistry, op_add
from runtime.values import DType, Placement, StorageShape, Tensor, TensorData

USUAL, SMALL = 32 << 30, 128 << 20
"""Bytes of HBM in the made cases, and in those that run out of it."""

_SHAPE = re.compile(r"CalcTensorSizeFromStorage_(?P<data>data\d+)_\d+\]Data type: 0, Shape: \[(?P<dims>[\d, ]*)\]")
_FAILED = re.compile(r"ERROR.*OnExecuteEvent: .*\[KernelTrace\]\[(?P<kernel>[^\]]+)\]")
_START, _END = "[KernelTrace] Start model tracing", "[KernelTrace] End model tracing"
_INFERRED_TYPE = re.compile(r"\[InferShape_[^\]]+\]node_type\[(?P<type>\w+)\]")
_INFERRED = re.compile(r"\[InferShape_[^\]]+\]output original shapes: \[\w+ \w+ \[(?P<dims>[\d, ]*)\]\]")
_FAULT = 0x1234
_WORKSPACES = re.compile(r"Tiling workspace num: (?P<count>\d+), .* append workspace size:\[(?P<sizes>[\d ]+)\]")


@dataclass(slots=True)
class Step:
    """One Execute: shapes of the inputs by name, and the kernel that fails in it, or ""."""

    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    failing: str = ""


def runs_of(log: Path) -> list[Step]:
    """Read from GE's log what each traced run was given; one that failed early has the shapes of the one before."""
    runs: list[Step] = []
    for line in lines_of_ge(log):
        if _START in line:
            earlier = next((run.shapes for run in reversed(runs) if run.shapes), {})
            runs.append(Step(dict(earlier)))
        elif runs and (shape := _SHAPE.search(line)):
            dims = tuple(int(dim) for dim in shape["dims"].split(",") if dim.strip())
            runs[-1].shapes[shape["data"]] = dims
        elif runs and (failed := _FAILED.search(line)):
            runs[-1].failing = failed["kernel"]
    return runs


def shapes_of(log: Path) -> dict[str, tuple[int, ...]]:
    """Read from GE's log the shape that each type of operator infers, for the shape functions of GE's own tests."""
    found: dict[str, tuple[int, ...]] = {}
    kind = ""
    for line in lines_of_ge(log):
        if named := _INFERRED_TYPE.search(line):
            kind = named["type"]
        elif kind and (shape := _INFERRED.search(line)):
            found.setdefault(kind, tuple(int(dim) for dim in shape["dims"].split(",") if dim.strip()))
    return found


class _Lender:
    """Owner of the caller's tensors: nothing happens when the runtime lets go of them."""

    def share(self, block: MemBlock) -> None:
        """One more holds the tensor."""

    def free(self, block: MemBlock) -> None:
        """One less does."""


@dataclass(frozen=True, slots=True)
class _Lent:
    handle: int
    addr: int
    size: int


class TilingData(ctypes.LittleEndianStructure):
    """The 8 bytes that the fake tiling of GE's tests writes."""

    _fields_ = (("value", ctypes.c_int64),)


def _tiling_of(workspaces: tuple[int, ...]) -> TilingFunc:
    def tiling(context: TilingContext) -> int:
        data = context.get_tiling_data(TilingData)
        assert data is not None
        data.value = 0x64
        context.set_block_dim(32)
        context.workspace_sizes = list(workspaces)
        return 0

    return tiling


def workspaces_of(log: Path) -> tuple[int, ...]:
    """Read from GE's log which workspaces its fake tiling asks for; those that are known before stand behind them."""
    found = next((found for line in lines_of_ge(log) if (found := _WORKSPACES.search(line))), None)
    return () if found is None else tuple(int(size) for size in found["sizes"].split())[: int(found["count"])]


def infer_as(ops: OpRegistry, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Let operators of these types infer these shapes."""
    for kind, dims in shapes.items():
        if ops.get(kind) is None:
            io = IoDef("x", (DType.FLOAT,)), IoDef("y", (DType.FLOAT,))
            op_add(ops, OpDef(kind, io[:1], io[1:], {"ascend910b": AiCoreConfig(dynamic_shape=True)}))
        ops.find(kind).infer_shape = _always(dims)


def _always(dims: tuple[int, ...]) -> InferShape:
    def infer_shape(context: InferShapeContext) -> int:
        output = context.get_output_shape(0)  # of a second output GE's functions say nothing
        output.set_dim_num(len(dims))
        for index, dim in enumerate(dims):
            output.set_dim(index, dim)
        return 0

    return infer_shape


def _nothing(_args: KernelArgs) -> None:
    """The kernel on a device that runs nothing."""


def truth_ops(
    workspaces: tuple[int, ...] = (4096,), shapes: Mapping[str, tuple[int, ...]] = MappingProxyType({})
) -> OpRegistry:
    """The operators of GE's tests: their tiling asks for workspaces, some have shapes that never change, none runs."""
    ops, tiling = builtin_ops(), _tiling_of(workspaces)
    infer_as(ops, shapes)
    for op in ops:
        op.tiling, op.tiling_data = tiling, TilingData
        op.compute = _nothing
    return ops


_RELOADED = ("load 0", "load 1", "run 0", "run 1", "run 0", "run 1", "run 0", "end 0", "run 1")
PLANS: Mapping[str, tuple[str, ...]] = {
    "TruthMultiStream.two_models_alternate": (*_RELOADED, "end 1"),
    "TruthMultiStream.two_models_alternate_external": (*_RELOADED, "load 0", "run 0", "run 1", "end 0", "end 1"),
    "TruthSingleStream.two_models_alternate": (*_RELOADED, "load 0", "run 0", "run 1", "end 0", "end 1"),
}
"""What the cases with two models do; the others load one, run it and unload it."""


def truth_machine(total: int, ops: OpRegistry, log: list[str]) -> Machine:
    """A process on a device of ``total`` bytes that prints into ``log``."""
    profile = PROFILES["ascend910b"]
    parameters = {**profile.parameters, "hbm_bytes": Parameter(total)}
    device = Device(replace(profile, parameters=parameters), seed=0, start_ns=0)
    device.hbm.capacity = None  # GE's tests take device memory from the heap: only the limits count
    bus = Bus(now=device.clock.stamp, levels={"GE": Level.INFO})

    def write(time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        if not isinstance(event, GraphEvent):
            log.extend(spell_lines(time_ns, origin, level, kernel, event))

    bus.subscribe(write)
    journal = Journal(bus, Origin(1, "test", 1))
    return Machine(device, journal, ProcessMemory(device, journal), ops)


class TruthRun:
    """One process that does what the process of a case did; ``log`` is what it prints.

    ``steps`` are the Executes as GE's log shows them, with the kernel that failed in each.
    """

    def __init__(self, cases: Path, case: str, option: ExecutorOption | None = None) -> None:
        self.case = case
        self.log: list[str] = []
        log = cases / "truth" / "logs" / f"{case}.log.gz"
        runs = runs_of(log)
        self._plan = PLANS.get(case, ("load 0", *["run 0"] * (len(runs) - 2), "end 0"))
        self.steps = [run for step, run in zip(self._plan, runs, strict=True) if step.startswith("run")]
        self._failing = ""
        shapes = {} if case.startswith("Truth") else shapes_of(log)
        total = USUAL if case.startswith("Truth") and "oom" not in case else SMALL
        self._machine = truth_machine(total, truth_ops(workspaces_of(log), shapes), self.log)
        self._machine.memory.start()
        self._stream = self._machine.device.create_stream().handle
        self._external = self._user_allocator()
        self._roots = self._lowered(cases / "truth" / "dumps")
        self._kernels = KernelRegistry(map(self._breakable, builtin_kernels()))
        self._option = option or _executor(cases, case)
        self._executors: dict[int, ModelV2Executor] = {}
        self._held: list[Tensor] = []

    def run(self) -> Iterator[int]:
        """Do all of it; gives the status of each step."""
        steps = iter(self.steps)
        for action in self._plan:
            what, _, model = action.partition(" ")
            if what == "run":
                yield self._step(self._executors[int(model)], next(steps))
            elif what == "load":
                root = self._roots[int(model)]
                executor = build_executor(root, self._machine, self._kernels, self._option)
                self._executors[int(model)] = executor
                assert executor.load(ModelExecuteArg(self._stream)) == 0
            else:
                self._end(self._executors.pop(int(model)))
        if self._external is not None:
            self._external.close()
        self._machine.memory.finalize()

    def _end(self, executor: ModelV2Executor) -> None:
        assert executor.unload() == 0
        if not _outlives(self.case):
            self._free_held()
        executor.close()
        self._free_held()

    def _lowered(self, dumps: Path) -> list[ExecuteGraph]:
        facts, ids = facts_of(self.case), IdSource()
        registry = builtin_converters().extended(facts.converters)
        return [
            lower_model(lowering.model(facts), facts.options, ids, registry).root
            for lowering in lowerings(dumps, self.case)
        ]

    def _user_allocator(self) -> CachingMemAllocator | None:
        """GE's tests bring a caching allocator of their own, made before the model is built."""
        if "external" not in self.case.lower():
            return None
        machine = self._machine
        return CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)

    def _breakable(self, kernel: Kernel) -> Kernel:
        def run(context: KernelContext) -> int:
            return _FAULT if context.name == self._failing else kernel.run(context)

        return replace(kernel, run=run)

    def _step(self, executor: ModelV2Executor, step: Step) -> int:
        self._failing = step.failing
        given = {dims: self._lent(dims) for dims in set(step.shapes.values())}
        desc = executor.model.desc
        assert desc is not None
        names = [io.name for io in desc.inputs]
        inputs = [given[step.shapes.get(name, next(iter(given)))] for name in names]
        count = len(desc.outputs)
        largest = max(given, key=math.prod)
        owned = _outputs_are_made(self.case)
        outputs = [empty_output() if owned else self._lent(largest) for _ in range(count)]
        if "rtMalloc_Failed" in self.case:
            self._machine.device.hbm.capacity, self._failing = 0, ""
        external = None if self._external is None else {Placement.DEVICE_HBM: self._external}
        arg = ModelExecuteArg(self._stream, external)
        status = executor.execute(arg, inputs, outputs) or self._machine.synchronize(self._stream)
        if owned:
            self._held.extend(outputs)
        if not _outlives(self.case) and not any(word in self.case for word in ("free_after", "keep")):
            self._free_held()
        return status

    def _lent(self, dims: tuple[int, ...]) -> Tensor:
        """A tensor of the caller's on the device, with somebody who owns it."""
        size = -(-math.prod(dims) * 4 // 32) * 32 + 32
        address = self._machine.device.hbm.malloc(size)
        assert address is not None
        owner = BlockOwner(_Lender(), _Lent(0, address, size))
        data = TensorData(address, size, Placement.DEVICE_HBM, owner)
        return Tensor(StorageShape.same(dims), DType.FLOAT, data=data)

    def _free_held(self) -> None:
        for tensor in self._held:
            free_output(tensor)
        self._held.clear()


def _outlives(case: str) -> bool:
    """Whether outputs are freed after the executor has ended."""
    return any(word in case for word in ("external_model_alloc", "InnerAllocOutMem"))


def _outputs_are_made(case: str) -> bool:
    """Whether the model allocates its outputs; the larger case that runs out of memory repeats one that does."""
    return "model_alloc" in case or "InnerAllocOutMem" in case or case.endswith("oom_random60_8streams")


def _executor(cases: Path, case: str) -> ExecutorOption:
    with (cases / "truth" / "index.tsv").open(encoding="utf-8") as rows:
        row = next(row.split("\t") for row in rows if row.startswith(f"{case}\t"))
    return ExecutorOption(ExecutorKind(row[2]))
