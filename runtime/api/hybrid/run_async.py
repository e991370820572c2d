"""HybridModelAsyncExecutor: a hybrid model that takes its inputs out of a queue, in a thread (spec/execution.md 3.7).

The caller gets each result through a listener. By then the outputs of the device have been copied and given back: a
listener that kept tensors would keep memory that the next run wants.
"""

from collections.abc import Callable, Sequence
from queue import Full, Queue
from threading import Thread
from typing import Final, NamedTuple

from runtime.api.ge_process import GeProcess
from runtime.api.host_tensors import free_output, to_array
from runtime.api.hybrid.executor import HybridModelRtV2Executor
from runtime.api.inputs import Array
from runtime.kernels.status import Status
from runtime.values import Shape, StorageShape, Tensor

PARALLEL_MODE: Final = "ge.experiment.dynamicGraphParallelMode"
"""Option: "0" independent streams (as ""), "1" one after the other, "2" all on the default stream."""

SINGLE_STREAM: Final = "2"
_MODES: Final = frozenset({"", "0", "1", SINGLE_STREAM})

THREAD_NAME: Final = "ge_rt2_mdlrun"
QUEUE_IS_FULL: Final = 0x03020002
"""``domi::DATA_QUEUE_ISFULL``: subsystem 3, module 2 (OME), number 2."""

INTERNAL_ERROR: Final = 1343225860

_FILE: Final = "hybrid_model_async_executor.cc"
_OPTION: Final = (_FILE, 0, "Init")
_PUSH: Final = (_FILE, 100, "EnqueueData")
_STARTED: Final = (_FILE, 112, "Start")
_BEGIN: Final = (_FILE, 253, "RunInternal")
_END: Final = (_FILE, 261, "RunInternal")
_RESULT: Final = "hybrid_model_rt_v2_executor.cc"
_EOS: Final = (_RESULT, 1286, "HandleResult")
_FAILED: Final = (_RESULT, 1293, "HandleResult")
_GOOD: Final = (_RESULT, 1306, "HandleResult")


class ComputeDone(NamedTuple):
    """What ``OnComputeDone`` is told: END_OF_SEQUENCE and INTERNAL_ERROR come without outputs."""

    model_id: int
    data_index: int
    status: int
    outputs: Sequence[Array]


Listener = Callable[[ComputeDone], object]


class _Data(NamedTuple):
    data_index: int
    inputs: Sequence[Tensor]


class HybridModelAsyncExecutor:
    """``HybridModelAsyncExecutor`` of a model that was loaded. ``capacity`` is how many inputs may wait."""

    def __init__(self, process: GeProcess, hybrid: HybridModelRtV2Executor, outputs: int, capacity: int = 2048) -> None:
        self._process = process
        self._hybrid = hybrid
        self._outputs = outputs
        self._queue: Queue[_Data | None] = Queue(capacity)
        self._thread: Thread | None = None

    def start(self, listener: Listener) -> int:
        """``Start``: begin to take inputs out of the queue. INTERNAL_ERROR when that was done."""
        if self._thread is not None:
            text = f"[Check][RunState] Model already started, model_id:{self._model_id}."
            return self._process.refuse(_STARTED, text, INTERNAL_ERROR, report="E19999")
        self._thread = Thread(target=self._run, args=(listener,), name=THREAD_NAME, daemon=True)
        self._thread.start()
        return Status.SUCCESS

    def enqueue(self, data_index: int, inputs: Sequence[Tensor]) -> int:
        """``EnqueueData``: put inputs at the end of the queue; a full queue is the caller's to wait for."""
        try:
            self._queue.put_nowait(_Data(data_index, inputs))
        except Full:
            text = f"[Push][Data] Data queue is full, please call again later, model_id {self._model_id} "
            return self._process.refuse(_PUSH, text, QUEUE_IS_FULL, report="E19999")
        return Status.SUCCESS

    def stop(self) -> int:
        """``Stop``: run what is queued, then end the thread."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None
        return Status.SUCCESS

    @property
    def _model_id(self) -> int:
        return self._hybrid.model.model_id

    def _run(self, listener: Listener) -> None:
        while (data := self._queue.get()) is not None:
            self._process.say(_BEGIN, f"Model thread Run begin, model id:[{self._model_id}].")
            listener(self._result(data))
        self._process.say(_END, f"Model run end, model id:[{self._model_id}]")

    def _result(self, data: _Data) -> ComputeDone:
        """``HandleResult``."""
        tensors = [Tensor(StorageShape(Shape(), Shape())) for _ in range(self._outputs)]
        status, is_eos = self._hybrid.execute(data.inputs, tensors)
        arrays: list[Array] = []
        if is_eos:
            status = Status.END_OF_SEQUENCE
            self._process.say(_EOS, f"End of sequence, model id = {self._model_id}.")
        elif status:
            text = f"[Check][Param:Status] failed to execute graph. model_id = {self._model_id}"
            self._process.refuse(_FAILED, text, status, report="E19999")
            status = INTERNAL_ERROR
        else:
            arrays = [to_array(self._process.device, tensor) for tensor in tensors]
            text = f"Executed graph successfully, model id = {self._model_id}, data_index = {data.data_index}."
            self._process.say(_GOOD, text)
        for tensor in tensors:
            free_output(tensor)
        return ComputeDone(self._model_id, data.data_index, status, arrays)


def check_parallel_mode(process: GeProcess) -> int:
    """Refuse a mode that is none of GE's; PARAM_INVALID then. ``SINGLE_STREAM`` asks for the default stream."""
    mode = process.options.get(PARALLEL_MODE, "")
    if mode in _MODES:
        return Status.SUCCESS
    text = f"Option {PARALLEL_MODE} is invalid, value = [{mode}]"
    return process.refuse(_OPTION, text, Status.PARAM_INVALID)
