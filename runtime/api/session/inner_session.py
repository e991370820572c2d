"""InnerSession: the graphs of a session by id, and the rules of who may run one when.

A graph is bound to the first way of running it. One synchronous run at a time goes through a session; a second one is
refused, not queued.

Source: spec/execution.md 3.6; GE ``inner_session.cc``, ``graph_executor.cc``.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from threading import Lock
from typing import Final

from runtime.api.error_codes import GeError
from runtime.api.ge_process import GeProcess
from runtime.api.inputs import Array
from runtime.api.session.loaded_graph import LoadedGraph, load_graph
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.status import Status
from runtime.values import Tensor

Callback = Callable[[int, list[Array]], None]
"""What ``RunGraphAsync`` tells its caller: a status, and the outputs when it is 0."""

_FILE: Final = "inner_session.cc"
_ADD: Final = (_FILE, 337, "AddGraph")
_LOAD: Final = (_FILE, 373, "LoadGraph")
_RUN: Final = (_FILE, 403, "RunGraph")
_WITH_STREAM: Final = (_FILE, 480, "RunGraphWithStreamAsync")
_REMOVE: Final = (_FILE, 509, "RemoveGraph")
_ASYNC: Final = (_FILE, 651, "RunGraphAsync")
_SYNC_FAILED: Final = ("graph_executor.cc", 96, "SyncExecuteModel")
_ASYNC_FAILED: Final = ("hybrid_model_async_executor.cc", 0, "HandleResult")
_MODE: Final = ("graph_manager.cc", 0, "CheckRunMode")
_RUNNING: Final = ("graph_manager.cc", 0, "RunGraph")
_NO_GRAPH: Final = ("graph_manager.cc", 0, "GetGraphNode")

_THREAD: Final = "ge_rt2_mdlrun"


class RunMode(Enum):
    """How a graph is run; the value is the name of the call."""

    SYNC = "RunGraph"
    ASYNC = "RunGraphAsync"
    WITH_STREAM = "RunGraphWithStreamAsync"


@dataclass(slots=True)
class GraphNode:
    """A graph of a session: what it is, how it was first run, and whether it is running."""

    graph: ComputeGraph
    mode: RunMode | None = None
    loaded: LoadedGraph | None = None
    running: Lock = field(default_factory=Lock)


class InnerSession:
    """``InnerSession``. Statuses are GE's own; ``GeSession`` turns them into those of its interface."""

    def __init__(self, process: GeProcess, session_id: int) -> None:
        self.session_id = session_id
        self.graphs: dict[int, GraphNode] = {}
        self._process = process
        self._rt_session = RtSession(session_id)
        self._mutex = Lock()
        self._loading = Lock()
        self._workers: ThreadPoolExecutor | None = None

    def add_graph(self, graph_id: int, graph: ComputeGraph) -> int:
        """``AddGraph``. An id that is taken gives FAILED."""
        if graph_id in self.graphs:
            text = f"[Add][Graph] failed, InnerSession:{self.session_id} graphid: {graph_id}."
            return self._process.refuse(_ADD, text)
        self.graphs[graph_id] = GraphNode(graph)
        return Status.SUCCESS

    def load(self, graph_id: int) -> int:
        """``LoadGraph``: compile and load a graph that is not loaded yet."""
        node = self.graphs.get(graph_id)
        if node is None:
            return self._unknown(graph_id)
        with self._loading:
            if node.loaded is not None:
                return Status.SUCCESS
            node.loaded, status = load_graph(self._process, node.graph, self._rt_session)
        if status:
            self._process.refuse(_LOAD, f"[Load][Graph] Failed, graph_id:{graph_id}.", status)
        return status

    def run(self, graph_id: int, arrays: Sequence[Array]) -> tuple[list[Array], int]:
        """``RunGraph``: run and wait. Gives no outputs with a status that is not 0."""
        if status := self._bind(graph_id, RunMode.SYNC) or self.load(graph_id):
            return [], status
        if not self._mutex.acquire(blocking=False):
            text = f"[Run][Graph]failed, InnerSession:{self.session_id}, graph_id={graph_id}."
            return [], self._process.refuse(_RUN, text, GeError.SESS_ALREADY_RUNNING, report="E19999")
        try:
            return self._run_alone(graph_id, arrays)
        finally:
            self._mutex.release()

    def _run_alone(self, graph_id: int, arrays: Sequence[Array]) -> tuple[list[Array], int]:
        node = self.graphs[graph_id]
        assert node.loaded is not None
        if not node.running.acquire(blocking=False):
            text = f"[Check][Param] graph already running, graph_id={graph_id}"
            return [], self._process.refuse(_RUNNING, text, GeError.GRAPH_ALREADY_RUNNING)
        try:
            found, status, _ = node.loaded.run(arrays)
        finally:
            node.running.release()
        if status:
            text = f"[SyncExecute][Model] Error! graph id:{graph_id}"
            return [], self._process.refuse(_SYNC_FAILED, text, GeError.GRAPH_SYNC_MODEL_FAILED)
        return found, Status.SUCCESS

    def run_async(self, graph_id: int, arrays: Sequence[Array], callback: Callback) -> int:
        """``RunGraphAsync``: queue a run; ``callback`` is called in the session's own thread when it has ended."""
        if status := self._bind(graph_id, RunMode.ASYNC) or self.load(graph_id):
            text = f"[Run][GraphAsync]failed, InnerSession:{self.session_id} graph_id={graph_id}."
            return self._process.refuse(_ASYNC, text, status)
        if self._workers is None:
            self._workers = ThreadPoolExecutor(max_workers=1, thread_name_prefix=_THREAD)
        self._workers.submit(self._run_queued, graph_id, [array.copy() for array in arrays], callback)
        return Status.SUCCESS

    def _run_queued(self, graph_id: int, arrays: Sequence[Array], callback: Callback) -> None:
        node = self.graphs[graph_id]
        assert node.loaded is not None
        with node.running:
            found, status, is_eos = node.loaded.run(arrays)
        if is_eos:
            status = Status.END_OF_SEQUENCE
        elif status:
            text = f"[Check][Param:Status] failed to execute graph. model_id = {graph_id}"
            status = self._process.refuse(_ASYNC_FAILED, text, GeError.INTERNAL_ERROR)
        callback(status, found)

    def run_with_stream(self, graph_id: int, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """``RunGraphWithStreamAsync``: put a run on the caller's stream, on tensors of the device."""
        status = self._bind(graph_id, RunMode.WITH_STREAM) or self.load(graph_id)
        if not status:
            node = self.graphs[graph_id]
            assert node.loaded is not None
            status = node.loaded.execute_on(stream, inputs, outputs)
        if status:
            shown = f"0x{stream:x}" if stream else "(nil)"
            text = (
                f"[Run][GraphWithStreamAsync]failed,session id = {self.session_id}, graph id = {graph_id}, "
                f"stream = {shown}."
            )
            self._process.refuse(_WITH_STREAM, text, status, report="E19999")
        return status

    def remove_graph(self, graph_id: int) -> int:
        """``RemoveGraph``: unload a graph and forget it."""
        node = self.graphs.pop(graph_id, None)
        if node is None:
            text = f"[Remove][Graph] failed, InnerSession:{self.session_id}, graph_id={graph_id}."
            return self._process.refuse(_REMOVE, text, GeError.GRAPH_GRAPH_NODE_NULL, report="E19999")
        with node.running:
            return Status.SUCCESS if node.loaded is None else node.loaded.unload()

    def close(self) -> None:
        """``Finalize``: wait for what is queued, then end all graphs and the session's variables."""
        if self._workers is not None:
            self._workers.shutdown()
            self._workers = None
        for graph_id in list(self.graphs):
            self.remove_graph(graph_id)
        self._rt_session.destroy_resources(self._process.machine)

    def _bind(self, graph_id: int, mode: RunMode) -> int:
        node = self.graphs.get(graph_id)
        if node is None:
            return self._unknown(graph_id)
        node.mode = node.mode or mode
        if node.mode is mode:
            return Status.SUCCESS
        text = (
            f"Failed to execute {mode.value} for graph[{graph_id}] because {node.mode.value} was already called. "
            "These execution methods are mutually exclusive and cannot be mixed."
        )
        return self._process.refuse(_MODE, text, GeError.UNSUPPORTED)

    def _unknown(self, graph_id: int) -> int:
        text = f"[Get][GraphNode] failed, graph_id:{graph_id} does not exist"
        return self._process.refuse(_NO_GRAPH, text, GeError.GRAPH_GRAPH_NODE_NULL)
