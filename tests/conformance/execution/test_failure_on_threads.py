"""A kernel of Main fails while several threads run it: spec/execution.md 2.5 (EX-29) and kerneltrace.md 7.1.

Other workers may be in the middle of kernels then, so the trace has no last word; but nothing that waits for the
failing kernel may be in it.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from failing_kernels import FailAt
from failing_models import CASES as EVERY_CASE
from simulated_runs import OpenProcess, open_process

from getrace.events import Level
from getrace.events.markers import KernelFailed, ModelEnd
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.executors.life_cycle import State
from runtime.executors.options import MultiThreadExecutorOption
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.status import Status
from runtime.lowering.pipeline import lower_model
from runtime.ops.builtin import builtin_ops
from runtime.subscribers.phase import GraphType

FAILED = 4294967295
SAMPLES = Path(__file__).parents[3] / "samples"
THREADS = {
    "seeded": MultiThreadExecutorOption(thread_num=3, seed=7),
    "two": MultiThreadExecutorOption(thread_num=2),
    "four": MultiThreadExecutorOption(thread_num=4),
}


CASES = {name: EVERY_CASE[name] for name in ("chain", "weights", "branch")}
"""Not the loop and the two streams: they run on one thread."""


@cache
def lowered(name: str) -> ExecuteGraph:
    options = LoweringOptions(library=library_of(builtin_ops()), max_runtime_core_number=2)
    return lower_model(CASES[name].build(), options).root


class Threaded:
    """A loaded process whose Main runs on several threads."""

    def __init__(self, name: str, threads: str, status: int = FAILED) -> None:
        self.case = CASES[name]
        self.fail = FailAt(status)
        self.process: OpenProcess = open_process(
            lowered=lowered(name), kernels=self.fail.kernels(), executor=THREADS[threads]
        )
        assert self.process.executor.load(self.process.arg) == 0

    def step(self) -> int:
        status, values = self.process.outputs(self.case.inputs, 1)
        if not status:
            np.testing.assert_array_equal(values[0], self.case.output)
        return status

    def failing(self, name: str | None) -> int:
        """One Execute in which a kernel fails, or none."""
        self.process.recorder.heard.clear()
        self.fail.ran.clear()
        self.fail.name, self.fail.armed = name, True
        try:
            return self.step()
        finally:
            self.fail.armed = False

    def traced(self) -> set[str]:
        """The kernels that ended a run of Main, by name."""
        heard = self.process.recorder.heard
        return {item.kernel for item in heard if item.kernel and item.stage == "main"}

    def behind(self, name: str) -> set[str]:
        """The kernels that wait for one, directly or not."""
        data = self.process.executor.model.graphs[GraphType.MAIN].data
        assert data.topology is not None
        numbers = {node.name: number for number, node in enumerate(data.nodes)}
        return {data.nodes[each].name for each in _reached(data.topology.watchers, numbers[name])}

    def end(self) -> None:
        assert self.process.executor.unload() == 0
        self.process.executor.close()
        assert self.process.machine.memory.finalize()


def _reached(watchers: Sequence[Sequence[int]], start: int) -> Iterator[int]:
    seen, pending = {start}, [start]
    while pending:
        for each in watchers[pending.pop()]:
            if each not in seen:
                seen.add(each)
                pending.append(each)
                yield each


def assert_failed_as_it_should(threaded: Threaded, name: str) -> None:
    recorder = threaded.process.recorder
    kernel_type = next(
        node.context.type
        for node in threaded.process.executor.model.graphs[GraphType.MAIN].data.nodes
        if node.name == name
    )
    assert threaded.process.executor.state is State.LOADED
    assert KernelFailed(name, kernel_type) in [item.event for item in recorder.heard if item.level == Level.ERROR]
    assert threaded.traced() & threaded.behind(name) == set()
    assert ModelEnd() not in recorder.events("main")
    assert name in threaded.traced()


@pytest.mark.parametrize("name", CASES)
def test_each_kernel_of_main_in_turn(name: str) -> None:
    threaded = Threaded(name, "seeded")
    assert threaded.failing(None) == 0
    kernels = list(dict.fromkeys(threaded.fail.ran))
    assert len(kernels) > 15
    for kernel in kernels:
        assert threaded.failing(kernel) == FAILED
        assert_failed_as_it_should(threaded, kernel)
        assert threaded.step() == 0
    threaded.end()


@pytest.mark.parametrize("threads", ["two", "four"])
@pytest.mark.parametrize("name", CASES)
def test_every_third_kernel_of_main_on_real_threads(name: str, threads: str) -> None:
    threaded = Threaded(name, threads)
    assert threaded.failing(None) == 0
    for kernel in list(dict.fromkeys(threaded.fail.ran))[::3]:
        assert threaded.failing(kernel) == FAILED
        assert_failed_as_it_should(threaded, kernel)
        assert threaded.step() == 0
    threaded.end()


@pytest.mark.parametrize("threads", THREADS)
def test_the_end_of_a_sequence_is_no_failure_of_a_kernel(threads: str) -> None:
    threaded = Threaded("chain", threads, Status.END_OF_SEQUENCE)
    assert threaded.failing(None) == 0
    assert threaded.failing(threaded.fail.ran[12]) == 1343225863
    assert all(item.level < Level.ERROR for item in threaded.process.recorder.heard)
    assert threaded.step() == 0
    threaded.end()
