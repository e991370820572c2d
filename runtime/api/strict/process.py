"""A process in strict mode: its device watches, and its lowerings and plans are checked.

Everything above it (loaders, ACL, sessions, hybrid executors) runs on it as on any other process.
"""

from dataclasses import dataclass
from typing import Final

from getrace.bus import Bus
from runtime.api.ge_process import DEFAULT_START_NS, GeProcess, origin_of, process_on
from runtime.api.strict.device import StrictDevice
from runtime.api.strict.executor import StrictExecutor
from runtime.api.strict.lowering import fingerprint, require_unchanged
from runtime.api.strict.order import require_plan
from runtime.device.profiles import find_profile
from runtime.engines.options import LoweringOptions
from runtime.executors.builder import build_executor
from runtime.executors.options import ExecutorOption
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.subscribers.phase import GraphType

_GRAPHS: Final = (GraphType.INIT, GraphType.MAIN, GraphType.DEINIT)


@dataclass(slots=True)
class StrictProcess(GeProcess):
    """A process whose lowerings leave the compute graph alone, and whose device is a StrictDevice."""

    def lower(self, graph: ComputeGraph, options: LoweringOptions | None = None) -> ExecuteGraph:
        """Lower a model. Raises StrictModeError when that changes it, and as any lowering."""
        before = fingerprint(graph)
        root = GeProcess.lower(self, graph, options)
        require_unchanged(graph, before)
        return root

    def build(
        self, root: ExecuteGraph, executor: ExecutorOption | None = None, session: RtSession | None = None
    ) -> StrictExecutor:
        """Build an executor whose calls are checked. Raises StrictModeError for a plan that no edges give."""
        built = build_executor(root, self.machine, self.kernels, executor, session=session)
        for kind in _GRAPHS:
            require_plan(root.owned_by(kind.node_type), built.model.graphs[kind].data)
        assert isinstance(self.device, StrictDevice)
        return StrictExecutor(built, self.device)


def start_strict_process(bus: Bus | None = None, *, profile: str = "ascend910b", seed: int = 0) -> StrictProcess:
    """Start a process in strict mode. Raises UsageError for a profile that there is not."""
    device = StrictDevice(find_profile(profile), seed=seed, start_ns=DEFAULT_START_NS)
    plain = process_on(device, bus or Bus(now=int), origin_of(seed), {})
    return StrictProcess(plain.machine, plain.kernels, plain.environment, lowering=plain.lowering)
