"""ModelV2Executor: the life of one loaded model (spec/execution.md 1.4 to 1.9).

Load runs Init, each Execute runs Main, UnLoad runs DeInit. Steps, checks, their order, statuses and texts are GE's: a
caller's mistake gives here what it gives there. GE's hooks before and behind a graph (``ExeGraphExecutor::Load`` and
``UnLoad``) do nothing and cannot fail, so nothing stands for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from getrace.events import Level
from getrace.events.text import LogLine
from runtime.device.errors import ApiError
from runtime.device.stream import Stream
from runtime.executors.aipp import AippInformation
from runtime.executors.arguments import (
    APPENDED_INPUTS,
    ModelExecuteArg,
    ModelLoadArg,
    check_inputs_num,
    check_outputs_num,
    check_stream,
    check_tensors,
)
from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import GraphExecutor
from runtime.executors.io_reuse import check_reuse
from runtime.executors.life_cycle import EXECUTE, LOAD, NEXT, REFUSED, UNLOAD, State
from runtime.executors.occupancy import occupy
from runtime.executors.one_thread import OneThread
from runtime.executors.refusals import (
    DEINIT_FAILED,
    DESC_IS_NULL,
    INIT_FAILED,
    OTHER_SESSION,
    REUSE_START,
    SESSION_ASSERT,
    SYNC_ASSERT,
    Refusal,
)
from runtime.executors.resources import Resources
from runtime.executors.rt_session import RtSession
from runtime.executors.step_tuning import StepTuning
from runtime.executors.variable_setup import NO_VARIABLES
from runtime.kernels.context import Cell
from runtime.kernels.machine import Machine
from runtime.kernels.memory import let_go
from runtime.kernels.status import Status
from runtime.lowering.model_desc import ModelDesc
from runtime.subscribers.iterations import IterationCounter
from runtime.subscribers.phase import GraphType
from runtime.subscribers.scheduler import SubscribersScheduler
from runtime.values import Tensor

EMPTY_DESC = ModelDesc("", (), (), reusable_stream_num=0)
"""What a query gets when there is no description."""


@dataclass(slots=True)
class BuiltModel:
    """What the builder hands over: the three graphs, their values, the description and the promises of the model."""

    machine: Machine
    cells: Cells
    graphs: dict[GraphType, GraphExecutor]
    desc: ModelDesc | None
    subscribers: SubscribersScheduler
    reuse_pairs: list[tuple[int, int]] = field(default_factory=list)
    load_session_id: int = NO_VARIABLES
    aipp: AippInformation = field(default_factory=AippInformation)
    iterations: IterationCounter | None = None
    tuning: StepTuning | None = None


class ModelV2Executor:
    """One model, built; ``state`` says whether it is loaded."""

    def __init__(self, built: BuiltModel) -> None:
        self.state = State.INIT
        self.model = built
        self._device = built.machine.device
        self._journal = built.machine.journal
        self._own = Resources(self._device)
        self._default_session = RtSession()
        self._default_stream: Stream | None = None
        self._door = OneThread(f"the executor of model {self.get_model_desc().name}")

    def load(self, arg: ModelExecuteArg | None = None, load_arg: ModelLoadArg | None = None) -> int:
        """``Load``: run Init with the caller's stream. Anything that goes wrong gives PARAM_INVALID."""
        with self._door:
            return self._load(arg or ModelExecuteArg(), load_arg or ModelLoadArg())

    def execute(
        self,
        arg: ModelExecuteArg,
        inputs: Sequence[Tensor | None] | None,
        outputs: Sequence[Tensor | None] | None,
    ) -> int:
        """``Execute``: run Main once, without waiting for the device. Gives the raw status of a kernel that failed."""
        with self._door:
            if refusal := REFUSED.get((self.state, EXECUTE)) or self._prepare(arg, inputs, outputs):
                return self._refuse(refusal)
            if self.model.tuning is not None:
                return self.model.tuning.step(arg.stream, lambda: self._run(GraphType.MAIN))
            return self._run(GraphType.MAIN)

    def execute_sync(self, inputs: Sequence[Tensor | None] | None, outputs: Sequence[Tensor | None] | None) -> int:
        """``ExecuteSync``: Execute on a stream of the executor's own, and wait for it.

        Without such a stream the device's own code comes back.
        """
        with self._door:
            if self._default_stream is None:
                try:
                    self._default_stream = self._device.create_stream()
                except ApiError as error:
                    return error.code
            handle = self._default_stream.handle
            if status := self.execute(ModelExecuteArg(handle), inputs, outputs):
                return status
            if self.model.machine.synchronize(handle):
                return self._refuse(SYNC_ASSERT.about())
            return Status.SUCCESS

    def unload(self) -> int:
        """``UnLoad``: run DeInit, which gets no inputs. The model may be loaded again afterwards."""
        with self._door:
            if refusal := REFUSED.get((self.state, UNLOAD)):
                return self._refuse(refusal)
            self._destroy_default_stream()
            if self._run(GraphType.DEINIT):
                return self._refuse(DEINIT_FAILED.about())
            self.state = NEXT[self.state, UNLOAD]
            return Status.SUCCESS

    def close(self) -> None:
        """Destroy the executor: its values end, the youngest first, then its streams. Later calls are refused."""
        with self._door:
            self._journal.enter("")
            self.state = State.INIT
            self.model.graphs = {kind: graph.emptied() for kind, graph in self.model.graphs.items()}
            self.model.cells.release()
            self._destroy_default_stream()
            self._own.close()

    def get_model_desc(self) -> ModelDesc:
        """``GetModelDesc``: the model's description; without one an error record and an empty one."""
        if self.model.desc is None:
            self._refuse(DESC_IS_NULL.about())
            return EMPTY_DESC
        return self.model.desc

    def set_model_desc(self, desc: ModelDesc | None) -> None:
        """``SetModelDesc``."""
        self.model.desc = desc

    def get_iteration_num(self) -> int:
        """``GetIterationNum``: the device profiler's count, which moves only while it is on; 0 without a profiler."""
        return 0 if self.model.iterations is None else self.model.iterations.count

    def get_exe_graph_executor(self, graph: GraphType) -> GraphExecutor | None:
        """``GetExeGraphExecutor``: the executor of Init, Main or DeInit, None for any other number."""
        return self.model.graphs.get(graph)

    def get_subscribers(self) -> SubscribersScheduler:
        """``GetSubscribers``."""
        return self.model.subscribers

    def get_file_constant_weight_dir(self) -> str:
        """``GetFileConstantWeightDir``: the folder of weights that are not in the model."""
        return self.get_model_desc().file_constant_weight_dir

    def set_file_constant_weight_dir(self, folder: str) -> None:
        """``SetFileConstantWeightDir``: the next Load reads weights from there."""
        self.model.desc = replace(self.get_model_desc(), file_constant_weight_dir=folder)

    def get_aipp(self) -> AippInformation:
        """``GetAippInfo``, ``GetAippType`` and the queries of dims: they are methods of what this gives."""
        return self.model.aipp

    def _load(self, arg: ModelExecuteArg, given: ModelLoadArg) -> int:
        if refusal := REFUSED.get((self.state, LOAD)):
            return self._refuse(refusal)
        session = given.rt_session or self._default_session
        if refusal := self._init_variables(session):
            return self._refuse(refusal, SESSION_ASSERT.about())
        init = self.model.graphs[GraphType.INIT]
        consts = (session, given.outer_weight_mem, self.model.desc)
        refusal = check_inputs_num(len(consts), len(init.data.inputs)) or self._specify(init.data.inputs, consts, arg)
        if refusal:
            return self._refuse(refusal)
        self._let_go_of_weights()
        if self._run(GraphType.INIT):
            return self._refuse(INIT_FAILED.about())
        self.state = NEXT[self.state, LOAD]
        return Status.SUCCESS

    def _init_variables(self, session: RtSession) -> Refusal | None:
        """``InitRtVarManager``: a model with variables runs in the session it was built for."""
        created = self.model.load_session_id
        if created == NO_VARIABLES:
            return None
        if session.session_id != created:
            return OTHER_SESSION.about(given=session.session_id, created=created)
        if session.var_manager is None:
            session.var_manager = self.model.machine.variables.of(created)
        return None

    def _prepare(
        self,
        arg: ModelExecuteArg,
        inputs: Sequence[Tensor | None] | None,
        outputs: Sequence[Tensor | None] | None,
    ) -> Refusal | None:
        """Check and place in GE's order. None for an array is a null pointer with the right number beside it."""
        main = self.model.graphs[GraphType.MAIN].data
        given, wanted = inputs or (), outputs or ()
        number = len(main.inputs) - APPENDED_INPUTS if inputs is None else len(inputs)
        refusal = (
            check_inputs_num(number, len(main.inputs))
            or check_tensors(inputs, number, "inputs")
            or self._specify(main.inputs, given, arg)
        )
        if refusal:
            return refusal
        number = len(main.outputs) if outputs is None else len(outputs)
        refusal = check_outputs_num(number, len(main.outputs)) or check_tensors(outputs, number, "outputs")
        if refusal:
            return refusal
        _put(main.outputs, wanted)
        return self._check_reuse(given, wanted)

    def _check_reuse(self, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor | None]) -> Refusal | None:
        """``CheckIoReuseAddrs``."""
        pairs = self.model.reuse_pairs
        if self._journal.bus.admits("GE", Level.DEBUG):  # the only text that each Execute would spell for nobody
            text = f"Start to check io reuse addr pairs, io_same_addr_pairs count: {len(pairs)}, "
            text += f"input num: {len(inputs)}, output num: {len(outputs)}"
            self._journal.say(LogLine("GE", *REUSE_START, text), level=Level.DEBUG)
        return check_reuse(pairs, inputs, outputs)

    def _specify(self, cells: Sequence[Cell], values: Sequence[object], arg: ModelExecuteArg) -> Refusal | None:
        """Put the caller's values in place, then the streams, the caller's allocators, the events and the notifies."""
        if refusal := check_stream(arg, self._device.streams):
            return refusal
        occupied = occupy(arg, self.get_model_desc(), self._own)
        if isinstance(occupied, Refusal):
            return occupied
        _put(cells, (*values, occupied.streams, arg.external_allocator, occupied.events, occupied.notifies))
        return None

    def _let_go_of_weights(self) -> None:
        """Release what an earlier Load left: weights stay over UnLoad, and Init is about to end their allocator."""
        self._journal.enter("load")
        let_go(cell for node in self.model.graphs[GraphType.INIT].data.nodes for cell in node.context.outputs)
        self._journal.enter("")

    def _run(self, graph: GraphType) -> int:
        executor = self.model.graphs[graph]
        self._journal.enter(graph.name.lower())
        profile = self._device.profile
        self._device.clock.spend(profile["host_kernel_ns"] * len(executor.data.nodes))
        try:
            return executor.execute(self.model.subscribers)
        finally:
            self._journal.enter("")

    def _destroy_default_stream(self) -> None:
        if self._default_stream is not None:
            self._device.destroy_stream(self._default_stream)
            self._default_stream = None

    def _refuse(self, *refusals: Refusal) -> int:
        for refusal in refusals:
            self._journal.error(*refusal)
        return Status.PARAM_INVALID


def _put(cells: Sequence[Cell], values: Sequence[object]) -> None:
    """Set the values without a deleter: the executor never owns what the caller gave."""
    for cell, value in zip(cells, values, strict=True):
        cell.own(value)
