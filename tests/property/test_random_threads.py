"""Random models through every executor, any number of threads: the same values and events, in a legal order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from model_numpy import evaluate
from random_models import AICPU_CC, AICPU_TF, HOST_CPU, Array, RandomModel, random_model
from simulated_runs import OpenProcess, open_process
from standin_kernels import bare_machine
from thread_watch import ThreadWatch

from getrace.events import Level
from runtime.engines.options import LoweringOptions
from runtime.executors.execution_data import PlannedNode
from runtime.executors.options import ExecutorKind, ExecutorOption, MultiThreadExecutorOption, TaskProducerType
from runtime.executors.topological import Topology
from runtime.graph.builder import AI_CORE
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.context import KernelContext
from runtime.kernels.families import builtin_kernels
from runtime.kernels.registry import Kernel, KernelRegistry
from runtime.lowering.pipeline import lower_model
from runtime.subscribers.phase import ExecutorEvent, GraphType

ENGINES = (AI_CORE, AICPU_TF, AICPU_CC, HOST_CPU)
BATCH = 10
STEPS = 2

Counts = Counter[tuple[str, str]]


def options_for(seed: int) -> list[ExecutorOption]:
    """One thread in both topological executors, two and four threads; who makes the tasks changes with the seed."""
    split = (TaskProducerType.KERNEL, TaskProducerType.CHAIN, TaskProducerType.OP)[seed % 3]
    return [
        ExecutorOption(ExecutorKind.TOPOLOGICAL),
        ExecutorOption(ExecutorKind.PRIORITY),
        MultiThreadExecutorOption(thread_num=2, seed=seed),
        MultiThreadExecutorOption(thread_num=4, split=split, seed=seed + 1),
        MultiThreadExecutorOption(thread_num=4),
    ]


def yielding_kernels() -> KernelRegistry:
    """The built-in kernels; each lets the other threads work before it does, so that kernels lie beside each other."""

    def wrap(kernel: Kernel) -> Kernel:
        def run(context: KernelContext) -> int:
            journal, turn = context.journal, context.machine.turn
            origin = journal.origin
            if origin.tid != 1:
                turn.wait(0.0001)
            journal.origin = origin
            return kernel.run(context)

        return replace(kernel, run=run)

    return KernelRegistry(map(wrap, builtin_kernels()))


def watch_of(process: OpenProcess) -> ThreadWatch:
    data = process.executor.model.graphs[GraphType.MAIN].data
    assert data.topology is not None
    joins = frozenset(node.number for node in data.nodes if node.context.type == "WaitAnyone")
    watch = ThreadWatch(process.machine.journal, data.topology, [node.section for node in data.nodes], joins)
    process.executor.model.subscribers.add(watch, GraphType.MAIN)
    return watch


def checked_run(
    root: ExecuteGraph,
    option: ExecutorOption,
    inputs: Sequence[Array],
    wanted: Sequence[Array],
    kernels: KernelRegistry | None = None,
) -> tuple[Counts, int]:
    """Run a lowered model; gives how often each kernel of Main said what, and how many ran beside another one."""
    process = open_process(level=Level.INFO, executor=option, lowered=root, kernels=kernels)
    watch = watch_of(process) if option.kind is not None else None
    assert process.executor.load(process.arg) == 0
    for _ in range(STEPS):
        status, found = process.outputs(inputs, len(wanted))
        assert status == 0
        for value, expected in zip(found, wanted, strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)
    assert process.executor.unload() == 0
    process.executor.close()
    assert process.machine.journal.bus.failures == []
    assert watch is None or watch.wrong == []
    said = Counter((heard.kernel, type(heard.event).__name__) for heard in process.recorder.heard if heard.kernel)
    return said, watch.beside if watch else 0


def check(seed: int) -> None:
    """A model with control flow in every second seed, and a few operators on each engine."""
    model = random_model(seed, 2 + seed % 6, ENGINES, flow=seed % 2 == 0)
    wanted = evaluate(model.graph, model.inputs)
    root = lower_model(model.graph).root
    usual, _ = checked_run(root, ExecutorOption(), model.inputs, wanted)
    for option in options_for(seed):
        said, _ = checked_run(root, option, model.inputs, wanted)
        assert said == usual, option
    if seed % 3 == 0:
        check_early_frees(seed, model, wanted)


def check_early_frees(seed: int, model: RandomModel, wanted: Sequence[Array]) -> None:
    """The same model lowered for threads: frees go before their launches, and one thread says the same of it."""
    for_threads = lower_model(model.graph, LoweringOptions(max_runtime_core_number=3)).root
    early, _ = checked_run(for_threads, MultiThreadExecutorOption(thread_num=3, seed=seed), model.inputs, wanted)
    late, _ = checked_run(for_threads, ExecutorOption(ExecutorKind.TOPOLOGICAL), model.inputs, wanted)
    assert early == late


@pytest.mark.parametrize("batch", range(30))
def test_all_executors_agree_on_a_random_model(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        check(seed)


@pytest.mark.long
@pytest.mark.parametrize("batch", range(500))
def test_all_executors_agree_on_5000_random_models(batch: int) -> None:
    for seed in range(1_000_000 + batch * BATCH, 1_000_000 + (batch + 1) * BATCH):
        check(seed)


def test_one_thread_gives_memory_away_behind_its_launch_though_the_graph_was_lowered_for_several() -> None:
    check(1_002_039)


@pytest.mark.parametrize("seed", range(4))
def test_kernels_that_really_lie_beside_each_other_keep_order_and_critical_sections(seed: int) -> None:
    model = random_model(seed, 12, ENGINES, flow=seed % 2 == 0)
    wanted = evaluate(model.graph, model.inputs)
    root = lower_model(model.graph).root
    option = MultiThreadExecutorOption(thread_num=4)
    _, beside = checked_run(root, option, model.inputs, wanted, yielding_kernels())
    assert beside > 0


def test_a_run_in_a_wrong_order_or_inside_a_section_is_noticed() -> None:
    machine = bare_machine()
    chain = Topology(([1], [2], []), (0, 1, 1), (0,))
    watch = ThreadWatch(machine.journal, chain, ["", "memory", "memory"], frozenset())

    def tell(event: ExecutorEvent, *numbers: int) -> None:
        for number in numbers:
            context = KernelContext(f"n{number}", "NoOp", (), (), None, machine)
            watch(GraphType.MAIN, event, PlannedNode(context.name, lambda _: 0, context, None, number), 0)

    tell(ExecutorEvent.EXECUTE_START, 0)
    tell(ExecutorEvent.EXECUTE_START, 1)
    tell(ExecutorEvent.EXECUTE_END, 0, 1)
    assert watch.wrong == ["n1 started before what it waits for"]
    tell(ExecutorEvent.EXECUTE_START, 2, 1)
    assert watch.wrong[1:] == [
        "n1 started before what it waits for",
        "n1 started inside another kernel of section memory",
    ]
