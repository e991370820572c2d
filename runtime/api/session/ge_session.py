"""GeSession: the public face of a session, with the statuses that GE's interface gives.

Source: spec/execution.md 3.6 (1, 5); GE ``ge_api_v2.cc``.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from runtime.api.error_codes import AclError
from runtime.api.ge_process import GeProcess
from runtime.api.inputs import Array
from runtime.api.session.inner_session import Callback, InnerSession
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.status import Status
from runtime.values import Tensor

_CONSTRUCT: Final = ("ge_api_v2.cc", 0, "GeSession")
_LARGEST: Final = 9999999
"""A larger number is a status from inside GE; the interface says FAILED instead."""

_QUEUE_EMPTY: Final = 207013
"""``ACL_ERROR_RT_QUEUE_EMPTY``: a run waited for an output that did not come."""


def ge_initialize_v2(process: GeProcess, options: Mapping[str, str] | None = None) -> int:
    """``GEInitializeV2``: start GE in a process, with its process options."""
    process.options.update(options or {})
    process.is_ge_initialized = True
    return Status.SUCCESS


def ge_finalize_v2(process: GeProcess) -> int:
    """``GEFinalizeV2``: end GE; sessions made before are closed by their owners."""
    process.is_ge_initialized = False
    return Status.SUCCESS


def public_status(status: int) -> int:
    """Give what the interface says for a status from inside."""
    if status == _QUEUE_EMPTY:
        return AclError.GE_MODEL_EXECUTE_TIMEOUT
    return Status.FAILED if status > _LARGEST else status


class GeSession:
    """``GeSession``. ``inner`` is None when GE was not initialized; every call then gives FAILED."""

    def __init__(self, process: GeProcess) -> None:
        self.inner: InnerSession | None = None
        if process.is_ge_initialized:
            self.inner = InnerSession(process, next(process.session_ids))
        else:
            text = "[Construct][GeSession]Failed because GEInitializeV2 was not called before."
            process.refuse(_CONSTRUCT, text, report="E10062")

    def add_graph(self, graph_id: int, graph: ComputeGraph) -> int:
        """``AddGraph``: give the session a graph; it is compiled and loaded when it first runs."""
        return Status.FAILED if self.inner is None else public_status(self.inner.add_graph(graph_id, graph))

    def load_graph(self, graph_id: int) -> int:
        """``LoadGraph``: compile and load now."""
        return Status.FAILED if self.inner is None else public_status(self.inner.load(graph_id))

    def run_graph(self, graph_id: int, inputs: Sequence[Array]) -> tuple[list[Array], int]:
        """``RunGraph``: run on arrays of the host and wait. Gives the outputs, none with a status that is not 0."""
        if self.inner is None:
            return [], Status.FAILED
        found, status = self.inner.run(graph_id, inputs)
        return found, public_status(status)

    def run_graph_async(self, graph_id: int, inputs: Sequence[Array], callback: Callback) -> int:
        """``RunGraphAsync``: queue a run. ``callback(status, outputs)`` is called in another thread."""
        if self.inner is None:
            return Status.FAILED
        return public_status(self.inner.run_async(graph_id, inputs, callback))

    def run_graph_with_stream_async(
        self, graph_id: int, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
    ) -> int:
        """``RunGraphWithStreamAsync``: put a run on a stream, on tensors of the device; the caller waits for it."""
        if self.inner is None:
            return Status.FAILED
        return public_status(self.inner.run_with_stream(graph_id, stream, inputs, outputs))

    def remove_graph(self, graph_id: int) -> int:
        """``RemoveGraph``: unload a graph and forget it."""
        return Status.FAILED if self.inner is None else public_status(self.inner.remove_graph(graph_id))

    def close(self) -> None:
        """End the session, as its destructor does."""
        if self.inner is not None:
            self.inner.close()
            self.inner = None
