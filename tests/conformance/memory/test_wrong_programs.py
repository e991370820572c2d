"""Programs that do not wait where they must: real bytes at real times show it, whoever's mistake it is."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from simulated_runs import open_process, replaced

from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.stream_assign import assign_events
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel, KernelRegistry
from runtime.lowering.pipeline import lower_model

Array = npt.NDArray[np.float32]
SHAPE = (384, 1024)
"""A megabyte and a half: on the device ``tiny`` a kernel takes longer than the host needs for the next launch."""


def model() -> ComputeGraph:
    """y = relu(x) - -x, the longer half on a stream of its own: event 0 brings x, event 1 the half."""
    graph = GraphBuilder("two_streams")
    x = graph.data("x", (-1, -1))
    first = graph.op("Relu", x, name="first")
    minus = graph.op("Neg", x, name="minus", stream=1)
    second = graph.op("Neg", minus, name="second", stream=1)
    built = graph.output(graph.op("Add", first, second, name="sum")).build()
    assign_events(built)
    return built


def inputs(seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal(SHAPE).astype(np.float32)


def expected(x: Array) -> Array:
    return np.maximum(x, 0) + x


def without_wait(event: int) -> KernelRegistry:
    """The built-in kernels with a WaitEvents that forgets to wait for one event."""

    def wrap(kernel: Kernel) -> Kernel:
        def run(context: KernelContext) -> int:
            context.inputs[1].value = tuple(number for number in context.input(1) if number != event)
            return kernel.run(context)

        return replace(kernel, run=run)

    return replaced("WaitEvents", wrap)


def results(kernels: KernelRegistry | None) -> list[bool]:
    """Whether the output of each step equals numpy's; every step has other numbers."""
    process = open_process(kernels=kernels, profile="tiny", lowered=lower_model(model()).root)
    assert process.executor.load(process.arg) == 0
    equal = []
    for seed in range(3):
        x = inputs(seed)
        status, (y,) = process.outputs([x], 1)
        assert status == 0
        equal.append(np.array_equal(y, expected(x)))
    assert process.executor.unload() == 0
    return equal


def test_with_all_waits_every_step_equals_numpy() -> None:
    assert results(None) == [True, True, True]


@pytest.mark.parametrize("event", [0, 1])
def test_without_one_wait_the_output_differs_from_numpy(event: int) -> None:
    assert results(without_wait(event))[0] is False


def test_a_wait_for_an_event_that_is_none_of_the_model_takes_nothing_away() -> None:
    assert results(without_wait(7)) == [True, True, True]
