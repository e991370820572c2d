"""ModelV2Executor: the life of one loaded model (spec/execution.md 1.4 to 1.7).

Load runs Init, each Execute runs Main, UnLoad runs DeInit. Steps, checks, their order, statuses and texts are GE's: a
caller's mistake gives here what it gives there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from runtime.device.stream import Stream
from runtime.executors.arguments import (
    APPENDED_INPUTS,
    ModelExecuteArg,
    ModelLoadArg,
    RtSession,
    check_allocators,
    check_inputs_num,
    check_outputs_num,
    check_stream,
    check_tensors,
)
from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import GraphExecutor
from runtime.executors.io_reuse import check_reuse
from runtime.executors.life_cycle import EXECUTE, LOAD, NEXT, REFUSED, UNLOAD, State
from runtime.executors.refusals import (
    DEINIT_FAILED,
    INIT_FAILED,
    OTHER_SESSION,
    SESSION_ASSERT,
    SHORTAGE,
    SYNC_ASSERT,
    Refusal,
)
from runtime.executors.resources import EventAllocator, NotifyAllocator, StreamAllocator
from runtime.kernels.context import Cell
from runtime.kernels.machine import Machine
from runtime.kernels.memory import let_go
from runtime.kernels.status import Status
from runtime.lowering.model_desc import ModelDesc
from runtime.subscribers.phase import GraphType
from runtime.subscribers.scheduler import SubscribersScheduler
from runtime.values import Tensor

NO_VARIABLES = (1 << 64) - 1
"""``load_session_id_`` of a model without variables (UINT64_MAX)."""


@dataclass(slots=True)
class BuiltModel:
    """What the builder hands over: the three graphs, their values, the description and the promises of the model."""

    machine: Machine
    cells: Cells
    graphs: dict[GraphType, GraphExecutor]
    desc: ModelDesc
    subscribers: SubscribersScheduler
    reuse_pairs: list[tuple[int, int]] = field(default_factory=list)
    load_session_id: int = NO_VARIABLES


class ModelV2Executor:
    """One model, built; ``state`` says whether it is loaded."""

    def __init__(self, built: BuiltModel) -> None:
        self.state = State.INIT
        self.model = built
        self._device = built.machine.device
        self._journal = built.machine.journal
        self._streams = StreamAllocator(self._device)
        self._events = EventAllocator(self._device)
        self._notifies = NotifyAllocator(self._device)
        self._default_session = RtSession()
        self._default_stream: Stream | None = None

    def load(self, arg: ModelExecuteArg | None = None, load_arg: ModelLoadArg | None = None) -> int:
        """``Load``: run Init with the caller's stream. Anything that goes wrong gives PARAM_INVALID."""
        if refusal := REFUSED.get((self.state, LOAD)):
            return self._refuse(refusal)
        given = load_arg or ModelLoadArg()
        session = given.rt_session or self._default_session
        if refusal := self._check_session(session):
            return self._refuse(refusal, SESSION_ASSERT.about())
        init = self.model.graphs[GraphType.INIT]
        consts = (session, given.outer_weight_mem, self.model.desc)
        if refusal := check_inputs_num(len(consts), len(init.data.inputs)):
            return self._refuse(refusal)
        if refusal := self._specify(init.data.inputs, consts, arg or ModelExecuteArg()):
            return self._refuse(refusal)
        self._let_go_of_weights()
        if self._run(GraphType.INIT):
            return self._refuse(INIT_FAILED.about())
        self.state = NEXT[self.state, LOAD]
        return Status.SUCCESS

    def execute(
        self,
        arg: ModelExecuteArg,
        inputs: Sequence[Tensor | None] | None,
        outputs: Sequence[Tensor | None] | None,
    ) -> int:
        """``Execute``: run Main once, without waiting for the device. Gives the raw status of a kernel that failed."""
        refusal = REFUSED.get((self.state, EXECUTE)) or self._prepare(arg, inputs, outputs)
        return self._refuse(refusal) if refusal else self._run(GraphType.MAIN)

    def execute_sync(self, inputs: Sequence[Tensor | None] | None, outputs: Sequence[Tensor | None] | None) -> int:
        """``ExecuteSync``: Execute on a stream of the executor's own, and wait for it."""
        if self._default_stream is None:
            self._default_stream = self._device.create_stream()
        handle = self._default_stream.handle
        if status := self.execute(ModelExecuteArg(handle), inputs, outputs):
            return status
        if self.model.machine.synchronize(handle):
            return self._refuse(SYNC_ASSERT.about())
        return Status.SUCCESS

    def unload(self) -> int:
        """``UnLoad``: run DeInit, which gets no inputs. The model may be loaded again afterwards."""
        if refusal := REFUSED.get((self.state, UNLOAD)):
            return self._refuse(refusal)
        self._destroy_default_stream()
        if self._run(GraphType.DEINIT):
            return self._refuse(DEINIT_FAILED.about())
        self.state = NEXT[self.state, UNLOAD]
        return Status.SUCCESS

    def close(self) -> None:
        """Destroy the executor: its values end, the youngest first, then its streams. Later calls are refused."""
        self._journal.enter("")
        self.state = State.INIT
        self.model.graphs = {kind: graph.emptied() for kind, graph in self.model.graphs.items()}
        self.model.cells.release()
        self._destroy_default_stream()
        self._streams.close()
        self._events.close()
        self._notifies.close()

    def _destroy_default_stream(self) -> None:
        if self._default_stream is not None:
            self._device.destroy_stream(self._default_stream)
            self._default_stream = None

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
        return check_reuse(self.model.reuse_pairs, given, wanted)

    def _specify(self, cells: Sequence[Cell], values: Sequence[object], arg: ModelExecuteArg) -> Refusal | None:
        """Put the caller's values in place, then what ``OccupyStreamResource`` gives."""
        if refusal := check_allocators(arg) or check_stream(arg, self._device.streams):
            return refusal
        desc = self.model.desc
        streams_num = desc.reusable_stream_num + desc.attached_stream_num
        streams = (arg.external_stream_allocator or self._streams).acquire(streams_num)
        if not streams:
            return SHORTAGE["streams"].about(what="streams", count=streams_num)
        streams[0] = arg.stream
        events = (arg.external_event_allocator or self._events).acquire(desc.reusable_event_num)
        if events is None:
            return SHORTAGE["events"].about(what="events", count=desc.reusable_event_num)
        notifies = (arg.external_notify_allocator or self._notifies).acquire(desc.reusable_notify_num)
        if notifies is None:
            return SHORTAGE["notifies"].about(what="notifies", count=desc.reusable_notify_num)
        _put(cells, (*values, streams, arg.external_allocator, events, notifies))
        return None

    def _check_session(self, session: RtSession) -> Refusal | None:
        created = self.model.load_session_id
        if created in (NO_VARIABLES, session.session_id):
            return None
        return OTHER_SESSION.about(given=session.session_id, created=created)

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

    def _refuse(self, *refusals: Refusal) -> int:
        for refusal in refusals:
            self._journal.error(*refusal)
        return Status.PARAM_INVALID


def _put(cells: Sequence[Cell], values: Sequence[object]) -> None:
    """Set the values without a deleter: the executor never owns what the caller gave."""
    for cell, value in zip(cells, values, strict=True):
        cell.own(value)
