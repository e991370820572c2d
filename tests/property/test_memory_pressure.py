"""Random models on several streams and a device that is too small for them at once: real bytes, against numpy."""

from collections.abc import Callable, Mapping
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from simulated_runs import open_process

from getrace.events.memory import BorrowRecycle
from getrace.events.pools import MemoryPressure, PoolExpand, PoolShrink
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.stream_assign import assign_events
from runtime.lowering.pipeline import lower_model
from runtime.ops.builtin import builtin_ops

Array = npt.NDArray[np.float32]
SIZES = (40_000, 130_000, 70_000, 120_000, 10_000, 130_000)
"""Elements of each step: what one step keeps does not fit the next one, so memory has to come back in between."""
TIGHT = (2, 4, 5, 8, 11, 14)
"""Seeds whose models need what an earlier step keeps; the others of the first 16 fit beside it."""

_UNARY: Mapping[str, Callable[[Array], Array]] = {"Relu": lambda x: np.maximum(x, 0), "Neg": np.negative, "Abs": np.abs}
_BINARY: Mapping[str, Callable[[Array, Array], Array]] = {"Add": np.add, "Maximum": np.maximum, "Sub": np.subtract}


def random_dag(seed: int, operators: int, streams: int, x: Array) -> tuple[ComputeGraph, Array]:
    """Draw a model with one input and one output, and compute it: one seed gives one model for any ``x``."""
    random = Random(seed)
    graph = GraphBuilder("pressure")
    nodes, values, unused = [graph.data("x", (-1,))], [x], [0]
    for index in range(operators):
        kind = random.choice([*_UNARY, *_BINARY])
        first, second = (random.randrange(max(0, len(nodes) - 6), len(nodes)) for _ in range(2))
        stream = random.randrange(streams)
        if kind in _UNARY:
            second = first
            nodes.append(graph.op(kind, nodes[first], name=f"op{index}", stream=stream))
            values.append(_UNARY[kind](values[first]))
        else:
            nodes.append(graph.op(kind, nodes[first], nodes[second], name=f"op{index}", stream=stream))
            values.append(_BINARY[kind](values[first], values[second]))
        unused = [one for one in unused if one not in {first, second}] + [len(nodes) - 1]
    total, value = nodes[unused[0]], values[unused[0]]
    for at, one in enumerate(unused[1:]):
        total = graph.op("Maximum", total, nodes[one], name=f"join{at}")
        value = np.maximum(value, values[one])
    model = graph.output(total).build()
    assign_events(model)
    return model, value


@pytest.mark.parametrize("seed", TIGHT)
def test_a_model_that_hardly_fits_gives_numpys_numbers_and_leaves_nothing(seed: int) -> None:
    streams, numbers = 2 + seed % 3, np.random.default_rng(seed)
    model, _ = random_dag(seed, 40, streams, np.zeros(1, np.float32))
    root = lower_model(model, LoweringOptions(library=library_of(builtin_ops()))).root
    process = open_process(lowered=root, profile="tiny")
    assert process.executor.load(process.arg) == 0
    for size in SIZES:
        x = numbers.standard_normal(size).astype(np.float32)
        status, (value,) = process.outputs([x], 1)
        assert status == 0
        np.testing.assert_array_equal(value, random_dag(seed, 40, streams, x)[1])
    assert process.executor.unload() == 0
    process.executor.close()
    assert process.machine.memory.finalize()
    assert process.machine.device.hbm.used == 0
    said = process.recorder.events()
    expands = sum(isinstance(event, PoolExpand) for event in said)
    shrinks = sum(isinstance(event, PoolShrink) for event in said)
    assert expands >= shrinks > 40
    assert any(isinstance(event, BorrowRecycle) for event in said)
    words = {event.what for event in said if isinstance(event, MemoryPressure)}
    assert any(word.startswith("Failed to apply for memory.") for word in words)
