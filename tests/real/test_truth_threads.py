"""The multi-thread executor on GE's own execute graphs against GE's logs.

The same kernels in each run; what is known before anything has run; and, where a worker has one thread, its kernels in
GE's order. The order between threads is nobody's, in GE's logs as here.
"""

import gzip
import re
from collections import Counter
from pathlib import Path

import pytest
from rebuilt_graphs import rebuilt
from simulated_runs import Recorder
from standin_kernels import Standins, bare_machine

from getrace.events import Level
from getrace.events.failures import SchedulerLine
from getrace.events.text import LogLine
from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import ExecutionData
from runtime.executors.graph_builder import GraphBuilder
from runtime.executors.multi_thread.task import TaskType
from runtime.executors.options import MultiThreadExecutorOption, TaskProducerType
from runtime.kernels.machine import Machine
from runtime.subscribers.phase import GraphType

E2E = "MultiThreadExecutorE2ESystemTest.parallel_schedule_split_by"
SINGLE, KERNEL, CHAIN, OP = TaskProducerType

CASES: dict[str, tuple[int, TaskProducerType, list[int]]] = {
    f"{E2E}_chain_in_case_graph": (3, CHAIN, [2, 2]),
    f"{E2E}_chain_in_if_graph_false_branch": (3, CHAIN, [1, 1]),
    f"{E2E}_chain_in_if_graph_true_branch": (3, CHAIN, [0, 0]),
    f"{E2E}_chain_in_while_graph": (3, CHAIN, [1, 1, 1, 1, 1, 0, 0]),
    f"{E2E}_kernel": (3, KERNEL, []),
    f"{E2E}_kernel_in_case_graph": (3, KERNEL, [2, 2]),
    f"{E2E}_kernel_in_if_graph_false_branch": (3, KERNEL, [1, 1]),
    f"{E2E}_kernel_in_while_graph": (3, KERNEL, [1, 1, 1, 1, 1, 0, 0]),
    f"{E2E}_op": (3, OP, []),
    f"{E2E}_single": (3, SINGLE, []),
    "TilingCacheSt.MultiThreadExecutor_Ok_EnableTilingCache": (2, KERNEL, []),
    "TruthCtrl.case_multithread": (4, KERNEL, [0, 2]),
    "TruthCtrl.if_toggle_multithread": (4, KERNEL, [0, 1, 0]),
    "TruthMultiStream.fanout4_multithread4": (4, KERNEL, []),
    "TruthMultiStream.pingpong12_multithread3_by_chain": (3, CHAIN, []),
    "TruthMultiStream.random40_4streams_multithread4": (4, KERNEL, []),
    "TruthMultiStream.two_node_multithread4": (4, KERNEL, []),
    "TruthSingleStream.chain16_multithread3_by_chain": (3, CHAIN, []),
    "TruthSingleStream.chain16_multithread3_by_kernel": (3, KERNEL, []),
    "TruthSingleStream.chain16_multithread3_by_op": (3, OP, []),
    "TruthSingleStream.chain16_multithread3_by_single": (3, SINGLE, []),
    "TruthSingleStream.random30_seed5_multithread2": (2, KERNEL, []),
    "TruthSingleStream.random30_seed5_multithread4": (4, KERNEL, []),
}
"""Threads, producer and decisions of each case whose runs all succeed."""

OTHER_ORDER: dict[str, str] = {
    f"{E2E}_single": "control edges: a dump tells which there are, and not which came first",
    "TilingCacheSt.MultiThreadExecutor_Ok_EnableTilingCache": "control edges, on the worker of memory",
    "TruthSingleStream.random30_seed5_multithread2": "control edges, on the worker of memory",
    "TruthSingleStream.random30_seed5_multithread4": "control edges, on the worker of memory",
    "TruthMultiStream.pingpong12_multithread3_by_chain": "tasks become ready when other workers are through",
    "TruthMultiStream.random40_4streams_multithread4": "production goes on when other workers are through",
    "TruthMultiStream.two_node_multithread4": "production goes on when other workers are through",
    "TruthMultiStream.fanout4_multithread4": "production goes on when other workers are through",
    "TruthSingleStream.chain16_multithread3_by_chain": "tasks become ready when other workers are through",
    "TruthSingleStream.chain16_multithread3_by_op": "GE runs launches of this producer on its worker of the rest",
    f"{E2E}_op": "GE runs launches of this producer on its worker of the rest",
}
"""Cases in which some worker's order is not GE's, and why."""

Run = list[tuple[str, str]]
_WORKER = re.compile(r"\](\d+) RebindStreamResLimitIfNeeded:Worker\[(\w+)\]")
_KERNEL = re.compile(r"executor_tracer.cc:\d+\](\d+) OnExecuteEvent:.*\[KernelTrace\]\[([^\]]+)\]")
_PREPARED = re.compile(r"Prepare:(start tasks size: .*|pre node .*)")


def lines_of(cases: Path, case: str) -> list[str]:
    path = cases / "truth" / "logs" / f"{case}.log.gz"
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
        return list(lines)


def main_runs(lines: list[str]) -> list[Run]:
    """(worker, kernel) of each run of Main; a kernel that says several lines counts once."""
    workers: dict[str, str] = {}
    runs: list[Run] = []
    last: dict[str, str] = {}
    for line in lines:
        if "Start model tracing" in line:
            runs.append([])
            last = {}
        elif bound := _WORKER.search(line):
            workers[bound[1]] = bound[2]
        elif runs and (found := _KERNEL.search(line)):
            thread, kernel = found.groups()
            if last.get(thread) != kernel:
                runs[-1].append((thread, kernel))
            last[thread] = kernel
    return [[(workers[thread], kernel) for thread, kernel in run] for run in runs[1:-1]]


def built(cases: Path, case: str, kernels: Standins, machine: Machine, seed: int | None) -> ExecutionData:
    threads, split, _ = CASES[case]
    root = rebuilt(cases, case, "ExecuteGraphAfterSplit")
    option = MultiThreadExecutorOption(thread_num=threads, split=split, seed=seed)
    return GraphBuilder(root, machine, kernels, Cells(root)).build(root.owned_by("Main"), GraphType.MAIN, option)


def simulated_runs_of(cases: Path, case: str, seed: int | None, count: int) -> list[Run]:
    kernels = Standins(CASES[case][2])
    data = built(cases, case, kernels, bare_machine(), seed)
    assert data.scheduler is not None
    names = {thread.tid: worker.name for worker in data.scheduler.workers.values() for thread in worker.threads}
    loop = data.loop()
    runs: list[Run] = []
    for _ in range(count):
        assert loop.plain() == 0
        runs.append([(names[tid], kernel) for tid, kernel in kernels.take()])
    loop.close()
    return runs


@pytest.mark.real
@pytest.mark.parametrize("seed", [None, 0], ids=["threads", "seeded"])
@pytest.mark.parametrize("case", CASES)
def test_several_threads_run_the_kernels_of_ges_log(cases: Path, case: str, seed: int | None) -> None:
    theirs = main_runs(lines_of(cases, case))
    mine = simulated_runs_of(cases, case, seed, len(theirs))
    assert theirs
    for ours, ges in zip(mine, theirs, strict=True):
        assert Counter(kernel for _, kernel in ours) == Counter(kernel for _, kernel in ges)
        if case not in OTHER_ORDER:
            for worker in (TaskType.MEMORY, TaskType.LAUNCH, *([TaskType.NORMAL] if CASES[case][0] < 4 else [])):
                name = f"{worker}_task_worker"
                assert [kernel for on, kernel in ours if on == name] == [kernel for on, kernel in ges if on == name]


@pytest.mark.real
@pytest.mark.parametrize("case", [case for case, (_, split, _) in CASES.items() if split is KERNEL])
def test_as_many_kernels_are_known_in_advance_as_in_ges_log(cases: Path, case: str) -> None:
    said = [found[1].strip() for line in lines_of(cases, case) if (found := _PREPARED.search(line))]
    recorder = Recorder()
    built(cases, case, Standins(), bare_machine(recorder, level=Level.INFO), 0)
    mine = [
        event.text
        for event in recorder.events()
        if isinstance(event, LogLine) and event.file == "kernel_task_producer.cc"
    ]
    assert mine == said
    assert SchedulerLine not in {type(event) for event in recorder.events()}
