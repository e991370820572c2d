"""A hybrid model in a session of its own process, held open for a test."""

from dataclasses import dataclass, field

from simulated_runs import Array, Recorder, add_model, empty_output

from getrace.bus import Bus
from getrace.events import Level
from runtime.api.ge_process import GeProcess, start_process
from runtime.api.host_tensors import free_output, to_array, to_tensor
from runtime.api.hybrid.executor import Executed, HybridModelRtV2Executor
from runtime.api.hybrid.model import HybridModel
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.registry import KernelRegistry
from runtime.values import Tensor


@dataclass
class Held:
    """A process, what it said, and a hybrid executor on it."""

    recorder: Recorder
    process: GeProcess
    hybrid: HybridModelRtV2Executor
    made: list[Tensor] = field(default_factory=list)

    def host(self, *arrays: Array) -> list[Tensor]:
        return [to_tensor(self.process.device, array) for array in arrays]

    def run(self, *arrays: Array) -> tuple[Executed, list[float]]:
        """One Execute on host inputs; gives the values of its first output."""
        output = empty_output()
        result = self.hybrid.execute(self.host(*arrays), [output])
        values = [] if result.status or result.is_eos else to_array(self.process.device, output).tolist()
        free_output(output)
        return result, values


def started(kernels: KernelRegistry | None = None, level: Level = Level.INFO) -> tuple[Recorder, GeProcess]:
    recorder, bus = Recorder(), Bus(now=int, levels={"GE": level})
    bus.subscribe(recorder)
    process = start_process(bus)
    if kernels is not None:
        process.kernels = kernels
    return recorder, process


def held(
    model: HybridModel | ComputeGraph | None = None,
    *,
    kernels: KernelRegistry | None = None,
    session: RtSession | None = None,
    level: Level = Level.INFO,
) -> Held:
    """An executor, initialised and loaded."""
    recorder, process = started(kernels, level)
    given = model if isinstance(model, HybridModel) else HybridModel(model or add_model(), 5)
    hybrid = HybridModelRtV2Executor(process, given, session=session)
    assert hybrid.init() == 0
    assert hybrid.load() == 0
    return Held(recorder, process, hybrid)
