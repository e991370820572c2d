"""A kernel fails, each kernel of each graph in turn: what is traced, what is returned, and that nothing is lost.

spec/execution.md 1.2, 1.4, 1.5, 2.3, 2.4, 4.4 and 9.3. The models are a chain, one with weights, a branch, two streams
and a loop, each with the executor that GE would choose for it.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from failing_kernels import FailAt
from failing_models import CASES
from simulated_runs import OpenProcess, open_process

from getrace.events import Level
from getrace.events.markers import ModelEnd
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.executors.life_cycle import State
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.status import Status
from runtime.lowering.pipeline import lower_model
from runtime.ops.builtin import builtin_ops

FAILED, PARAM_INVALID = 4294967295, 1343225857
SAMPLES = Path(__file__).parents[3] / "samples"


@cache
def lowered(name: str) -> ExecuteGraph:
    """The model of a case, lowered once: an executor reads it and leaves it as it is."""
    return lower_model(CASES[name].build(), LoweringOptions(library=library_of(builtin_ops()))).root


class Watched:
    """A process with one of the cases; any of its kernels may fail, as often as one likes."""

    def __init__(self, name: str, status: int = FAILED) -> None:
        self.case = CASES[name]
        self.fail = FailAt(status)
        self.process: OpenProcess = open_process(lowered=lowered(name), kernels=self.fail.kernels())
        self.executor = self.process.executor

    def load(self) -> int:
        return self.executor.load(self.process.arg)

    def step(self) -> int:
        """One Execute; when it gives 0 its value was right."""
        status, values = self.process.outputs(self.case.inputs, 1)
        if not status:
            np.testing.assert_array_equal(values[0], self.case.output)
        return status

    def failing(self, number: int | None, call: Callable[[], int]) -> int:
        """Make a call in which the n-th kernel fails, or none of them."""
        self.process.recorder.heard.clear()
        self.fail.ran.clear()
        self.fail.number, self.fail.armed = number, True
        try:
            return call()
        finally:
            self.fail.armed = False

    def count(self, call: Callable[[], int]) -> int:
        """How many kernels run in a call that nothing happens to."""
        assert self.failing(None, call) == 0
        return len(self.fail.ran)

    def end(self) -> None:
        """End the process and see that nothing is left."""
        self.executor.close()
        assert self.process.machine.memory.finalize()
        assert self.process.machine.device.hbm.used == 0

    def assert_trace_ends(self, stage: str, level: Level, number: int) -> None:
        """The last word of the trace is the failing kernel's, at its level; no end marker stands behind it."""
        told = [item for item in self.process.recorder.heard if item.stage == stage]
        assert len(self.fail.ran) == number + 1
        assert (told[-1].level, told[-1].kernel) == (level, self.fail.ran[-1])
        assert ModelEnd() not in [item.event for item in told]


@pytest.mark.parametrize("name", CASES)
def test_each_kernel_of_init(name: str) -> None:
    watched = Watched(name)
    count = watched.count(watched.load)
    assert count > 10
    for number in range(count):
        assert watched.executor.unload() == 0
        assert watched.failing(number, watched.load) == PARAM_INVALID
        assert watched.executor.state is State.INIT
        watched.assert_trace_ends("init", Level.ERROR, number)
        assert watched.load() == 0
        assert watched.step() == 0
    assert watched.executor.unload() == 0
    watched.end()


@pytest.mark.parametrize("name", CASES)
def test_each_kernel_of_main(name: str) -> None:
    watched = Watched(name)
    assert watched.load() == 0
    count = watched.count(watched.step)
    assert count > 15
    for number in range(count):
        assert watched.failing(number, watched.step) == FAILED
        assert watched.executor.state is State.LOADED
        watched.assert_trace_ends("main", Level.ERROR, number)
        assert watched.step() == 0
    assert watched.executor.unload() == 0
    watched.end()


@pytest.mark.parametrize("name", CASES)
def test_each_kernel_of_main_in_the_last_run(name: str) -> None:
    numbers = Watched(name)
    assert numbers.load() == 0
    for number in range(0, numbers.count(numbers.step), 5):
        watched = Watched(name)
        assert watched.load() == 0
        assert watched.failing(number, watched.step) == FAILED
        assert watched.executor.unload() == 0
        watched.end()


@pytest.mark.parametrize("name", CASES)
def test_each_kernel_of_deinit(name: str) -> None:
    watched = Watched(name)
    assert watched.load() == 0
    count = watched.count(watched.executor.unload)
    for number in range(count):
        assert watched.load() == 0
        assert watched.step() == 0
        assert watched.failing(number, watched.executor.unload) == PARAM_INVALID
        assert watched.executor.state is State.LOADED
        watched.assert_trace_ends("deinit", Level.ERROR, number)
        assert watched.step() == 0
        assert watched.executor.unload() == 0
    watched.end()


def test_a_tiling_that_never_worked_has_no_data_to_speak_of() -> None:
    watched = Watched("weights")
    assert watched.load() == 0
    number = 0
    while not (watched.fail.ran and watched.fail.ran[-1].startswith("CacheableTiling")):
        assert watched.failing(number, watched.step) == FAILED
        number += 1
    assert watched.fail.ran[-1] not in [item.kernel for item in watched.process.recorder.heard]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("number", [0, 7, 14])
def test_the_end_of_a_sequence_stays_information(name: str, number: int) -> None:
    watched = Watched(name, Status.END_OF_SEQUENCE)
    assert watched.load() == 0
    assert watched.step() == 0
    assert watched.failing(number, watched.step) == 1343225863
    watched.assert_trace_ends("main", Level.INFO, number)
    assert watched.step() == 0
    assert watched.executor.unload() == 0
    watched.end()
