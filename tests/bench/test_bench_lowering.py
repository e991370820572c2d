"""A lowering grows with the model, not with its square: the walk, the passes, the sorting and the priorities together.

Both sizes are measured in turn in one process; what is printed and held is the median of the ratios.
"""

import gc
from statistics import median
from time import process_time

import pytest

from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.lowering.pipeline import lower_model

SMALL, LARGE, LIMIT = 1_000, 10_000, 13.0
ROUNDS = 3


def chain(operators: int) -> ComputeGraph:
    graph = GraphBuilder("chain")
    x, y = graph.data("x", (-1,)), graph.data("y", (-1,))
    for index in range(operators):
        x = graph.op("AddExample", x, y, name=f"add{index}")
    return graph.output(x).build()


def seconds(graph: ComputeGraph) -> float:
    gc.collect()
    start = process_time()
    lower_model(graph)
    return process_time() - start


@pytest.mark.bench
def test_ten_times_the_operators_take_less_than_thirteen_times_as_long() -> None:
    small, large = chain(SMALL), chain(LARGE)
    seconds(small)
    pairs = [(seconds(small), seconds(large)) for _ in range(ROUNDS)]
    ratio = median(slow / fast for fast, slow in pairs)
    fast, slow = (median(side) for side in zip(*pairs, strict=True))
    print(f"{SMALL} operators: {fast:.2f} s, {LARGE}: {slow:.2f} s, ratio {ratio:.1f}")
    assert ratio <= LIMIT
