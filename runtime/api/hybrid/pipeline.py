"""RtV2PipelineExecutor: a model in stages, each with an executor, a stream and a thread (spec/execution.md 3.9).

The first stage runs in the caller's thread and on the caller's stream, the others are daemons that wait for a word.
What a stage makes is handed to the next one by ``StageState``; this file only starts, waits and stops.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import Final

from getrace.errors import ModelError
from runtime.api.ge_process import GeProcess
from runtime.api.hybrid.model import HybridModel
from runtime.api.hybrid.stage_graph import plan_stages
from runtime.api.hybrid.stage_state import Belt, StageState, shared
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.builder import build_executor
from runtime.executors.rt_session import RtSession
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, transfer
from runtime.values import Tensor

_FILE: Final = "rt_v2_pipeline_executor.cc"
_BUILD: Final = (_FILE, 280, "Create")
_LOAD: Final = (_FILE, 328, "Load")
_LOAD_DAEMON: Final = (_FILE, 338, "Load")
_FAILED: Final = (_FILE, 365, "Execute")
_STOP: Final = (_FILE, 374, "Unload")
_STOPPED: Final = (_FILE, 376, "Unload")

THREAD_NAME: Final = "ge_exe_ldstage"


@dataclass(slots=True)
class _Task:
    """The word to a daemon: run this many steps on these feeds."""

    feeds: Sequence[Tensor]
    steps: int


@dataclass(slots=True)
class _Daemon:
    """A stage with a thread. ``tasks`` is its ``StageNotification``, None ends it; ``told`` is what it answers."""

    stage: StageState
    tasks: "SimpleQueue[_Task | None]" = field(default_factory=SimpleQueue)
    told: "SimpleQueue[int]" = field(default_factory=SimpleQueue)
    thread: Thread | None = None
    raised: BaseException | None = None

    def answer(self) -> int:
        """Wait for the stage's answer. Raises what its thread died of."""
        status = self.told.get()
        if self.raised is not None:
            self.thread, error = None, self.raised
            raise error
        return status


class RtV2PipelineExecutor:
    """``RtV2PipelineExecutor``. ``stages`` stand in the order of the graph; the first one has no daemon."""

    def __init__(self, process: GeProcess, model: HybridModel, stages: Sequence[StageState], belt: Belt) -> None:
        self.stages = stages
        self._process = process
        self._model = model
        self._belt = belt
        self._daemons = [_Daemon(stage) for stage in stages[1:]]
        self._loaded = False

    def load(self, arg: ModelExecuteArg, load_arg: ModelLoadArg) -> int:
        """``Load``: the first stage here, whose result GE ignores; the others in their threads, one after the other."""
        if self._loaded:
            return Status.SUCCESS
        first = self.stages[0]
        self._process.say(_LOAD, f"Load stage state {first.name}")
        first.arg = arg
        first.executor.load(arg, load_arg)
        self._loaded = True
        status = 0
        for daemon in self._daemons:
            self._process.say(_LOAD_DAEMON, f"Load daemon stage state {daemon.stage.name}")
            daemon.thread = Thread(target=self._serve, args=(daemon, load_arg), name=THREAD_NAME, daemon=True)
            daemon.thread.start()
            status = daemon.answer() or status
        return status

    def execute(self, arg: ModelExecuteArg, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """``Execute``: one call through all stages. PARAM_INVALID when one of them failed."""
        for stage in self.stages:
            stage.reset()
        first, steps = self.stages[0], self._model.iterations
        first.arg = arg
        for daemon in self._daemons:
            daemon.tasks.put(_Task(inputs, steps))
        try:
            first.run(inputs, steps)
        finally:
            for daemon in self._daemons:
                daemon.answer()
        for stage in self.stages:
            if stage.error:
                self._process.refuse(_FAILED, f"Pipeline failed as stage {stage.name} status error")
                return Status.PARAM_INVALID
        return self._fetch(outputs)

    def unload(self) -> int:
        """``Unload``: end the daemons and unload every stage. Gives the status of the last one that failed."""
        if not self._loaded:
            return Status.SUCCESS
        status = 0
        for daemon in self._daemons:
            self._process.say(_STOP, f"Start stop stage state {daemon.stage.name}")
            daemon.tasks.put(None)
            stopped = daemon.answer()
            if daemon.thread is not None:
                daemon.thread.join()
                daemon.thread = None
            self._process.say(_STOPPED, f"Stage state {daemon.stage.name} stop {'failed' if stopped else 'success'}")
            status = stopped or status
        first = self.stages[0]
        first.release()
        status = first.executor.unload() or status
        self._loaded = False
        return status

    def close(self) -> None:
        """End all executors; daemons that still wait are ended first."""
        if any(daemon.thread is not None for daemon in self._daemons):
            self.unload()
        for stage in reversed(self.stages):
            stage.release()  # consumers first: what they borrowed goes back to the stages before
        for stage in self.stages:
            stage.release()
            stage.executor.close()

    def _serve(self, daemon: _Daemon, load_arg: ModelLoadArg) -> None:
        """The thread of a stage: what it dies of is raised in the thread of whoever waits for it."""
        try:
            self._serve_until_told(daemon, load_arg)
        except BaseException as error:  # noqa: BLE001 - it is raised again by answer()
            daemon.raised = error
            daemon.told.put(Status.FAILED)

    def _serve_until_told(self, daemon: _Daemon, load_arg: ModelLoadArg) -> None:
        """Load, run what is told, unload."""
        stage, device = daemon.stage, self._process.device
        with self._belt.turn:
            stream = device.create_stream()
            stage.arg = ModelExecuteArg(stream.handle)
            loaded = stage.executor.load(stage.arg, load_arg)
        daemon.told.put(loaded)
        while (task := daemon.tasks.get()) is not None:
            stage.run(task.feeds, task.steps)
            daemon.told.put(Status.SUCCESS)
        with self._belt.turn:
            stage.release()
            status = loaded or stage.executor.unload()
            device.destroy_stream(stream)
        daemon.told.put(status)

    def _fetch(self, outputs: Sequence[Tensor]) -> int:
        """Hand the outputs to the caller: the stage's memory, or a copy in the memory that the caller gave."""
        for stage in self.stages:
            for index, positions in stage.plan.fetched.items():
                for position in positions:
                    if status := self._hand_out(stage, stage.products[index], outputs[position]):
                        return status
        return Status.SUCCESS

    def _hand_out(self, stage: StageState, product: Tensor, output: Tensor) -> int:
        output.shape, output.dtype, output.format = product.shape, product.dtype, product.format
        source, target = product.data, output.data
        assert source is not None
        if target is None or target.addr == 0:
            output.data = shared(product).data
            return Status.SUCCESS
        device, size = self._process.device, min(source.size, target.size)
        origin, goal = Span(source.addr, source.placement), Span(target.addr, target.placement)
        if not transfer(device, stage.arg.stream, origin, goal, size):
            return Status.PARAM_INVALID
        return self._process.machine.synchronize(stage.arg.stream)


def create_pipeline(process: GeProcess, model: HybridModel, session: RtSession) -> RtV2PipelineExecutor:
    """``RtV2PipelineExecutor::Create``: cut a model and build each stage. Raises ModelError when that fails."""
    plans = plan_stages(model.graph)
    if not plans:
        raise ModelError(f"model {model.name} has no stage that makes anything", "a stage has outputs or keeps a state")
    belt = Belt()
    stages: dict[str, StageState] = {}
    for plan in plans:
        process.say(_BUILD, f"Start build executor for stage node {plan.name}")
        root = process.lower(plan.graph)
        executor = build_executor(root, process.machine, process.kernels, session=session)
        stages[plan.name] = StageState(process, plan, executor, belt)
    for stage in stages.values():
        stage.producers = [stages[name] for name in stage.plan.producers]
        for producer in stage.producers:
            producer.consumers.append(stage)
    return RtV2PipelineExecutor(process, model, list(stages.values()), belt)
