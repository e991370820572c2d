"""ModelV2ExecutorBuilder: from a lowered model to an executor (spec/execution.md 1.3)."""

from getrace.errors import ModelError
from getrace.events import Level
from getrace.events.text import LogLine
from runtime.executors.aipp import read_aipp
from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import GraphExecutor
from runtime.executors.graph_builder import GraphBuilder
from runtime.executors.io_reuse import OPTION, parse_pairs
from runtime.executors.model_v2 import BuiltModel, ModelV2Executor
from runtime.executors.options import ExecutorOption
from runtime.executors.rt_session import RtSession
from runtime.executors.step_tuning import StepTuning
from runtime.executors.variable_setup import restore_variables
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.machine import Machine
from runtime.kernels.registry import KernelRegistry
from runtime.kernels.status import Status
from runtime.lowering.model_desc import ModelDesc
from runtime.subscribers.iterations import IterationCounter
from runtime.subscribers.phase import GraphType
from runtime.subscribers.profiling_flags import ProfilingSwitch, ProfilingType
from runtime.subscribers.scheduler import SubscribersScheduler
from runtime.subscribers.tracer import ExecutorTracer

_PARSE_OPTION = ("model_v2_executor.cc", 88, "ParseOutputReuseInputMemIndexes")
_READ_PAIRS = ("model_v2_executor_builder.cc", 351, "SetOutputReuseInputMemIndexes")
_BUILD = ("model_v2_executor_builder.cc", 0, "Build")
_GRAPHS = (GraphType.INIT, GraphType.MAIN, GraphType.DEINIT)


def create(
    exe_graph: ExecuteGraph | None,
    machine: Machine,
    kernels: KernelRegistry,
    executor: ExecutorOption | None = None,
    *,
    session: RtSession | None = None,
) -> ModelV2Executor | None:
    """``ModelV2Executor::Create``: as ``build_executor``, with None in place of an error; its sentence is in the log.

    Without a graph there is not even a line.
    """
    if exe_graph is None:
        return None
    try:
        return build_executor(exe_graph, machine, kernels, executor, session=session)
    except ModelError as error:
        machine.journal.error(_BUILD, error.message, Status.FAILED)
        return None


def build_executor(
    root: ExecuteGraph,
    machine: Machine,
    kernels: KernelRegistry,
    executor: ExecutorOption | None = None,
    *,
    session: RtSession | None = None,
    profiling: ProfilingSwitch | None = None,
    tuning_mode: str = "",
) -> ModelV2Executor:
    """Build the three graphs in GE's order: Init, Main, DeInit. ``executor`` is the user's choice; it counts for Main.

    ``session`` keeps the variables of the model; Load must be given the same one. ``profiling`` is the process's
    switch. With a ``tuning_mode`` each step is measured and said. Raises ModelError when a graph cannot be built, and
    for variables without a session.
    """
    desc = root.attrs.get("ModelDesc")
    if not isinstance(desc, ModelDesc):
        raise ModelError("Failed to get buffer ModelDesc from root graph", "lower the model first")
    cells = Cells(root)
    machine.journal.enter("load")
    try:
        graphs = _build_graphs(root, GraphBuilder(root, machine, kernels, cells), executor or ExecutorOption())
        load_session_id = restore_variables(root.compute_graph, session, machine)
        aipp = read_aipp(root.compute_graph)
    except ModelError:
        cells.release()
        raise
    finally:
        machine.journal.enter("")
    subscribers = SubscribersScheduler(ExecutorTracer(machine.journal))
    iterations = _count_iterations(subscribers, profiling or ProfilingSwitch())
    pairs = _reuse_pairs(root, desc.name, machine)
    tuning = StepTuning(machine, tuning_mode, machine.execution_id()) if tuning_mode else None
    built = BuiltModel(machine, cells, graphs, desc, subscribers, pairs, load_session_id, aipp, iterations, tuning)
    return ModelV2Executor(built)


def _build_graphs(root: ExecuteGraph, builder: GraphBuilder, option: ExecutorOption) -> dict[GraphType, GraphExecutor]:
    options = {GraphType.MAIN: option}
    graphs: dict[GraphType, GraphExecutor] = {}
    for kind in _GRAPHS:
        data = builder.build(_owned_by(root, kind), kind, options.get(kind, ExecutorOption()))
        graphs[kind] = GraphExecutor(data)
    return graphs


def _owned_by(root: ExecuteGraph, kind: GraphType) -> ExecuteGraph:
    owner = next((node for node in root.nodes if node.type == kind.node_type), None)
    if owner is None:
        text = f"Failed to find node {kind.node_type} from root graph, execute graph type {int(kind)}"
        raise ModelError(text, "lower the model again: a root owns Init, Main and DeInit")
    if not owner.subgraphs:
        raise ModelError(f"Failed to get sub graph from node {owner.name}", "lower the model again")
    return owner.subgraphs[0]


def _reuse_pairs(root: ExecuteGraph, model: str, machine: Machine) -> list[tuple[int, int]]:
    said = str(root.attrs.get(OPTION, ""))
    pairs, warnings = parse_pairs(said)
    for warning in warnings:
        machine.journal.say(LogLine("GE", *_PARSE_OPTION, warning), level=Level.WARNING)
    if said:
        text = f"Read output reuse input mem indexes from model {model}, pairs count: {len(pairs)}"
        machine.journal.say(LogLine("GE", *_READ_PAIRS, text))
    return pairs


def _count_iterations(subscribers: SubscribersScheduler, profiling: ProfilingSwitch) -> IterationCounter:
    counter = IterationCounter()
    subscribers.add_built_in(counter, GraphType.MAIN, lambda: profiling.is_enabled(ProfilingType.TASK_TIME))
    return counter
