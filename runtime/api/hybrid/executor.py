"""HybridModelRtV2Executor: one model with unknown shapes in a session, from Init to Unload (spec/execution.md 3.7).

It owns the stream, the allocators and the order around a run: copy in, run, give the copies back, wait, recycle. What
runs is a simple or a pipeline executor, which the factory chooses.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from getrace.errors import ModelError
from runtime.api.ge_process import GeProcess
from runtime.api.hybrid.allocator_manager import ScalableAllocatorManager
from runtime.api.hybrid.conversion import InputFeeder
from runtime.api.hybrid.factory import create_executor
from runtime.api.hybrid.file_constants import assemble_file_constants
from runtime.api.hybrid.guard import check_guard, load_guard
from runtime.api.hybrid.host_variables import assemble_host_variables
from runtime.api.hybrid.model import SESSION_ATTR, HybridModel
from runtime.api.hybrid.simple import RtV2Executor
from runtime.device.stream import Stream
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.rt_session import RtSession
from runtime.kernels.status import Status
from runtime.values import Placement, Tensor

_FILE: Final = "hybrid_model_rt_v2_executor.cc"
_SESSION: Final = (_FILE, 68, "Init")
_ID: Final = (_FILE, 1175, "Init")
_CREATE: Final = (_FILE, 1185, "Init")
_LOAD: Final = (_FILE, 1245, "Load")
_LOAD_FAILED: Final = (_FILE, 1256, "Load")
_START: Final = (_FILE, 1577, "Execute")
_PREPARE: Final = (_FILE, 1558, "Execute")
_FAILED: Final = (_FILE, 162, "HandleSyncExecuteResult")
_DONE: Final = (_FILE, 164, "HandleSyncExecuteResult")
_RECYCLE: Final = (_FILE, 166, "HandleSyncExecuteResult")
_STREAM: Final = (_FILE, 1465, "ExecuteWithStreamAsync")
_STREAM_FAILED: Final = (_FILE, 1505, "ExecuteWithStreamAsync")


class Executed(NamedTuple):
    """What a call gives: GE's status, and whether the data set has ended (then there are no outputs)."""

    status: int
    is_eos: bool = False


class HybridModelRtV2Executor:
    """``HybridModelRtV2Executor``. ``session`` keeps the variables; without one the model's own number decides.

    ``stream`` is the caller's; without one the executor makes a stream and destroys it at the end.
    """

    def __init__(
        self,
        process: GeProcess,
        model: HybridModel,
        *,
        session: RtSession | None = None,
        stream: int | None = None,
        allocators: ScalableAllocatorManager | None = None,
    ) -> None:
        self.model = model
        self.session = session or RtSession(model.session_id)
        self.executor: RtV2Executor | None = None
        self._process = process
        self._made_stream: Stream | None = None
        if stream is None:
            self._made_stream = process.device.create_stream()
            stream = self._made_stream.handle
        self.stream = stream
        self._own_allocators = allocators is None
        self.allocators = allocators or ScalableAllocatorManager(process)

    def init(self) -> int:
        """``Init``: collect what the session keeps of the model and build its executor. FAILED when that fails."""
        process, model = self._process, self.model
        if SESSION_ATTR not in model.graph.attrs:
            text = f"No session attr named {SESSION_ATTR} on model {model.name}, use default session id 0"
            process.say(_SESSION, text)
        process.say(_ID, f"Current id of hybrid model {model.name} is {model.model_id}.")
        load_guard(process, model)
        try:
            assemble_host_variables(process, model, self.session)
            assemble_file_constants(process, model, self.session)
            self.executor = create_executor(process, model, self.session)
        except ModelError as error:
            process.refuse(_CREATE, f"Failed create rt2 executor for model {model.name}")
            process.refuse(_CREATE, error.message)
            return Status.FAILED
        return Status.SUCCESS

    def load(self) -> int:
        """``Load``: run Init on the executor's stream. Gives PARAM_INVALID for whatever failed."""
        executor = self._built()
        text = f"Load model of graph: {self.model.name}, session: {self.session.session_id}, device: "
        self._process.say(_LOAD, text + str(self._process.device.device_id))
        if executor.load(self._arg(self.stream), ModelLoadArg(self.session)):
            self._process.refuse(_LOAD_FAILED, f"Failed load rt v2 model for graph {self.model.name}")
            return Status.PARAM_INVALID
        return Status.SUCCESS

    def execute(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Executed:
        """``Execute``: run the model on its own stream and wait for it."""
        text = f"Start execute hybrid model v2 executor of graph {self.model.name}, stream: {self._stream_text()}"
        self._process.say(_START, text)
        status, fed = self._run(self.stream, inputs, outputs, scalars_only=False)
        if not fed:
            self._process.refuse(
                _PREPARE,
                f"[Invoke][PrepareInputData]Failed to copy input data to model, model_id = {self.model.model_id}",
            )
            return Executed(status)
        return self._handle_result(status)

    def execute_with_stream_async(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], stream: int) -> int:
        """``ExecuteWithStreamAsync``: launch the model on a stream of the caller's, who waits for it."""
        text = f"Start execute ExecuteWithStreamAsync with rtv2 executor of graph {self.model.name}"
        self._process.say(_STREAM, text)
        status, _ = self._run(stream, inputs, outputs, scalars_only=True)
        if status:
            self._process.refuse(_STREAM_FAILED, self._failed_text())
            return Status.PARAM_INVALID
        return Status.SUCCESS

    def unload(self) -> int:
        """``Unload``: run DeInit."""
        return self._built().unload()

    def close(self) -> None:
        """End the executor, then the allocators and the stream that were made for it."""
        if self.executor is not None:
            self.executor.close()
            self.executor = None
        if self._own_allocators:
            self.allocators.close()
        if self._made_stream is not None:
            self._process.device.destroy_stream(self._made_stream)
            self._made_stream = None

    def _run(
        self, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor], *, scalars_only: bool
    ) -> tuple[int, bool]:
        """Give the status, and whether the inputs got as far as the model."""
        if status := check_guard(self._process, self.model, inputs):
            return status, False
        arg = self._arg(stream)
        assert arg.external_allocator is not None
        feeder = InputFeeder(self._process, self.model, stream, arg.external_allocator, scalars_only)
        fed, status = feeder.feed(inputs)
        if status:
            return status, False
        status = self._built().execute(arg, fed.tensors, outputs)
        fed.release(arg.external_allocator[Placement.DEVICE_HBM])
        return status, True

    def _handle_result(self, status: int) -> Executed:
        """``HandleSyncExecuteResult``: the end of a data set is a success; after either, wait and recycle."""
        ended = status == Status.END_OF_SEQUENCE
        if status and not ended:
            self._process.refuse(_FAILED, self._failed_text())
            return Executed(Status.PARAM_INVALID)
        waited = self._process.machine.synchronize(self.stream)
        ended = ended or waited == Status.END_OF_SEQUENCE
        if waited and not ended:
            return Executed(waited)
        self._process.say(_DONE, f"Execute sync rt v2 model for graph {self.model.name} succeed")
        text = f"start to recycle memory. graph {self.model.name}, stream: {self._stream_text()}"
        self._process.say(_RECYCLE, text)
        self.allocators.recycle(self.stream)
        return Executed(Status.SUCCESS, is_eos=ended)

    def _arg(self, stream: int) -> ModelExecuteArg:
        """The stream with its allocators; streams, events and notifies always come from the session."""
        own = self.session.resources(self._process.machine)
        return ModelExecuteArg(stream, self.allocators.allocators(stream), own.streams, own.events, own.notifies)

    def _built(self) -> RtV2Executor:
        if self.executor is None:
            raise ModelError(f"hybrid model {self.model.name} is not initialised", "call init() first")
        return self.executor

    def _failed_text(self) -> str:
        return f"Failed to execute rt v2 model for graph {self.model.name}, model_id {self.model.model_id}."

    def _stream_text(self) -> str:
        return f"0x{self.stream:x}" if self.stream else "(nil)"
